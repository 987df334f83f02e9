import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pymilvus
import pytest

from index.building import build as building
from index.building.build import NothingToRead
from index.model import Query
from index.store import milvus
from index.store.milvus import MilvusConnection
from index.store.protocol import StoreUnreachable
from service.cli import main
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import Locations, load, locations
from service.web.app import create_app
from tests.conftest import ROOT
from tests.index.small_indexes import QUESTIONS, publish_copy
from tests.milvus import Database
from tests.service.serving import serving

pytestmark = pytest.mark.acceptance


@pytest.fixture(scope="module")
def stored(twins, tmp_path_factory) -> Iterator[SimpleNamespace]:
    """Both twins built into one folder and one ``database``, the other one published; ``ids`` of
    the indexes, the first one embedded.
    """
    place = tmp_path_factory.mktemp("stored")
    database = Database(place / "data")
    database.start()
    said: list[str] = []
    indexes = [
        IndexManager(Locations(book, place / "index", False, store=database.address), said.append)
        for book in twins.books
    ]
    embedded = publish_copy(indexes[0].snapshots, twins.built[0])  # its encoder is taken over
    ids = [embedded, *(each.build().id for each in indexes)]
    yield SimpleNamespace(
        database=database,
        indexes=indexes[1],
        ids=ids,
        said=said,
        remote=MilvusConnection(database.address),
        books=twins.books,
    )
    database.stop()


def collection(id):
    return f"regula_{id.replace('-', '_')}"


def ask(client, question=QUESTIONS[0]):
    return client.post("/v1/ask", json={"question": question, "k": 3, "fields": "evidence"})


def texts_found(index):
    """The texts of the passages that are found."""
    return [hit.passage.text for hit in index.search(Query(QUESTIONS[0])).hits]


def test_it_answers_what_the_embedded_index_answers(stored):
    embedded, elsewhere = (stored.indexes.open(id) for id in stored.ids[:2])
    assert (embedded.waits, elsewhere.waits) == (False, True)
    for question in QUESTIONS:
        wanted, found = embedded.search(Query(question)), elsewhere.search(Query(question))
        assert [h.passage.id for h in found.hits] == [h.passage.id for h in wanted.hits]
        assert found.confidence == pytest.approx(wanted.confidence, abs=1e-3)


def test_the_alias_goes_with_what_is_published_and_each_index_asks_its_own_collection(stored):
    first, second = stored.ids[1:]
    assert stored.remote.published() == collection(second)
    old, new = stored.indexes.open(first), stored.indexes.load()
    stored.indexes.rollback(first)
    assert stored.remote.published() == collection(first)
    assert [texts_found(i) for i in (old, new)] == [
        texts_found(stored.indexes.open(id)) for id in (first, second)
    ]
    assert texts_found(old) != texts_found(new)
    stored.indexes.rollback(second)
    assert stored.remote.published() == collection(second)


def test_the_manifest_says_where_the_passages_are_and_never_what_lets_in(stored):
    manifest = stored.indexes.snapshots.manifest(stored.ids[2])
    assert manifest["store"] == {
        "address": stored.database.address,
        "collection": collection(stored.ids[2]),
    }
    assert "store" not in stored.indexes.snapshots.manifest(stored.ids[0])
    assert "hidden" not in repr(
        Locations(stored.books[0], stored.books[0], False, store_token="hidden")
    )


def test_while_the_store_does_not_answer_callers_are_told_when_to_come_back_and_then_answered(
    stored, monkeypatch
):
    monkeypatch.setattr(
        milvus, "FOUND", 5
    )  # so small a rulebook is looked at whole, and kept ready
    stored.indexes.load()
    client = create_app(stored.indexes, load({"answers_kept": 0})).test_client()
    assert ask(client).status_code == 200
    stored.database.stop()
    try:
        began = time.monotonic()
        for _ in range(3):
            response = ask(client)
            assert response.status_code == 503
            assert response.headers["Content-Type"] == "application/problem+json"
            assert int(response.headers["Retry-After"]) > 0
            assert response.json["type"] == "urn:regula:problem:not-ready"
            assert "127.0.0.1" not in response.text
        assert time.monotonic() - began < 15
        page = client.get("/", query_string={"q": QUESTIONS[0]})
        assert page.status_code == 503
        assert "still being read" not in page.text
        assert client.get("/v1/editions").status_code == 200  # what needs no search goes on
        with pytest.raises(StoreUnreachable, match="does not answer"):
            IndexManager(
                Locations(
                    stored.books[1],
                    stored.indexes.snapshots.folder,
                    False,
                    store=stored.database.address,
                )
            ).ready()
        assert stored.indexes.current() is not None
    finally:
        stored.database.start()
    end = time.monotonic() + 120
    while ask(client).status_code != 200:
        assert time.monotonic() < end
        time.sleep(0.2)


