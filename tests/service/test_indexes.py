import json
import shutil
import threading
import time
import weakref

import pytest

from index.building.snapshots import Busy, Damaged, file_digest
from service.cli import main
from service.ops.indexes import NoIndex, NoSuchIndex
from service.web.app import create_app
from service.web.request_context import current_snapshot
from tests.index.small_indexes import QUESTIONS, found, indexes, publish_copy
from tests.service.harbour import Harbour
from tests.service.harbour import Indexes as Given
from tests.timing import until


@pytest.fixture
def said():
    return []


@pytest.fixture
def served(twins, tmp_path, said):
    """Indexes in a folder of their own, without any snapshot yet."""
    return indexes(twins.books[0], tmp_path / "index", said.append)


def test_what_is_published_is_taken_up_and_the_old_index_is_let_go(twins, served):
    first = publish_copy(served.snapshots, twins.built[0])
    served.load()
    client = create_app(served).test_client()
    paths = [
        "/",
        "/state",
        "/about",
        "/v1/suggest?q=Kahn",
        "/v1/entries",
        "/v1/rulings?card=Henne",
        "/cards",
        "/browse",
    ]

    def ask():
        assert all(client.get(path).status_code < 500 for path in paths)
        return client.post("/v1/ask", json={"question": QUESTIONS[0], "fields": "evidence"}).json

    assert ask()["index"] == first
    assert not served.refresh()
    old = weakref.ref(served.current())
    library = weakref.ref(served.current().library)
    second = publish_copy(served.snapshots, twins.built[1])
    assert ask()["index"] == first
    over = served.watch(0.02)
    try:
        until(lambda: ask()["index"] == second)
        # What the page of the rulebooks' faults has begun to work out from the old index comes to
        # its end first.
        until(lambda: old() is None and library() is None)
    finally:
        over.set()


def test_an_index_answers_on_when_its_folder_is_gone(twins, served):
    publish_copy(served.snapshots, twins.built[0])
    index = served.load()
    client = create_app(served).test_client()
    shutil.rmtree(served.snapshots.path(index.id))
    assert found(index) == found(twins.indexes[0].load())
    for path in (
        "/",
        "/about",
        "/state",
        "/state/pegelduell-de-2.0",
        "/browse/pegelduell-de-2.0",
        "/v1/entries",
        "/readyz",
    ):
        assert client.get(path).status_code in (200, 404), path
    assert client.get("/about").status_code == 200


def test_a_request_under_way_keeps_what_belongs_to_its_own_index(harbour_library):
    given = Given(Harbour(harbour_library))
    app = create_app(given)

    def computed():
        snapshot = current_snapshot()
        return snapshot.cache.get(("name",), lambda: [snapshot.id])

    with app.app_context():
        old = computed()
        given.index = Harbour(harbour_library, id="index-2")
        with app.app_context():
            new = computed()
            assert new == ["index-2"]
        assert computed() is old
        with app.app_context():
            assert computed() is new


def _truncate(place):
    path = place / "library.json"
    path.write_bytes(path.read_bytes()[:-100])


def _flip(place):
    path = place / "encoder" / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _unreadable_manifest(place):
    (place / "manifest.json").write_text("{")


def _manifest(place, **fields):
    path = place / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def _sealed(place, name, content):
    """A file that is not what the program expects, although its hash is right."""
    (place / name).write_bytes(content)
    files = json.loads((place / "manifest.json").read_text())["files"]
    _manifest(place, files={**files, name: file_digest(place / name)})


def _other_probes(place):
    probes = json.loads((place / "manifest.json").read_text())["probes"]
    _manifest(place, probes=[{**p, "entry": "pegelduell-de-2.0/nothing"} for p in probes])


HARM = {
    "a file cut short": _truncate,
    "a single bit": _flip,
    "a missing file": lambda place: (place / "vectors" / "passages.npy").unlink(),
    "an unreadable manifest": _unreadable_manifest,
    "the manifest of another": lambda place: _manifest(place, id="20000101T000000-00000000"),
    "content that does not load": lambda place: _sealed(place, "vectors/passages.npy", b"?"),
    "other counts": lambda place: _manifest(
        place, counts={"editions": 1, "entries": 1, "passages": 1}
    ),
    "other answers": _other_probes,
}


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_index_is_noticed_and_the_last_good_one_serves(twins, served, said, harm):
    good = publish_copy(served.snapshots, twins.built[0])
    bad = publish_copy(served.snapshots, twins.built[0])
    HARM[harm](served.snapshots.path(bad))
    assert served.load().id == good
    assert any(bad in line for line in said)
    assert any(good in line and "serves instead" in line for line in said)
    with pytest.raises(Damaged, match=bad):
        served.rollback(bad)
    assert served.snapshots.current() == bad


