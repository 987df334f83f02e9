import gzip
import json
from collections.abc import Callable
from threading import Event

import pytest

from index.library.indexed_texts import PHRASINGS
from service.browse.offline_packs import NoPack, build_pack
from service.core.jobs.queue import JobQueue
from service.core.snapshot import Snapshot
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes

PACK = "/offline/packs/sternenhafen"


@pytest.fixture
def published(tmp_path, harbour_library) -> Callable[[str], Harbour]:
    """Makes an index that is on the disk, with the name given."""

    def publish(id):
        (tmp_path / id).mkdir()
        (tmp_path / id / "manifest.json").write_text("{}")
        snapshot = Harbour(harbour_library, id)
        snapshot.folder = tmp_path / id
        return snapshot

    return publish


@pytest.fixture
def indexes(published) -> Indexes:
    return Indexes(published("20310517-1"))


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The packs that were made, in this process, of what stands in for an index."""
    made: list[str] = []

    def run(_, __, folder, work):
        made.append(f"{folder.name} {work.arguments[0]}")
        return b"f" + gzip.compress(folder.name.encode())

    monkeypatch.setattr(JobQueue, "run", run)
    return made


def pack(client, method="GET"):
    for _ in range(50):
        response = client.open(PACK, method=method)
        if response.status_code != 503:
            break
    assert response.status_code == 200, response.text
    return response


def test_a_pack_is_made_once_for_each_index(client, indexes, published, made):
    first = indexes.index
    response = pack(client)
    assert response.mimetype == "application/gzip"
    assert "Content-Encoding" not in response.headers
    assert gzip.decompress(response.data) == b"20310517-1"
    assert client.get(PACK, headers={"If-None-Match": response.headers["ETag"]}).status_code == 304
    indexes.index = published("20310517-2")
    assert gzip.decompress(pack(client).data) == b"20310517-2"
    indexes.index = first
    assert gzip.decompress(pack(client).data) == b"20310517-1"
    assert made == ["20310517-1 sternenhafen", "20310517-2 sternenhafen"]


def test_a_browser_learns_which_pack_there_is_without_loading_it(client, made):
    told = pack(client, "HEAD")
    assert told.data == b""
    assert told.headers["Regula-Index"] == "20310517-1"
    assert int(told.headers["Content-Length"]) == len(pack(client).data)


def test_a_pack_in_the_making_says_when_to_come_back(client, monkeypatch):
    go_on = Event()
    monkeypatch.setattr(JobQueue, "run", lambda *_: go_on.wait(10))
    response = client.get(PACK)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    go_on.set()


def test_another_process_finds_the_pack_that_was_made(client, indexes, made, harbour_library):
    pack(client)
    other = Harbour(harbour_library, "20310517-1")
    other.folder = indexes.index.folder
    assert create_app(Indexes(other)).test_client().get(PACK).status_code == 200
    assert len(made) == 1


def test_an_index_that_browsers_cannot_ask_says_so(client, indexes, monkeypatch):
    assert client.get("/offline/packs/no-such").status_code == 404

    def refuse(*_):
        raise NoPack("it has no query variants")

    monkeypatch.setattr(JobQueue, "run", refuse)
    while (response := client.get(PACK)).status_code == 503:
        pass
    assert response.status_code == 404
    indexes.index.folder = None  # in memory alone
    assert client.get(PACK).status_code == 404


def test_a_full_disk_is_no_fault_of_the_service(client, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(JobQueue, "run", full)
    assert client.get(PACK).status_code == 503
    assert client.get(PACK).status_code == 503
    assert client.get("/offline").status_code == 200


def test_an_owner_can_switch_it_off(indexes, made):
    client = create_app(indexes, Settings.model_construct(offline_packs=False)).test_client()
    assert client.get(PACK).status_code == 404
    for page in ("/", "/offline"):
        response = client.get(page)
        assert response.status_code == 200
        assert "pack-sternenhafen" not in response.text
    assert made == []


def test_loading_counts_as_calls_and_the_page_does_not(indexes, made):
    client = create_app(indexes, Settings.model_construct(rate_limit="5/minute")).test_client()
    assert [client.get("/offline").status_code for _ in range(6)] == [200] * 6
    pack(client)
    told = [client.get(PACK) for _ in range(6)]
    assert told[-1].status_code == 429
    assert int(told[-1].headers["Retry-After"]) > 0


def test_scripts_without_a_version_in_their_address_are_asked_for_again(client):
    assert client.get("/static/offline-packs.js").headers["Cache-Control"] == "no-cache"
    versioned = (
        json.dumps(client.get("/sw.js").text.partition("\n")[0])
        .partition("/static/offline-packs.js")[2]
        .partition("\\")[0]
    )
    assert (
        "max-age=31536000"
        in client.get(f"/static/offline-packs.js{versioned}").headers["Cache-Control"]
    )


def test_a_pack_has_all_that_is_searched_of_a_game_and_nothing_of_others(
    sample_snapshots, sample_index
):
    snapshot = Snapshot(sample_index, sample_snapshots.path(sample_index.id))
    found = build_pack(snapshot, "pegelduell")
    library = sample_index.library
    assert {edition["id"] for edition in found["editions"]} == {
        "pegelduell-de-2.0",
        "pegelduell-faq-de-3",
    }
    assert [each["id"] for each in found["passages"]] == [
        passage.id
        for passage in library.searchable
        if library.edition[library.entry[passage.entry].edition].game == "pegelduell"
    ]
    assert found["search"]["documentCount"] == len(found["passages"])
    assert build_pack(snapshot, "pegelduell") == found


def test_there_is_no_pack_of_an_index_without_query_variants(
    sample_snapshots, sample_index, tmp_path
):
    assert not (tmp_path / PHRASINGS).exists()
    for folder in (None, tmp_path):
        with pytest.raises(NoPack, match="build"):
            build_pack(Snapshot(sample_index, folder), "pegelduell")
