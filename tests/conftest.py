"""Rulebooks for the tests: the sample always, the real five wherever they are found."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from corpus import RulebookFolder, read_folder
from index.building.build import build
from index.building.snapshots import Snapshots
from index.search import Index

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("REGULA_GENERAL_ENCODER", "none")  # it is installed here, and would be used for half of the sample; it has its tests
SAMPLE = ROOT / "corpus" / "sample" / "rulebooks"
SAMPLE_QUESTIONS = SAMPLE.parent / "questions.jsonl"


def real_folder() -> Path | None:
    """Where the five real rulebooks are, or None: REGULA_RULEBOOKS, corpus/rulebooks, ../shared/rulebooks."""
    places = [Path(p) for p in [os.environ.get("REGULA_RULEBOOKS", "")] if p]
    places += [ROOT / "corpus" / "rulebooks", ROOT.parent / "shared" / "rulebooks"]
    return next((p for p in places if p.is_dir() and any(p.glob("*.txt"))), None)


@pytest.fixture(scope="session")
def sample() -> RulebookFolder:
    return read_folder(SAMPLE)


@pytest.fixture(scope="session")
def real() -> RulebookFolder:
    folder = real_folder()
    if folder is None:
        pytest.skip("the real rulebooks are not here")
    return read_folder(folder)


@pytest.fixture(scope="session", params=["sample", "real"])
def any_rulebooks(request: pytest.FixtureRequest) -> RulebookFolder:
    """The sample rulebooks, then the real ones where they are found: for what has to hold of all."""
    found: RulebookFolder = request.getfixturevalue(request.param)
    return found


def built_once(folder: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, name: str = "") -> Snapshots:
    """Snapshots of an index of ``folder``, built once for all test processes; called ``name``, or as the folder around it."""
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent
    place = shared / f"index-{name or folder.parent.name}"
    place.mkdir(exist_ok=True)
    with (place / ".once").open("w") as once:
        fcntl.flock(once, fcntl.LOCK_EX)
        snapshots = Snapshots(place / "snapshots")
        if snapshots.current() is None:
            build(folder, snapshots)
    return snapshots


def _load(snapshots: Snapshots) -> Index:
    current = snapshots.current()
    assert current is not None
    return Index.load(snapshots.path(current))


@pytest.fixture(scope="session")
def sample_snapshots(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    return built_once(SAMPLE, request, tmp_path_factory)


@pytest.fixture(scope="session")
def sample_index(sample_snapshots: Snapshots) -> Index:
    return _load(sample_snapshots)


@pytest.fixture(scope="session")
def dated_index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of the documents of `tests.dated`."""
    from tests import dated  # which needs the sample of this module

    return _load(built_once(dated.write(tmp_path_factory.mktemp("dated") / "rulebooks"), request, tmp_path_factory, "dated"))


@pytest.fixture(scope="session")
def real_index(real: RulebookFolder, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = real_folder()
    assert folder is not None
    return _load(built_once(folder, request, tmp_path_factory))
