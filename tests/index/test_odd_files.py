import os
import shutil
import socket
from pathlib import Path

import pytest

from corpus import read_folder
from index.building.fingerprints import combined, dependencies
from tests.conftest import SAMPLE


def _not_utf8(folder):
    with open(os.fsencode(folder) + b"/b\xfccher.txt", "w") as file:
        file.write("PEGELDUELL\n")


def _unreadable(folder):
    (folder / "x.txt").write_text("PEGELDUELL\n")
    (folder / "x.txt").chmod(0)


def _socket(folder):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(folder / "x.txt"))


def _outside(folder):
    (folder.parent / "secret.txt").write_text("PEGELDUELL\n")
    (folder / "x.txt").symlink_to("../secret.txt")


ODD = {
    "a name that is not UTF-8": (_not_utf8, r"b\xfccher.txt"),
    "a file that may not be read": (_unreadable, "x.txt"),
    "a link that leads nowhere": (lambda folder: (folder / "x.txt").symlink_to("nowhere"), "x.txt"),
    "a link that leads to itself": (lambda folder: (folder / "x.txt").symlink_to("x.txt"), "x.txt"),
    "a link that leads out of the folder": (_outside, "x.txt"),
    "a link to a folder outside": (lambda folder: (folder / "x").symlink_to("/"), "x"),
    "a pipe": (lambda folder: os.mkfifo(folder / "x.txt"), "x.txt"),
    "a socket": (_socket, "x.txt"),
    "a device": (lambda folder: (folder / "x.txt").symlink_to("/dev/zero"), "x.txt"),
    "a folder": (lambda folder: (folder / "x").mkdir(), "x"),
    "nothing": (lambda folder: (folder / "x.txt").write_bytes(b""), "x.txt"),
    "a binary file": (lambda folder: (folder / "x.txt").write_bytes(b"\0" * 100), "x.txt"),
}


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "rulebooks").mkdir()
    for name in ("pegelduell-faq-de-3.txt", "pegelwacht-de-online.txt"):  # which are read at once
        shutil.copy(SAMPLE / name, tmp_path / "rulebooks")
    return tmp_path / "rulebooks"


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_file_is_told_in_a_line_and_neither_read_nor_a_reason_to_build_anew(
    folder, odd, monkeypatch
):
    before, mark = read_folder(folder), combined(dependencies(folder))
    make, name = ODD[odd]
    make(folder)
    if odd == "a file that may not be read" and os.access(folder / "x.txt", os.R_OK):
        _refuse(monkeypatch)  # root may read everything
    after = read_folder(folder)
    assert [
        line.startswith(f"{name}: ") and len(line.splitlines()) == 1 for line in after.left_out
    ] == [True]
    assert after.rulebooks == before.rulebooks
    assert combined(dependencies(folder)) == mark


def _refuse(monkeypatch):
    read = Path.read_bytes

    def refused(path):
        if path.name == "x.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr("corpus.document.Path.read_bytes", refused)


def test_links_within_the_folder_are_followed_and_the_folder_may_be_one_itself(folder, tmp_path):
    mark, books = combined(dependencies(folder)), read_folder(folder).rulebooks
    (folder / ".data").mkdir()
    for path in [p for p in folder.iterdir() if p.is_file()]:
        path.rename(folder / ".data" / path.name)
        path.symlink_to(f".data/{path.name}")
    (tmp_path / "link").symlink_to(folder)
    for place in (folder, tmp_path / "link"):
        assert read_folder(place).rulebooks == books
        assert read_folder(place).left_out == ()
        assert combined(dependencies(place)) == mark


def test_a_document_that_changed_or_was_renamed_is_a_reason_to_build_anew(folder):
    marks = {combined(dependencies(folder))}
    path = next(p for p in folder.iterdir() if p.is_file())
    path.rename(folder / f"other-{path.name}")
    marks.add(combined(dependencies(folder)))
    (folder / f"other-{path.name}").write_text("PEGELDUELL\n")
    marks.add(combined(dependencies(folder)))
    assert len(marks) == 3
