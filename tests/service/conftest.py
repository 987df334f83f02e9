"""Fixtures: the service over the invented game of `harbour`, and its client."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from corpus.workspace import workspace
from glossary.comparison import EditionComparison, compare_editions
from index.building.snapshots import Snapshots
from index.library.library import IndexedRulebook, Library
from index.search import Index
from service.cli import main
from service.core.jobs import stored_works
from service.core.snapshot import Snapshot
from service.editions import comparison
from service.ops.indexes import IndexManager
from service.ops.settings import Settings
from service.web.app import RegulaApp, create_app
from tests.index.small_indexes import indexes as indexes_of
from tests.service import small_documents as documents
from tests.service.described import DescribedClient
from tests.service.harbour import Harbour, Indexes, library
from tests.service.templates import SharedTemplates, shared_builder

# Every response to a test's request must match the API description
RegulaApp.test_client_class = DescribedClient
RegulaApp.jinja_environment = SharedTemplates  # type: ignore[assignment]  # as Flask documents it
Rule._compile_builder = shared_builder  # type: ignore[assignment, method-assign]


@pytest.fixture(autouse=True)
def patient_requests(monkeypatch):
    """Let requests wait for results in preparation as long as a busy machine needs; tests of the
    waiting override this.
    """
    monkeypatch.setattr(stored_works, "PATIENCE", 60.0)


_COMPARED: dict[tuple[int, int, str, str], tuple[EditionComparison, object]] = {}


def _compare_once(left: IndexedRulebook, right: IndexedRulebook, *given: Any) -> EditionComparison:
    """Compare two editions of a library only once, if no workspace changes the comparison."""
    tied, references, *_, fixed = given
    if workspace() or fixed.rows:
        return compare_editions(left, right, *given)
    key = (id(tied), id(references), left.edition.id, right.edition.id)
    if key not in _COMPARED:  # these are kept with it, so that their ids are not reused
        _COMPARED[key] = compare_editions(left, right, *given), (tied, references)
    return _COMPARED[key][0]


vars(comparison)["compare_editions"] = _compare_once


@pytest.fixture(scope="session")
def harbour_library() -> Library:
    return library()


@pytest.fixture
def indexes(harbour_library: Library) -> Indexes:
    return Indexes(Harbour(harbour_library))


@pytest.fixture
def app(indexes: Indexes) -> Flask:
    return create_app(indexes)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="session")
def snapshot(sample_index: Index) -> Snapshot:
    return Snapshot(sample_index)


@pytest.fixture
def own_index(sample_snapshots: Snapshots, tmp_path: Path) -> Path:
    """An index folder of its own with one snapshot of the sample."""
    kept = shutil.ignore_patterns(".*")
    return Path(shutil.copytree(sample_snapshots.folder, tmp_path / "index", ignore=kept))


@pytest.fixture(scope="module")
def bot(sample_index: Index) -> FlaskClient:
    """A client of the sample as bots see it, which are not asked for feedback."""
    return create_app(Indexes(Snapshot(sample_index)), Settings(feedback=False)).test_client()


class Ran(NamedTuple):
    """The exit status of a command and its output."""

    status: Any
    out: str
    err: str


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set the workspace that all commands and loaders of the test use."""
    for name in ("REGULA_RULEBOOKS", "REGULA_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REGULA_HOME", str(tmp_path / "mine"))
    return tmp_path / "mine"


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that runs a command in this process."""

    def run(*arguments: object) -> Ran:
        with pytest.raises(SystemExit) as end:
            main([str(each) for each in arguments])
        return Ran(end.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def regula(home: Path, command: Callable[..., Ran]) -> Callable[..., Ran]:
    """Return a function that runs a command in a workspace without rulebooks."""
    assert command("init", home).status == 0
    return command


@pytest.fixture(scope="session")
def small_documents(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> IndexManager:
    """Return the manager of an index of the documents of `tests.service.small_documents`."""
    return documents.served(documents.write(tmp_path_factory.mktemp("small") / "books"), shared)


@pytest.fixture(scope="session")
def twins(twins_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Return two small rulebooks that differ in a few numbers (`books`), the managers that serve
    them (`indexes`), and their indexes (`built`).
    """
    place = tmp_path_factory.mktemp("twins")
    shutil.copytree(twins_folder, place, dirs_exist_ok=True)
    made = place / "books" / "one", place / "books" / "other"
    found = [indexes_of(book, place / f"index{number}") for number, book in enumerate(made)]
    built = [each.snapshots.path(str(each.snapshots.current())) for each in found]
    return SimpleNamespace(books=made, indexes=found, built=built)
