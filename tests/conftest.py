"""Rulebooks for the tests: always the sample, and the real five if they are found."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from corpus import RulebookFolder, read_folder
from corpus.blocks import ExtractedText
from corpus.formats import UnreadableFile, extracted_formats, isolated
from corpus.workspace import VARIABLE as WORKSPACE
from glossary.word_tables import WordTables
from index.building.build import build
from index.building.snapshots import Snapshots
from index.library.library import Library, assemble_library
from index.search import Index
from tests.shared import builds_share_word_tables, folder_for, load_word_tables, made_once

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
os.environ.setdefault(
    "REGULA_GENERAL_ENCODER", "none"
)  # the installed encoder would be used for half of the sample; it has tests of its own
SAMPLE = ROOT / "corpus" / "sample" / "rulebooks"
SAMPLE_QUESTIONS = SAMPLE.parent / "questions.jsonl"

for _profile, _examples in (("tenth", 15), ("full", 150)):  # 'make acceptance' uses the second
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],  # a busy machine is no failure
    )
settings.load_profile("tenth")


def real_folder() -> Path | None:
    """Return the folder of the five real rulebooks, or None. Tries REGULA_RULEBOOKS,
    corpus/rulebooks and ../shared/rulebooks.
    """
    places = [Path(p) for p in [os.environ.get("REGULA_RULEBOOKS", "")] if p]
    places += [ROOT / "corpus" / "rulebooks", ROOT.parent / "shared" / "rulebooks"]
    return next((p for p in places if p.is_dir() and any(p.glob("*.txt"))), None)


# Tests in these folders start browsers, servers or other programs. 'make acceptance' runs them,
# 'make test' only those in EVERYDAY.
OUTSIDE = {"bots", "browser", "clients", "deploy", "trials"}
EVERYDAY = {"test_each_page.py", "test_reading.py"}
# Names that a module imports to measure time, or to start threads, processes or servers. A busy
# machine can disturb its tests.
DISTURBED = {
    *(
        "time",
        "monotonic",
        "perf_counter",
        "process_time",
        "sleep",
        "processor_seconds",
        "assert_in_proportion",
        "until",
    ),
    *("threading", "ThreadPoolExecutor", "forked", "subprocess", "psutil", "serving"),
}


def seeds(number: int) -> list[Any]:
    """Return ``number`` seeds as parameters. The first is tested in every run, the others only in
    'make acceptance'.
    """
    return [
        pytest.param(seed, marks=pytest.mark.acceptance if seed else ()) for seed in range(number)
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark tests that only 'make acceptance' runs, and repeat failed tests once that a busy machine
    can disturb; repetitions are reported.
    """
    for item in items:
        outside = item.path.relative_to(TESTS).parts[0] in OUTSIDE
        real = "real" in item.fixturenames or (
            hasattr(item, "callspec") and "real" in item.callspec.params.values()
        )
        if real or (outside and item.path.name not in EVERYDAY):
            item.add_marker(pytest.mark.acceptance)
        if outside or not DISTURBED.isdisjoint(vars(item.module)):
            item.add_marker(pytest.mark.flaky(reruns=1))


def card_folders() -> dict[str, Path]:
    """Return the folders of the real card databases that are found, by game: REGULA_CARDS,
    ../shared/cards.
    """
    places = [Path(p) for p in [os.environ.get("REGULA_CARDS", "")] if p] + [
        ROOT.parent / "shared" / "cards"
    ]
    home = next((p for p in places if p.is_dir()), None)
    folders = {"lorcana": "lorcana", "marvel-champions": "marvelsdb-json-data"}
    return {game: home / name for game, name in folders.items() if home and (home / name).is_dir()}


@pytest.fixture(autouse=True)
def _same_workspace(monkeypatch):
    """Undo after each test the choice of a workspace that a command makes for the whole process."""
    monkeypatch.setenv(WORKSPACE, os.environ.get(WORKSPACE, ""))


@lru_cache(maxsize=16)
def _extract_here(name: str, raw: bytes) -> ExtractedText:
    (format,) = (each for each in extracted_formats() if each.name == name)
    result = isolated._extracted(format, raw)
    if isinstance(result, ExtractedText):
        return result
    raise UnreadableFile(result)


_extract_apart = isolated.extract


