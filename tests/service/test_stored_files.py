import errno
import logging
import os
from multiprocessing import get_context
from pathlib import Path

import pytest

from service.core.jobs import stored_files as store
from service.core.jobs.stored_files import FOLDER, render_once

NAME = ("comparison", "one", "other", "csv", "")


@pytest.fixture
def snapshot(tmp_path) -> Path:
    return published(tmp_path, "20310517-1")


def published(folder, id):
    (folder / id).mkdir()
    (folder / id / "manifest.json").write_text("{}")
    return folder / id


def made(path, content=b"rendered"):
    """What renders ``content`` and notes it in ``path``."""

    def make():
        with path.open("a") as file:
            file.write("x")
        return content

    return make


def ask(snapshot, path):
    return render_once(snapshot, NAME, made(path, os.urandom(100_000)))


def stored(snapshot):
    return sorted(
        path for path in (snapshot.parent / FOLDER / snapshot.name).glob("*") if path.stat().st_size
    )


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_is_rendered_once_for_all_processes(snapshot, tmp_path):
    with get_context("spawn").Pool(3) as pool:
        found = pool.starmap(ask, [(snapshot, tmp_path / "made")] * 6, chunksize=1)
    assert len(set(found)) == 1
    assert (tmp_path / "made").read_text() == "x"
    assert render_once(snapshot, NAME, lambda: pytest.fail("rendered again")) == found[0]


def test_every_name_and_every_snapshot_has_a_file_of_its_own(snapshot, tmp_path):
    other = published(tmp_path, "20310517-2")
    names = [NAME, (*NAME[:-1], "de"), ("terms", "one", "csv")]
    contents = {
        (place, name): f"{place.name} {name}".encode()
        for place in (snapshot, other)
        for name in names
    }
    for _ in range(2):
        for (place, name), content in contents.items():
            assert render_once(place, name, made(tmp_path / "made", content)) == content
    assert len((tmp_path / "made").read_text()) == len(contents)


@pytest.mark.parametrize(
    "hurt", ["truncated", "emptied", "flipped", "removed", "exchanged", "a folder"]
)
def test_a_damaged_file_is_rendered_anew(snapshot, tmp_path, hurt):
    render_once(snapshot, NAME, made(tmp_path / "made"))
    (path,) = stored(snapshot)
    whole = path.read_bytes()
    if hurt == "truncated":
        path.write_bytes(whole[:-1])
    elif hurt == "emptied":
        path.write_bytes(b"")
    elif hurt == "flipped":
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    elif hurt == "exchanged":
        render_once(snapshot, ("another",), lambda: b"another")
        (other,) = set(stored(snapshot)) - {path}
        os.replace(other, path)
    else:
        path.unlink()
        if hurt == "a folder":
            path.mkdir()
    assert render_once(snapshot, NAME, made(tmp_path / "made")) == b"rendered"
    assert (tmp_path / "made").read_text() == "xx"
    if hurt != "a folder":
        assert render_once(snapshot, NAME, lambda: pytest.fail("rendered again")) == b"rendered"


def test_another_program_renders_anew(snapshot, monkeypatch):
    render_once(snapshot, NAME, lambda: b"old")
    monkeypatch.setattr(store, "program_hash", lambda *_, **__: "another")
    assert render_once(snapshot, NAME, lambda: b"new") == b"new"


def test_the_oldest_files_go_and_those_of_snapshots_that_are_gone(snapshot, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "ROOM", 2_500)
    for number in range(4):
        render_once(snapshot, (str(number),), lambda: bytes(1_000))
        (path,) = (each for each in stored(snapshot) if each.stat().st_mtime > 1_000)
        os.utime(path, (number, number))
    assert [
        path.stat().st_mtime
        for path in sorted(stored(snapshot), key=lambda path: path.stat().st_mtime)
    ] == [2, 3]
    (snapshot / "manifest.json").unlink()
    render_once(published(tmp_path, "20310517-2"), NAME, lambda: b"x")
    assert not (tmp_path / FOLDER / snapshot.name).exists()


def test_where_nothing_can_be_stored_it_is_said_once_and_all_is_rendered(
    snapshot, tmp_path, monkeypatch, caplog
):
    caplog.set_level(logging.INFO, "service.core.jobs.stored_files")
    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        for _ in range(3):
            assert render_once(snapshot, NAME, made(tmp_path / "made")) == b"rendered"
    assert (tmp_path / "made").read_text() == "xxx"
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        f"rendered files cannot be stored in {tmp_path} (No space left on device); they are "
        f"rendered when asked for"
    ]
    assert render_once(snapshot, NAME, made(tmp_path / "made")) == b"rendered"
    assert render_once(snapshot, NAME, lambda: pytest.fail("rendered again")) == b"rendered"
    assert caplog.records[-1].message == f"rendered files are stored in {tmp_path} again"


def test_what_fails_leaves_nothing_and_is_tried_again(snapshot):
    with pytest.raises(ZeroDivisionError):
        render_once(snapshot, NAME, lambda: bytes(1 // 0))
    assert stored(snapshot) == []
    assert render_once(snapshot, NAME, lambda: b"rendered") == b"rendered"
