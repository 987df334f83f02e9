"""Fixtures for trials: the sample in short form, and the real rulebooks, if found, in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.building.snapshots import Snapshots
from tests.conftest import SAMPLE, built_once, real_folder


@pytest.fixture(scope="session")
def real_snapshots(shared: Path) -> Snapshots:
    folder = real_folder()
    if folder is None:
        pytest.skip("the real rulebooks are not here")
    return built_once(folder, shared)


@pytest.fixture
def place(request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """Return a folder of rulebooks and the folder of its index."""
    real = real_folder()
    if real is None or request.node.get_closest_marker("trial") is None:
        return SAMPLE, request.getfixturevalue("sample_snapshots").folder
    return real, request.getfixturevalue("real_snapshots").folder