@pytest.fixture(scope="session", autouse=True)
def _files_are_extracted_here() -> Iterator[None]:
    """Extract files in this process, because starting another for each takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "extract", _extract_here)
        yield


@pytest.fixture
def extracted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extract files in a separate process, as the program does."""
    monkeypatch.setattr(isolated, "extract", _extract_apart)


@pytest.fixture(scope="session")
def sample() -> RulebookFolder:
    return read_folder(SAMPLE)


@pytest.fixture(scope="session")
def real() -> RulebookFolder:
    folder = real_folder()
    if folder is None:
        pytest.skip("the real rulebooks are not here")
    return read_folder(folder)


@pytest.fixture(scope="session")
def sample_library(sample: RulebookFolder) -> Library:
    """The sample rulebooks as an index keeps them, without an index."""
    return assemble_library(sample.rulebooks)


@pytest.fixture(scope="session")
def real_library(real: RulebookFolder) -> Library:
    """The real rulebooks as an index keeps them, without an index."""
    return assemble_library(real.rulebooks)


@pytest.fixture(scope="session", params=["sample", "real"])
def any_library(request: pytest.FixtureRequest) -> Library:
    """`any_rulebooks` as an index keeps them."""
    found: Library = request.getfixturevalue(f"{request.param}_library")
    return found


@pytest.fixture(scope="session", params=["sample", "real"])
def any_rulebooks(request: pytest.FixtureRequest) -> RulebookFolder:
    """The sample rulebooks, then the real ones if they are found, for properties that hold for
    all.
    """
    found: RulebookFolder = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder shared by all test processes and kept for later runs until a source changes; or
    REGULA_TESTS_SHARED.
    """
    if folder := os.environ.get("REGULA_TESTS_SHARED"):
        return Path(folder)
    sources = [ROOT / package for package in ("corpus", "glossary", "index", "service")]
    sources += [
        TESTS / "dated.py",
        TESTS / "index" / "small_indexes.py",
        *ROOT.glob("requirements*.lock"),
        *filter(None, [real_folder()]),
    ]
    return folder_for(
        sources, ROOT / ".pytest_cache" / "d" / "shared"
    )  # which --cache-clear empties


@pytest.fixture(scope="session", autouse=True)
def word_tables_folder(shared: Path) -> Iterator[Path]:
    """The folder of the word tables that all builds in this process share, once they exist."""
    folder = shared / "word-tables"
    with builds_share_word_tables(folder):
        yield folder


@pytest.fixture(scope="session")
def word_tables(word_tables_folder: Path) -> WordTables:
    return load_word_tables(word_tables_folder)


@pytest.fixture(scope="session")
def twins_folder(shared: Path) -> Path:
    """Two small rulebooks and their indexes, as `build_twins` makes them."""
    from tests.index.small_indexes import build_twins  # which needs the service

    return made_once(shared / "twins", build_twins)


def rulebook_of(several: Any, edition: str) -> Any:
    """Return the rulebook of the ``edition`` with this id from ``several``: a folder or library."""
    return next(each for each in several.rulebooks if each.edition.id == edition)


def built_once(folder: Path, shared: Path, name: str = "") -> Snapshots:
    """Return the snapshots of an index of ``folder``, built once for all test processes. It is
    named ``name`` or after the parent folder.
    """
    return Snapshots(
        made_once(
            shared / f"index-{name or folder.parent.name}",
            lambda place: build(folder, Snapshots(place)),
        )
    )


def _load(snapshots: Snapshots) -> Index:
    current = snapshots.current()
    assert current is not None
    return Index.load(snapshots.path(current))


@pytest.fixture(scope="session")
def sample_snapshots(shared: Path) -> Snapshots:
    return built_once(SAMPLE, shared)


@pytest.fixture(scope="session")
def sample_index(sample_snapshots: Snapshots) -> Index:
    return _load(sample_snapshots)


@pytest.fixture(scope="session")
def dated_index(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of the documents of `tests.dated`."""
    from tests import dated  # imported here, because it needs the sample of this module

    return _load(
        built_once(dated.write(tmp_path_factory.mktemp("dated") / "rulebooks"), shared, "dated")
    )


@pytest.fixture(scope="session")
def real_index(real: RulebookFolder, shared: Path) -> Index:
    folder = real_folder()
    assert folder is not None
    return _load(built_once(folder, shared))
