import errno
import json
import os
import shutil
import signal
import threading
import time
from itertools import count
from typing import Any

import pytest

import index.building.snapshots
from index.building.collection_ledger import Collection, CollectionLedger
from index.building.snapshots import (
    SNAPSHOTS_KEPT,
    Busy,
    Damaged,
    NotWritable,
    Pointer,
    Snapshots,
    file_digest,
)
from tests.timing import until


def publish(snapshots, id, content="x", **said):
    with snapshots.building() as place:
        (place / "data").write_text(content)
        (place / "manifest.json").write_text(
            json.dumps({"files": {"data": file_digest(place / "data")}, **said})
        )
        snapshots.publish(place, id)


def test_the_published_snapshot_is_the_last_one_built(tmp_path):
    snapshots = Snapshots(tmp_path)
    assert snapshots.current() is None
    publish(snapshots, "1")
    publish(snapshots, "2")
    assert snapshots.current() == "2"
    snapshots.verify("2")


def test_a_build_that_fails_leaves_the_old_snapshot_serving_and_nothing_behind(tmp_path):
    snapshots = Snapshots(tmp_path)
    publish(snapshots, "1")

    def fail():
        with snapshots.building() as place:
            (place / "data").write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()
    assert snapshots.current() == "1"
    snapshots.verify("1")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lock", "1", "current"]


def test_what_builders_that_were_killed_left_goes_when_the_service_starts(tmp_path):
    snapshots = Snapshots(tmp_path)
    for id in "1234":
        publish(snapshots, id)
    (tmp_path / ".building").mkdir()
    (tmp_path / ".removing-0").mkdir()
    (tmp_path / ".removing-0" / "data").write_text("old")
    (tmp_path / ".current").write_text("half")
    shutil.copytree(
        snapshots.path("4"), tmp_path / "5"
    )  # whole, but its builder was killed before it was published
    (tmp_path / "mine").mkdir()
    snapshots.tidy()
    assert snapshots.current() == "4"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lock", "3", "4", "5", "current", "mine"]


TURNS = {"sync_tree": 1, "write_synced": 1, "replace_synced": 3}
STEPS = [
    (name, turn, after)
    for name, turns in TURNS.items()
    for turn in range(turns)
    for after in (False, True)
]


@pytest.mark.parametrize(("name", "turn", "after"), STEPS)
def test_publishing_may_be_killed_before_and_after_each_of_its_steps(
    tmp_path, monkeypatch, name, turn, after
):
    snapshots = Snapshots(tmp_path)
    for id in "123":
        publish(snapshots, id)
    step, turns = getattr(index.building.snapshots, name), count()

    def killed(*arguments):
        due = next(turns) == turn
        if due and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        step(*arguments)
        if due:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(index.building.snapshots, name, killed)
        publish(snapshots, "4")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    published = name == "replace_synced" and (turn, after) >= (1, True)
    assert snapshots.current() == ("4" if published else "3")
    for id in snapshots.all():
        snapshots.verify(id)
    for _ in range(3):
        with snapshots.building():
            assert len(snapshots.all()) <= SNAPSHOTS_KEPT
    assert snapshots.current() == ("4" if published else "3")
    publish(snapshots, "5")
    assert len(snapshots.all()) == SNAPSHOTS_KEPT
    assert not [
        p for p in tmp_path.iterdir() if p.name not in (*snapshots.all(), ".lock", "current")
    ]


def test_nothing_is_tidied_under_the_hands_of_a_builder(tmp_path):
    with Snapshots(tmp_path).building() as place:
        Snapshots(tmp_path).tidy()
        assert place.is_dir()


def test_as_many_are_kept_as_was_asked_for_and_the_one_before_is_among_them(tmp_path):
    snapshots = Snapshots(tmp_path, keep=2)
    for id in "123":
        publish(snapshots, id)
    assert snapshots.all() == ["3", "2"]
    snapshots.pin("2")
    publish(snapshots, "4")
    assert snapshots.all() == ["4", "2"]
    assert snapshots.rollback_candidates() == ["2"]


def test_a_pinned_snapshot_is_told_from_a_published_one(tmp_path):
    snapshots = Snapshots(tmp_path)
    publish(snapshots, "1")
    publish(snapshots, "2")
    stamp = snapshots.stamp()
    snapshots.pin("1")
    assert snapshots.pointer() == Pointer("1", pinned=True)
    assert snapshots.stamp() != stamp
    publish(snapshots, "3")
    assert snapshots.pointer() == Pointer("3", after="1")


