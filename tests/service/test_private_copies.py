import shutil

import pytest

import index.files.durable
import service.ops.indexes
from index.building.snapshots import Damaged, Snapshots
from index.files.durable import private_copy
from service.ops.indexes import NoIndex
from service.web.app import create_app
from tests.index.small_indexes import QUESTIONS, found, indexes, publish_copy

pytestmark = pytest.mark.acceptance


@pytest.fixture
def said():
    return []


@pytest.fixture
def served(twins, tmp_path, said):
    return indexes(twins.books[0], tmp_path / "index", said.append, private=True)


@pytest.fixture
def no_room(monkeypatch):
    """No folder has room for a copy, until `there_is_room`."""
    monkeypatch.setattr(index.files.durable, "_SPARE", 10**9)
    monkeypatch.setattr(service.ops.indexes, "RETRY_SECONDS", 0.0)


def there_is_room(monkeypatch):
    monkeypatch.setattr(index.files.durable, "_SPARE", 2)


def mapped(place):
    return [
        line.split(maxsplit=5)[5]
        for line in open("/proc/self/maps")
        if str(place) in line and "(deleted)" not in line
    ]


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path):
    with path.open("r+b") as file:
        file.truncate(100)


def test_nothing_on_the_disk_leads_to_what_answers(twins, served):
    publish_copy(served.snapshots, twins.built[0])
    served.load()
    assert mapped(served.snapshots.folder) == []
    assert sorted(p.name for p in served.snapshots.folder.iterdir()) == [
        ".lock",
        served.current().id,
        "current",
    ]
    for path in served.snapshots.path(served.current().id).rglob("*"):
        if path.is_file():
            truncate(path)
    assert found(served.current()) == found(twins.indexes[0].load())


def test_the_rulebooks_are_read_again_only_from_whole_documents(twins, served):
    id = publish_copy(served.snapshots, twins.built[0])
    served.load()
    (book,) = served.current().rulebooks()
    for path in (
        next((served.snapshots.path(id) / "documents").iterdir()),
        served.snapshots.path(id) / "library.json",
    ):
        whole = path.read_bytes()
        flip(path)
        with pytest.raises(Damaged, match=path.name):
            served.current().rulebooks()
        path.write_bytes(whole)
    assert served.current().rulebooks() == [book]


def test_copies_of_processes_that_were_killed_go_and_those_of_living_ones_stay(
    twins, served, tmp_path
):
    publish_copy(served.snapshots, twins.built[0])
    left = served.snapshots.folder / ".regula-serving-left"
    left.mkdir()
    (left / "data").write_text("x")
    (tmp_path / "data").write_text("x")
    with private_copy(tmp_path, ["data"], [served.snapshots.folder]) as living:
        served.ready()
        assert not left.exists()
        assert (living / "data").read_text() == "x"
    assert not living.exists()


def test_without_room_it_serves_from_the_folder_says_so_once_and_moves_to_a_copy_when_there_is(
    twins, served, said, no_room, monkeypatch
):
    id = publish_copy(served.snapshots, twins.built[0])
    served.load()
    assert mapped(served.snapshots.path(id))
    assert [id in line and "no room" in line for line in said] == [True]
    for _ in range(3):
        assert not served.recover()
    assert len(said) == 1
    there_is_room(monkeypatch)
    assert served.recover()
    assert "private copy" in said[-1]
    truncate(served.snapshots.path(id) / "vectors" / "passages.npy")
    assert not served.recover()
    assert found(served.current()) == found(twins.indexes[0].load())


@pytest.mark.parametrize("harm", [flip, truncate])
def test_without_a_copy_an_index_that_is_altered_is_left_for_another_or_for_none(
    twins, served, said, no_room, harm
):
    old, new = (publish_copy(served.snapshots, twins.built[0]) for _ in range(2))
    served.load()
    client = create_app(served).test_client()
    harm(served.snapshots.path(new) / "vectors" / "passages.npy")
    assert served.recover()
    assert served.current().id == old
    assert any(new in line and "passages.npy" in line for line in said)
    harm(served.snapshots.path(old) / "library" / "passage.jsonl")
    assert served.recover()
    assert served.current() is None
    assert client.post("/v1/ask", json={"question": QUESTIONS[0]}).status_code == 503
    lines = len(said)
    assert not served.recover()
    assert len(said) == lines
    shutil.copyfile(
        twins.built[0] / "library" / "passage.jsonl",
        served.snapshots.path(old) / "library" / "passage.jsonl",
    )
    assert served.recover()
    assert client.post("/v1/ask", json={"question": QUESTIONS[0]}).headers["X-Regula-Index"] == old


def test_without_a_copy_an_index_that_is_only_touched_or_removed_goes_on_serving(
    twins, served, said, no_room
):
    id = publish_copy(served.snapshots, twins.built[0])
    served.load()
    (served.snapshots.path(id) / "vectors" / "passages.npy").touch()
    assert not served.recover()
    shutil.rmtree(served.snapshots.path(id))
    assert not served.recover()
    assert found(served.current()) == found(twins.indexes[0].load())
    assert len(said) == 1


def test_a_running_service_keeps_its_index_when_current_is_damaged(twins, served, said):
    old, _ = (
        publish_copy(served.snapshots, twins.built[0]),
        publish_copy(served.snapshots, twins.built[1]),
    )
    served.rollback(old)
    served.load()
    current = served.snapshots.folder / "current"
    for content in (b"\xff", b"", b"nothing\n"):
        current.write_bytes(content)
        assert not served.refresh()
        assert served.current().id == old
    current.unlink()
    assert not served.refresh()
    assert served.current().id == old
    assert all(str(current) in line for line in said)
    assert served.rollback(old) == old
    assert not served.refresh()


@pytest.mark.parametrize("content", [b"\xff", b"", b"20000101T000000-00000000\n"])
def test_a_damaged_current_is_no_reason_to_build_where_an_index_fits(twins, served, said, content):
    here = Snapshots(served.snapshots.folder)
    shutil.copytree(twins.built[0], here.path(twins.built[0].name))
    (here.folder / "current").write_bytes(content)

    def build(wait):
        raise AssertionError("no index has to be built")

    assert served.ready(build).id == twins.built[0].name
    assert str(here.folder / "current") in said[0]
    assert here.current() == twins.built[0].name


def test_where_the_only_index_is_damaged_and_none_can_be_built_it_says_why(twins, served):
    bad = publish_copy(served.snapshots, twins.built[0])
    flip(served.snapshots.path(bad) / "vectors" / "passages.npy")

    def build(wait):
        raise OSError("the disk is full")

    with pytest.raises(NoIndex, match="the disk is full"):
        served.ready(build)