def test_where_no_index_is_whole_it_says_so(twins, served):
    bad = publish_copy(served.snapshots, twins.built[0])
    _truncate(served.snapshots.path(bad))
    with pytest.raises(NoIndex, match="regula build"):
        served.load()


def test_a_watched_index_outlives_a_damaged_publication_that_is_told_once(twins, served, said):
    good = publish_copy(served.snapshots, twins.built[0])
    served.load()
    over = served.watch(0.02)
    try:
        with served.snapshots.building() as place:
            shutil.copytree(twins.built[1], place, dirs_exist_ok=True)
            _sealed(place, "vectors/passages.npy", b"?")
            _manifest(place, id="bad")
            served.snapshots.publish(place, "bad")
        until(lambda: said)
        time.sleep(0.3)
        assert len(said) == 1
        assert "bad" in said[0]
        assert served.current().id == good
        better = publish_copy(served.snapshots, twins.built[1])
        until(lambda: served.current().id == better)
    finally:
        over.set()


def test_a_rollback_serves_until_the_next_build_whatever_the_rulebooks_are(twins, served, said):
    old = publish_copy(served.snapshots, twins.built[1])  # of other rulebooks
    new = publish_copy(served.snapshots, twins.built[0])
    served.load()
    assert served.rollback() == old
    assert served.refresh()
    assert served.current().id == old
    assert served.ready().id == old
    assert any(old in line and "rolled back" in line for line in said)
    with pytest.raises(NoSuchIndex, match="no older index"):
        served.rollback()
    assert served.rollback(new) == new
    assert served.rollback() == old
    built = publish_copy(served.snapshots, twins.built[0])
    assert served.ready().id == built
    assert served.rollback() == old  # which served before, not what had been rolled back from
    with pytest.raises(NoSuchIndex, match=built):
        served.rollback("20000101T000000-00000000")


def test_a_rollback_passes_over_what_is_damaged(twins, served, said):
    oldest, older, newest = (publish_copy(served.snapshots, twins.built[0]) for _ in range(3))
    _truncate(served.snapshots.path(older))
    assert served.rollback() == oldest
    assert any(older in line for line in said)
    served.rollback(newest)
    with served.snapshots.locked(), pytest.raises(Busy, match="another build"):
        served.rollback()
    assert served.snapshots.current() == newest


@pytest.mark.parametrize("before", [False, True])
def test_a_build_that_waited_takes_what_the_other_one_published(twins, served, said, before):
    if before:
        publish_copy(served.snapshots, twins.built[1])
    held, outcome = threading.Event(), []

    def first():
        with served.snapshots.building() as place:
            held.set()
            until(lambda: any("waiting" in line for line in said))
            shutil.copytree(twins.built[0], place, dirs_exist_ok=True)
            served.snapshots.publish(place, twins.built[0].name)

    def second():  # who starts to serve without any index waits unasked
        outcome.append(served.build(wait=30).id if before else served.ready().id)

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    held.wait()
    threads[1].start()
    for thread in threads:
        thread.join()
    assert outcome == [twins.built[0].name]
    assert not any(line.startswith("reading") for line in said)


def regula(capsys, served, *arguments):
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--index", str(served.snapshots.folder)])
    return int(left.value.code or 0), *capsys.readouterr()


def test_the_kept_indexes_are_listed_with_their_state(twins, served, capsys):
    assert "no index yet" in regula(capsys, served, "indexes")[1]
    old, bad, new = (publish_copy(served.snapshots, twins.built[0]) for _ in range(3))
    served.rollback(old)
    _flip(served.snapshots.path(bad))
    status, out, _ = regula(capsys, served, "indexes", "--json")
    rows = json.loads(out)
    assert status == 0
    assert [row["id"] for row in rows] == [new, bad, old]
    assert [(row["current"], row["pinned"]) for row in rows] == [
        (False, False),
        (False, False),
        (True, True),
    ]
    assert {(row["editions"], row["passages"], row["encoder"], row["whole"]) for row in rows} == {
        (1, 233, "", None)
    }
    assert all(row["bytes"] > 30_000_000 for row in rows)
    status, out, _ = regula(capsys, served, "indexes", "--verify", "--json")
    assert status == 1
    assert [row["whole"] for row in json.loads(out)] == [True, False, True]
    assert "safetensors" in json.loads(out)[1]["fault"]
    assert regula(capsys, served, "rollback", new)[:2] == (0, f"{new}\n")
    assert regula(capsys, served, "rollback", "nothing")[0] == 2


def test_a_second_build_gives_up_in_a_line_at_once_or_after_waiting(twins, served, capsys):
    with served.snapshots.locked():
        for wait in ([], ["--wait", "0.3"]):
            begun = time.monotonic()
            status, _, err = regula(
                capsys, served, "build", *wait, "--rulebooks", str(twins.books[0])
            )
            assert status == 1
            assert "another build is under way" in err.splitlines()[-1]
            assert time.monotonic() - begun > (0.3 if wait else 0)
