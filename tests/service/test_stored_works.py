import json
import logging
import pickle
import shutil
import time
from enum import Enum
from functools import cache

import pytest
from flask.testing import FlaskClient

from glossary.comparison.model import Agreement
from index.building.snapshots import MANIFEST
from index.ranking.confidence import Settlement
from service.core.jobs import stored_files, stored_works
from service.core.jobs.queue import JobQueue
from service.core.jobs.stored_files import content_key, stored_path
from service.core.jobs.stored_works import Preparing, Work, is_stored, made, stored
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions import known_requests
from service.editions.comparison import comparison_work, snapshot_comparison
from service.editions.comparison_view import searchable_comparison
from service.editions.exports.formats import NothingToExport
from service.editions.known_requests import progress
from service.ops import preparing
from service.ops.indexes import IndexManager
from service.ops.preparing import prepare, prepare_in_background
from service.ops.settings import Locations
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.service.test_pages import GERMAN, Page
from tests.tasks import find_nothing_in, name_of

OLD, NEW, ITALIAN = "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"


@pytest.fixture
def snapshot(own_index, monkeypatch) -> Snapshot:
    monkeypatch.setattr(
        stored_works, "_flights", cache(stored_works._Flights)
    )  # nothing is known of other tests
    return IndexManager(Locations(SAMPLE, own_index, True), private=False).load()


@pytest.fixture
def client(snapshot) -> FlaskClient:
    return app_of(snapshot).test_client()


def app_of(snapshot):
    class One:
        def current(self):
            return snapshot

    return create_app(One())


def test_a_page_that_is_not_prepared_shows_how_far_all_is_and_comes_again(client, monkeypatch):
    monkeypatch.setattr(stored_works, "PATIENCE", 0.01)
    for path in (
        f"/compare/{NEW}/{ITALIAN}",
        f"/browse/{NEW}/new",
        "/terms/pegelwacht",
        "/compare/cards/pegelwacht",
    ):
        response = client.get(path, headers=GERMAN)
        assert (response.status_code, response.headers["Refresh"]) == (202, "2"), path
        shown = Page(response.text)
        assert "Wird noch vorbereitet; lädt von selbst neu." in shown.text
        (bar,) = shown.all("progress")
        assert 0 <= int(bar["value"] or "") < int(bar["max"] or "")
    end = time.monotonic() + 60
    while (
        response := client.get(f"/compare/{NEW}/{ITALIAN}", headers=GERMAN)
    ).status_code == 202 and time.monotonic() < end:
        time.sleep(0.1)
    assert response.status_code == 200
    assert "Refresh" not in response.headers


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/compare/{NEW}/{ITALIAN}/xliff",
        "/v1/terms/csv?game=pegelwacht",
        "/v1/export",
        f"/v1/editions/{NEW}/changes",
    ],
)
def test_a_file_that_is_not_prepared_says_when_to_come_back(client, monkeypatch, path):
    monkeypatch.setattr(stored_works, "PATIENCE", 0.01)
    response = client.get(path, headers=GERMAN)
    assert (response.status_code, response.content_type) == (503, "application/problem+json")
    assert int(response.headers["Retry-After"]) > 0
    assert (
        response.json["detail"]
        == "Das wird noch vorbereitet. Bitte in einigen Sekunden noch einmal fragen."
    )


@pytest.mark.acceptance
def test_once_an_index_is_prepared_nobody_waits_for_anything(snapshot, monkeypatch):
    queue = JobQueue(idle=1.0)
    assert prepare(snapshot, queue)
    assert progress(snapshot).done == progress(snapshot).total > 50

    def refuse(*_):
        raise AssertionError("a helper was asked")

    monkeypatch.setattr(JobQueue, "run", refuse)
    client = app_of(
        Snapshot(snapshot.index, snapshot.folder)
    ).test_client()  # as another process has it, with nothing in memory
    for path in addresses(snapshot):
        assert client.get(path).status_code == 200, path
    assert client.post("/v1/verify", json={"text": "„Was kostet das Ankern?“"}).status_code == 200


def addresses(snapshot):
    """Pages and files that take long to make."""
    yield from ("/compare", "/state", "/v1/export", "/browse", "/cards")
    for game in snapshot.library.games:
        yield from (
            f"/terms/{game}",
            f"/v1/terms?game={game}",
            f"/v1/terms/check?game={game}",
            f"/offline/packs/{game}",
        )
        yield from (
            f"/v1/terms/{name}?game={game}" for name in ("csv", "xlsx", "tbx", "tbx3", "tmx")
        )
    yield from (f"/v1/export/{edition.id}.jsonl.gz" for edition in snapshot.library.editions)
    yield from (f"/state/{edition.id}" for edition in snapshot.library.editions)
    yield from (
        f"/browse/{NEW}/new",
        f"/v1/editions/{NEW}/changes",
        "/compare/cards/pegelwacht",
        "/v1/compare/cards/pegelwacht/csv?language=de",
    )
    for left, right in ((NEW, ITALIAN), (ITALIAN, NEW), (OLD, NEW)):
        yield from (f"/compare/{left}/{right}", f"/v1/compare/{left}/{right}")
        names = ["csv", "html", "xlsx", "tbx", "tbx3", "review-xlsx"]
        names += ["tmx", "xliff"] if ITALIAN in (left, right) else []
        yield from (f"/v1/compare/{left}/{right}/{name}" for name in names)


