import shutil
import time
from functools import partial
from pathlib import Path

import pytest

import index.training.encoder
from corpus.folder import read_folder
from glossary.check import Certainty, Finding, FindingKind, Why, because
from index.building import check_stage
from index.building.check_stage import FINDINGS, checking
from index.building.reuse import UnchangedEditions
from index.building.subprocess_task import run_in_subprocess
from index.library.library import assemble_library
from index.training.encoder import SubwordEmbedding
from service.core.cache import SnapshotCache
from service.editions import findings
from service.ops.indexes import IndexManager
from service.ops.settings import Locations
from service.web.app import create_app
from tests.conftest import SAMPLE

pytestmark = pytest.mark.acceptance

EDITION = "pegelwacht-it-1.1"


@pytest.fixture
def books(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(check_stage, "CHECKED_PASSAGES", 1)
    folder = tmp_path / "books"
    folder.mkdir()
    shutil.copy(SAMPLE / f"{EDITION}.txt", folder)
    return folder


def no_check(*_):
    pytest.fail("the page has the rulebooks checked")


def test_the_first_page_of_an_entry_has_the_findings_of_the_build(books, monkeypatch):
    entry = next(
        entry
        for entry in read_folder(books).rulebooks[0].entries
        if entry.id == f"{EDITION}/relitto"
    )
    why = because(Why.NO_BLANK_AFTER, quoted=",")
    finding = Finding(
        EDITION,
        entry.lines.first,
        FindingKind.GLUED,
        "relittoche",
        "relitto che",
        Certainty.LIKELY,
        why,
    )
    monkeypatch.setattr(index.training.encoder, "train", lambda *_, **__: SubwordEmbedding(seed=1))
    monkeypatch.setattr(check_stage, "_NICE", 0)
    monkeypatch.setattr(check_stage, "check_rulebook", lambda *_: (finding,))
    monkeypatch.setattr(
        check_stage, "run_in_subprocess", lambda _, *work: run_in_subprocess(False, *work)
    )
    indexes = IndexManager(Locations(books, books.parent / "index", is_sample=False))
    indexes.build()
    snapshot = indexes.load()
    monkeypatch.setattr(findings, "stored", no_check)
    text = (
        create_app(indexes)
        .test_client()
        .get(f"/e/{entry.id}", headers={"Accept-Language": "en"})
        .text
    )
    assert "relittoche" in text
    assert "is being checked" not in text
    assert findings.snapshot_findings(snapshot) == {EDITION: (finding,)}
    assert isinstance(snapshot.location, Path)
    (snapshot.location / FINDINGS).write_text(
        '{"pegelwacht'
    )  # damaged: the rulebooks are checked as of an index that has none
    monkeypatch.setattr(snapshot, "cache", SnapshotCache())
    monkeypatch.setattr(findings, "stored", lambda *_, **__: b'{"checked": []}')
    end = time.monotonic() + 60
    while (found := findings.snapshot_findings(snapshot)) is None:
        assert time.monotonic() < end
    assert found == {"checked": ()}


def test_a_check_that_fails_does_not_fail_the_build(books, monkeypatch, caplog):
    monkeypatch.setattr(
        check_stage, "_findings", partial(int, "no number")
    )  # raises in the other process
    read = read_folder(books).rulebooks
    with checking(books, read, assemble_library(read), UnchangedEditions(read, None)) as wait:
        wait()
    assert "could not be checked" in caplog.text
    assert not (books / FINDINGS).exists()
