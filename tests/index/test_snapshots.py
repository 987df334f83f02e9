"""Publishing: what serves is always whole, and the last good index outlives a failed build."""

from __future__ import annotations

import json

import pytest

from index.snapshots import KEPT, Busy, Damaged, Snapshots, file_digest


def publish(snapshots: Snapshots, id: str, content: str = "x") -> None:
    with snapshots.building() as place:
        (place / "data").write_text(content)
        (place / "manifest.json").write_text(json.dumps({"files": {"data": file_digest(place / "data")}}))
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


def test_what_a_killed_build_left_does_not_get_into_the_next(tmp_path):
    (tmp_path / ".building").mkdir()
    (tmp_path / ".building" / "stale").write_text("old")
    with Snapshots(tmp_path).building() as place:
        assert list(place.iterdir()) == []


def test_old_snapshots_are_kept_up_to_a_number_and_then_removed(tmp_path):
    snapshots = Snapshots(tmp_path)
    for id in "1234567":
        publish(snapshots, id)
    assert snapshots.all() == list("7654321"[:KEPT])


@pytest.mark.parametrize("harm", ["change", "remove"])
def test_a_damaged_snapshot_is_noticed(tmp_path, harm):
    snapshots = Snapshots(tmp_path)
    publish(snapshots, "1")
    data = snapshots.path("1") / "data"
    data.write_text("y") if harm == "change" else data.unlink()
    with pytest.raises(Damaged, match="data"):
        snapshots.verify("1")


def test_two_builds_at_once_are_refused_with_a_clear_word(tmp_path):
    snapshots = Snapshots(tmp_path)
    with snapshots.building(), pytest.raises(Busy, match="another build"), Snapshots(tmp_path).building():
        pass