def test_a_published_index_is_prepared_by_one_process_in_the_background(snapshot, monkeypatch):
    few = (Work(("one",), name_of), Work(("another",), name_of))
    for place in (known_requests, preparing):
        monkeypatch.setattr(place, "works_of", lambda _: iter(few))

    class One:
        def current(self):
            return snapshot

    overs = [prepare_in_background(One(), 0.05) for _ in range(2)]
    assert snapshot.folder is not None
    end = time.monotonic() + 60
    while not all(is_stored(snapshot.folder, work) for work in few):
        assert time.monotonic() < end
        time.sleep(0.05)
    for over in overs:
        over.set()
    assert stored(snapshot, few[1]) == snapshot.id.encode()


def test_what_was_compared_is_read_back_as_it_was_made(snapshot):
    assert snapshot.folder is not None
    sides = "pegelwacht-de-online", ITALIAN  # of which the first is short
    found = stored(snapshot, comparison_work(snapshot.library, *sides))
    assert found == snapshot_comparison(SnapshotContents(snapshot.id, snapshot.library), *sides)
    again = SnapshotContents(snapshot.id, snapshot.library, snapshot.folder)
    assert made(again, comparison_work(snapshot.library, *sides)) == found
    assert searchable_comparison(snapshot, *sides).entries


def test_enumerations_are_read_back_with_every_python(monkeypatch, snapshot):
    # So they are written by Python before 3.11.4.
    monkeypatch.setattr(Enum, "__reduce_ex__", lambda self, _: (getattr, (type(self), self.name)))
    raw = stored_works._encoded((Agreement.SAME, Settlement.OPEN))
    assert stored_works._decoded(raw, snapshot.library) == (Agreement.SAME, Settlement.OPEN)


def test_a_stored_object_makes_nothing_but_what_is_ours(snapshot, tmp_path):
    class Evil:
        def __reduce__(self):
            return exec, (f"open({str(tmp_path / 'harm')!r}, 'w')",)

    work = Work(("a name",), name_of)
    assert snapshot.folder is not None
    path = stored_path(snapshot.folder, work.name)
    path.parent.mkdir(parents=True)
    content = b"o" + pickle.dumps(Evil())
    path.write_bytes(stored_files._digest(path, content) + content)
    with pytest.raises(pickle.UnpicklingError, match="exec"):
        stored(snapshot, work)
    assert not (tmp_path / "harm").exists()


def test_a_ruling_that_is_written_has_nothing_made_anew(snapshot, own_index):
    work = Work(("a name",), name_of)
    stored(snapshot, work)
    assert snapshot.folder is not None
    other = own_index / "20991231T000000000-00000000"
    shutil.copytree(snapshot.folder, other)
    manifest = json.loads((other / MANIFEST).read_text())
    manifest |= {"id": other.name, "fingerprint": "another"}
    (other / MANIFEST).write_text(json.dumps(manifest))
    assert content_key(other) == content_key(snapshot.folder)
    assert is_stored(other, work)
    (other / MANIFEST).write_text(json.dumps(manifest | {"rulebooks": "other ones"}))
    assert not is_stored(other, work)


def test_a_work_that_fails_is_told_and_not_tried_at_every_request(snapshot, monkeypatch):
    work: Work[bytes] = Work(("nothing",), find_nothing_in, ("no such thing",))
    with pytest.raises(LookupError, match="no such thing"):
        stored(snapshot, work)
    monkeypatch.setattr(stored_works, "PATIENCE", 0.0)
    with pytest.raises(Preparing):
        stored(snapshot, work, patience=0.0)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            stored(snapshot, work, patience=0.0)
        except Preparing:
            time.sleep(0.05)
        except LookupError:
            break
    monkeypatch.setattr(JobQueue, "run", lambda *_: pytest.fail("tried again"))
    with pytest.raises(LookupError):
        stored(snapshot, work, patience=0.0)


def test_where_nothing_can_be_stored_all_is_answered(client, own_index, monkeypatch, caplog):
    (own_index / ".rendered").write_text("a file where the folder would be")
    monkeypatch.setattr(stored_works, "PATIENCE", 0.05)
    path = f"/v1/compare/{OLD}/{NEW}/csv"
    end = time.monotonic() + 60
    while (response := client.get(path)).status_code == 503 and time.monotonic() < end:
        time.sleep(0.1)
    assert response.status_code == 200
    assert client.get(path).data == response.data


def test_no_more_than_its_share_of_the_room_is_prepared(snapshot, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "service.ops.preparing")
    monkeypatch.setattr(preparing, "ROOM", 300_000)
    assert prepare(snapshot, JobQueue(idle=1.0))
    assert 0 < progress(snapshot).done < progress(snapshot).total
    assert "as far as there is room" in caplog.text


def test_where_there_is_nothing_to_export_nothing_has_failed(snapshot, monkeypatch, caplog):
    def nothing(*_):
        raise NothingToExport("kran has no terms to export")

    monkeypatch.setattr(preparing, "make_in", nothing)
    assert prepare(snapshot, JobQueue(idle=1.0)), "else it is tried again and again"
    assert "could not be prepared" not in caplog.text
