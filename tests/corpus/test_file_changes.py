import os
import shutil
import stat
from itertools import count
from threading import Thread

import pytest

from corpus.file_changes import ChangeScope, FileInUse, UnfinishedChange, held
from tests.tasks import ended, forked, killed_at

LOCKS = {".lock", ".appending"}


def content(folder, hidden=False):
    """The text of every file in ``folder`` by its name; those in hidden places if ``hidden``, but
    locks, else the others.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if (
            path.is_file()
            and path.name not in LOCKS
            and hidden == any(part[0] == "." for part in name.split("/"))
        ):
            found[name] = path.read_text()
    return found


def fill(home):
    """A folder with a file to replace, one to remove, and two folders to replace."""
    for name in ("a/replaced", "a/removed", "cards/game/one", "cards/game/two", "other/there"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("old")


def several(home):
    """Work that does everything that a change can."""

    def work():
        with ChangeScope.of_workspace(home).changing() as changes:
            shutil.rmtree(home / ".made", ignore_errors=True)
            for name in ("game/three", "other/new"):
                (home / ".made" / name).parent.mkdir(parents=True)
                (home / ".made" / name).write_text("new")
            changes.write(home / "a" / "replaced", b"new")
            changes.write(home / "b" / "deep" / "new", b"new")
            changes.write(home / "b" / "beside", b"new")
            changes.remove(home / "a" / "removed")
            changes.move(
                home / ".made" / "game",
                home / "cards" / "game",
                kept=home / "cards" / ".game.before",
            )
            changes.move(home / ".made" / "other", home / "other")

    return work


def single(home):
    """Work that replaces one file."""

    def work():
        with ChangeScope.of_workspace(home).changing() as changes:
            changes.write(home / "a" / "replaced", b"new")

    return work


def removing(home):
    """Work that removes a folder."""

    def work():
        with ChangeScope.of_workspace(home).changing() as changes:
            changes.remove(home / "cards" / "game")

    return work


@pytest.mark.parametrize("kind", [several, single, removing])
def test_whenever_a_process_is_killed_all_of_a_change_is_there_or_nothing(kind, tmp_path):
    fill(tmp_path / "before")
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    kind(tmp_path / "after")()
    before, after = content(tmp_path / "before"), content(tmp_path / "after")
    assert before != after
    found = []
    for step in count():
        home = tmp_path / str(step)
        shutil.copytree(tmp_path / "before", home)
        killed = killed_at(step, home, kind(home))
        left = content(home, hidden=True)
        ChangeScope.of_workspace(home).finish()
        assert content(home) in (before, after), step
        assert len(left) <= 10
        if content(home) == before:
            kind(home)()
        with ChangeScope.of_workspace(home).changing():  # removes what is left
            assert content(home) == after
        assert (
            set(content(home, hidden=True)) - {"cards/.game.before/one", "cards/.game.before/two"}
            == set()
        )
        if not killed:
            break
        found.append(content(home) == before)
    assert len(found) > 4


@pytest.mark.acceptance
def test_what_is_finished_may_be_interrupted_again(tmp_path):
    fill(tmp_path / "before")
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    several(tmp_path / "after")()
    after, begun = content(tmp_path / "after"), 0
    for step in count():
        home = tmp_path / f"{step}"
        shutil.copytree(tmp_path / "before", home)
        if not killed_at(step, home, several(home)):
            break
        if (
            "committed" not in (home / ".unfinished").read_text()
            if (home / ".unfinished").exists()
            else True
        ):
            continue
        begun += 1
        for again in count():
            copy = tmp_path / f"{step}-{again}"
            shutil.copytree(home, copy)
            killed = killed_at(again, copy, ChangeScope.of_workspace(copy).finish)
            ChangeScope.of_workspace(copy).finish()
            assert content(copy) == after, (step, again)
            assert not (copy / ".unfinished").exists()
            if not killed:
                break
    assert begun > 5


def test_of_many_changes_at_once_none_is_lost(tmp_path):
    def add(number):
        def work():
            for turn in range(10):
                with ChangeScope.of_workspace(tmp_path).changing() as changes:
                    file = tmp_path / f"{turn % 2}"
                    before = file.read_text() if file.exists() else ""
                    changes.write(file, f"{before}{number}-{turn}\n".encode())

        return work

    children = [forked(add(number)) for number in range(12)]
    assert [ended(child) for child in children] == [0] * 12
    lines = [line for file in ("0", "1") for line in (tmp_path / file).read_text().splitlines()]
    assert sorted(lines) == sorted(f"{number}-{turn}" for number in range(12) for turn in range(10))
    assert content(tmp_path, hidden=True) == {}


def test_where_something_is_raised_nothing_is_changed(tmp_path):
    fill(tmp_path)
    before = content(tmp_path)

    def refuse(_):
        raise ValueError

    def fail(changes):
        changes.write(tmp_path / "new" / "file", b"x")
        changes.remove(tmp_path / "a" / "removed")
        changes.write(tmp_path / "a" / "replaced", b"new", refuse)

    with pytest.raises(ValueError), ChangeScope.of_workspace(tmp_path).changing() as changes:
        fail(changes)
    assert (content(tmp_path), content(tmp_path, hidden=True)) == (before, {})
    with pytest.raises(IsADirectoryError), ChangeScope.of_workspace(tmp_path).changing() as changes:
        changes.write(tmp_path / "a", b"x")
    assert (content(tmp_path), content(tmp_path, hidden=True)) == (before, {})


@pytest.mark.parametrize("turn", range(4))
def test_where_something_cannot_be_put_in_place_all_is_as_it_was_or_is_finished_later(
    tmp_path, monkeypatch, turn
):
    fill(tmp_path)
    before = content(tmp_path)
    turns, whole = count(), os.replace

    def refuse(source, target):
        if next(turns) == turn:
            raise OSError(16, "Device or resource busy", str(target))
        whole(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(OSError) as fault:
            several(tmp_path)()
    if turn == 0:
        assert not isinstance(fault.value, UnfinishedChange)
        assert (
            content(tmp_path),
            {name for name in content(tmp_path, hidden=True) if ".made" not in name},
        ) == (before, set())
    else:
        assert isinstance(fault.value, UnfinishedChange)
        assert "run any command" in str(fault.value)
        ChangeScope.of_workspace(tmp_path).finish()
        assert "a/removed" not in content(tmp_path)
        assert {
            content(tmp_path)[name]
            for name in ("a/replaced", "b/beside", "cards/game/three", "other/new")
        } == {"new"}


def test_folders_that_cannot_be_replaced_are_put_back(tmp_path, monkeypatch):
    fill(tmp_path)
    before = content(tmp_path)
    (tmp_path / ".made" / "other").mkdir(parents=True)
    (tmp_path / ".made" / "other" / "new").write_text("new")
    turns, whole = count(), os.rename

    def refuse(source, target):
        if next(turns) == 1:
            raise OSError(16, "Device or resource busy", str(source))
        whole(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OSError, match="busy"):
        _switch(tmp_path)
    assert content(tmp_path) == before
    assert set(content(tmp_path, hidden=True)) == {".made/other/new"}


def test_owner_and_permissions_stay_and_a_link_stays_one(tmp_path):
    file, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    file.parent.mkdir()
    file.write_text("old")
    file.chmod(0o640)
    if os.getuid() == 0:
        os.chown(file, 12345, 54321)
    link.symlink_to(file)
    before = file.stat()
    with ChangeScope.of_workspace(tmp_path).changing() as changes:
        changes.write(link, b"new")
    after = file.stat()
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (
        before.st_uid,
        before.st_gid,
        0o640,
    )


def test_who_waits_too_long_is_told_and_who_appends_waits_only_for_a_switch(tmp_path):
    scope = ChangeScope.of_workspace(tmp_path)
    with held(scope.lock):
        with pytest.raises(FileInUse, match="another process"), scope.changing(patience=0.1):
            pass
        with scope.appending(0.1):
            pass
    fill(tmp_path)
    (tmp_path / ".made" / "other").mkdir(parents=True)
    switching = Thread(target=_switch, args=(tmp_path,))
    with scope.appending():
        switching.start()
        switching.join(0.3)
        assert (tmp_path / ".made" / "other").is_dir(), "nothing is switched while somebody appends"
        assert (tmp_path / "cards").is_dir()
    switching.join(30)
    assert not (tmp_path / ".made" / "other").exists()
    assert not (tmp_path / "cards").exists()


def test_whoever_made_the_lock_others_can_hold_it(tmp_path):
    before = os.umask(0o077)
    try:
        with held(tmp_path / ".lock"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / ".lock").stat().st_mode) == 0o644


def _switch(home):
    with ChangeScope.of_workspace(home).changing(switches=True) as changes:
        changes.move(home / ".made" / "other", home / "other", kept=home / ".other.before")
        changes.remove(home / "cards")
