import threading

from index.building.encoding_note import FILE, note_unencoded
from index.files.durable import held_elsewhere, locked
from service.core.snapshot import Snapshot
from service.ops.background import encode_while
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library


def test_of_several_processes_one_encodes_and_another_takes_over_where_it_ends(tmp_path):
    looked, encoded = threading.Event(), threading.Event()

    def elsewhere():
        found = held_elsewhere(tmp_path / FILE)
        if found:
            looked.set()
        return found

    with locked(tmp_path / FILE):
        over = encode_while(
            lambda: 1, lambda: True, elsewhere, lambda: encoded.set(), 0.01, lambda line: None
        )
        assert looked.wait(30)
        assert not encoded.is_set()
    assert encoded.wait(30)
    over.set()
    assert not held_elsewhere(tmp_path / "nothing")


def test_readiness_and_pages_say_how_many_texts_are_left(tmp_path):
    harbour = Harbour(library())
    served = Snapshot(harbour.index, tmp_path / "index-1", unencoded=3192)
    client = create_app(Indexes(served)).test_client()
    assert client.get("/readyz").json["unencoded"] == 3192
    note_unencoded(tmp_path, "index-1", 1362)
    assert client.get("/readyz").json["unencoded"] == 1362
    state = client.get("/state", headers={"Accept-Language": "de"}).text
    assert "1.362 Texte fehlen" in state
    note_unencoded(tmp_path, "index-2", 5)
    assert client.get("/readyz").json["unencoded"] == 3192, "that is of another index"
    served = Snapshot(harbour.index, tmp_path / "index-2")
    client = create_app(Indexes(served)).test_client()
    assert client.get("/readyz").json["unencoded"] == 0
    assert "Texte fehlen" not in client.get("/state", headers={"Accept-Language": "de"}).text