def test_a_folder_whose_files_are_not_those_of_its_manifest_is_not_published(tmp_path):
    snapshots = Snapshots(tmp_path)
    publish(snapshots, "1")
    with snapshots.building() as place:
        (place / "data").write_text("x")
        (place / "manifest.json").write_text(json.dumps({"files": {"data": "0" * 64}}))
        with pytest.raises(Damaged, match="data"):
            snapshots.publish(place, "2")
    assert snapshots.current() == "1"
    assert snapshots.all() == ["1"]


def test_whoever_may_read_the_folder_may_read_every_file_of_a_snapshot_and_nobody_writes_to_it(
    tmp_path,
):
    snapshots = Snapshots(tmp_path)
    with snapshots.building() as place:
        (place / "data").write_text("x")
        (place / "data").chmod(0o600)
        (place / "manifest.json").write_text(
            json.dumps({"files": {"data": file_digest(place / "data")}})
        )
        expected = (place / "manifest.json").stat().st_mode
        snapshots.publish(place, "1")
    assert (snapshots.path("1") / "data").stat().st_mode == expected & ~0o222


@pytest.mark.parametrize(
    ("fault", "full"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError("4096 requested and 512 written"), True),
        (RuntimeError("write error in passages.faiss: 10 != 20 (No space left on device)"), True),
        (RuntimeError("another thing"), False),
        (OSError(errno.ENOENT, "No such file or directory"), False),
    ],
)
def test_a_full_disk_is_told_in_the_same_words_whichever_library_met_it(tmp_path, fault, full):
    with (
        pytest.raises(
            NotWritable if full else type(fault), match="no room" if full else "another|No such"
        ),
        Snapshots(tmp_path).building(),
    ):
        raise fault


def test_two_builds_at_once_are_refused_with_a_clear_word(tmp_path):
    snapshots = Snapshots(tmp_path)
    with (
        snapshots.building(),
        pytest.raises(Busy, match="another build"),
        Snapshots(tmp_path).building(),
    ):
        pass


def test_a_builder_that_waits_begins_when_the_other_is_done(tmp_path):
    held = threading.Event()
    order: list[str] = []

    def first():
        with Snapshots(tmp_path).building():
            held.set()
            until(lambda: order)  # the other one waits
            time.sleep(0.1)
            order.append("first")

    other = threading.Thread(target=first)
    other.start()
    held.wait()
    with Snapshots(tmp_path).building(wait=20, waiting=lambda: order.append("waits")):
        order.append("second")
    other.join()
    assert order == ["waits", "first", "second"]


CURRENT = {
    "one bad byte": lambda path: path.write_bytes(b"\xff" + path.read_bytes()[1:]),
    "nothing": lambda path: path.write_bytes(b""),
    "other content": lambda path: path.write_text("?\n?\n?\n"),
    "an index that is not here": lambda path: path.write_text("0\n"),
    "an unknown state": lambda path: path.write_text("2\npinnee\n"),
    "a folder": lambda path: (path.unlink(), path.mkdir(), (path / "x").write_text("x")),
    "no file": lambda path: path.unlink(),
}


@pytest.mark.parametrize("harm", CURRENT)
def test_where_current_is_damaged_the_newest_index_counts_and_the_next_start_mends_it(
    tmp_path, harm
):
    said: list[str] = []
    snapshots = Snapshots(tmp_path, notify=said.append)
    publish(snapshots, "1")
    publish(snapshots, "2")
    CURRENT[harm](tmp_path / "current")
    assert [snapshots.current() for _ in range(2)] == ["2", "2"]
    assert [str(tmp_path / "current") in line for line in said] == [True]
    snapshots.tidy()
    pointer = Snapshots(tmp_path).pointer()
    assert pointer == Pointer("2")
    publish(snapshots, "3")
    assert snapshots.current() == "3"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lock", "1", "2", "3", "current"]


def test_a_ledger_that_cannot_be_read_is_told_and_written_anew(tmp_path):
    said: list[Any] = []
    snapshots = Snapshots(tmp_path)
    publish(snapshots, "1", store={"address": "milvus://127.0.0.1:9", "collection": "regula_1"})
    for content in (b"\xff", b"", b"{", b"7", b'[["one"]]'):
        (tmp_path / ".collections").write_bytes(content)
        assert CollectionLedger(snapshots).all() == [Collection("milvus://127.0.0.1:9", "regula_1")]
    CollectionLedger(snapshots).reconcile(said.append)
    assert str(tmp_path / ".collections") in said[0]
    assert CollectionLedger(snapshots).all() == [Collection("milvus://127.0.0.1:9", "regula_1")]
    assert json.loads((tmp_path / ".collections").read_text())