def test_processes_that_were_forked_answer_by_connections_of_their_own(stored, tmp_path):
    log = tmp_path / "log"
    said = {"store": stored.database.address, "rate_limit": "none", "workers": 2, "answers_kept": 0}
    with serving(stored.books[1], stored.indexes.snapshots.folder, log, **said) as served:
        for number in range(24):
            body = json.dumps({"question": QUESTIONS[number % len(QUESTIONS)]}).encode()
            call = urllib.request.Request(
                f"{served.address}/v1/ask", body, {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(call, timeout=60) as response:
                assert response.headers["X-Regula-Index"] == stored.ids[2]
    assert '"level": "ERROR"' not in log.read_text()


def test_no_connection_is_kept_while_rulebooks_are_read_and_an_encoder_trained(
    stored, tmp_path, monkeypatch
):
    """Which takes minutes, and Milvus Lite ends what is idle for one."""
    connections = []

    class Client(pymilvus.MilvusClient):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            connections.append(self)

        def close(self):
            connections.remove(self)
            super().close()

    def read_folder(folder, **_):
        open_then.append(len(connections))
        raise NothingToRead("enough")

    open_then: list[Any] = []
    monkeypatch.setattr(pymilvus, "MilvusClient", Client)
    monkeypatch.setattr(building, "read_folder", read_folder)
    with pytest.raises(NothingToRead, match="enough"):
        IndexManager(
            Locations(stored.books[0], tmp_path / "index", False, store=stored.database.address)
        ).build()
    assert open_then == [0]


def test_a_build_says_at_once_that_nobody_answers_and_the_published_index_stays(twins, tmp_path):
    unreachable = IndexManager(
        Locations(twins.books[0], tmp_path / "index", False, store="milvus://127.0.0.1:9")
    )
    with pytest.raises(StoreUnreachable, match=r"127\.0\.0\.1:9 does not answer"):
        unreachable.build()
    with pytest.raises(NoIndex, match="does not answer"):
        unreachable.ready()
    published = publish_copy(unreachable.snapshots, twins.built[0])
    assert unreachable.ready().id == published


def regula(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code, *capsys.readouterr()


def test_the_setting_is_checked_and_a_file_is_no_store_for_several_processes(
    tmp_path, monkeypatch, capsys
):
    assert locations(load({"store": str(tmp_path / "x.db")})).store == str(tmp_path / "x.db")
    assert locations(load({"store_token": "me:secret"})).store_token == "me:secret"
    monkeypatch.setenv("REGULA_STORE", str(tmp_path / "x.db"))
    status, _, told = regula(capsys, "serve", "--production")
    assert status == 2
    assert "one process at a time" in told
    monkeypatch.setenv("REGULA_STORE", "redis://host")
    status, _, told = regula(capsys, "settings")
    assert status == 2
    assert "write milvus://" in told


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_lets_in_is_never_shown(monkeypatch, capsys, form):
    monkeypatch.setenv("REGULA_STORE_TOKEN", "me:secret")
    told = "".join(map(str, regula(capsys, "settings", *form)))
    assert "store_token" in told
    assert "secret" not in told


def test_without_the_client_library_it_is_told_what_to_install(tmp_path):
    imported = "from index.store.milvus import MilvusConnection"
    code = (
        "import sys; sys.modules['pymilvus'] = "
        f"None\n{imported}\nMilvusConnection(sys.argv[1]).has('x')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "milvus://127.0.0.1:9"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "pip install 'regula[milvus]'" in ran.stderr.splitlines()[-1]
