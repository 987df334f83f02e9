"""Rulebooks for the tests: the sample always, the real five wherever they are found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus import Shelf, shelve

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "corpus" / "sample" / "rulebooks"


def real_folder() -> Path | None:
    """Where the five real rulebooks are, or None: REGULA_RULEBOOKS, corpus/rulebooks, ../shared/rulebooks."""
    places = [Path(p) for p in [os.environ.get("REGULA_RULEBOOKS", "")] if p]
    places += [ROOT / "corpus" / "rulebooks", ROOT.parent / "shared" / "rulebooks"]
    return next((p for p in places if p.is_dir() and any(p.glob("*.txt"))), None)


@pytest.fixture(scope="session")
def sample() -> Shelf:
    return shelve(SAMPLE)


@pytest.fixture(scope="session")
def real() -> Shelf:
    folder = real_folder()
    if folder is None:
        pytest.skip("the real rulebooks are not here")
    return shelve(folder)
