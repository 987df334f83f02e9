"""Fixtures for the bots: Regula over the sample, and settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.building.snapshots import Snapshots
from service.ops.indexes import IndexManager
from service.ops.settings import Locations, Settings
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.service.serving import answering, free_port

for module in ("discord", "telegram", "tenacity", "aiohttp"):
    pytest.importorskip(module, reason=f"{module} is not installed (make test installs it)")


@pytest.fixture(scope="session")
def regula(sample_snapshots: Snapshots, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a service over the sample that stores feedback; its thread ends with
    the tests.
    """
    indexes = IndexManager(Locations(SAMPLE, sample_snapshots.folder, is_sample=True))
    indexes.load()
    home = tmp_path_factory.mktemp("home")
    settings = Settings(
        port=free_port(),
        rate_limit="none",
        feedback=True,
        home=home,
        public_url="https://regula.example.org",
    )
    return answering(create_app(indexes, settings), settings)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    """Remove BOT_… settings from the environment, so that only a test's own settings count."""
    import os

    for name in [name for name in os.environ if name.startswith("BOT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "bot.toml"
