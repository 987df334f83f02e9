import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import corpus.editions
import corpus.folder
from corpus import RulebookFolder, read, read_folder
from corpus.layouts import recognise
from corpus.workspace import VARIABLE
from index.building import reuse
from index.building.reuse import KeptReadings
from tests.conftest import SAMPLE

DESCRIBED = """
id: hafenkran-de-1.0
game: hafenkran
language: de
version: "1.0"
title: Hafenkran
layout: capitals
recognise: [HAFENKRAN REGELBUCH]
"""


@pytest.fixture
def books(tmp_path) -> Path:
    """A short rulebook of the sample, and two that no file describes."""
    folder = tmp_path / "books"
    folder.mkdir()
    shutil.copy(SAMPLE / "pegelwacht-de-online.txt", folder)
    for name, term in (("hafenkran", "LADUNG"), ("leuchtfeuer", "SIGNAL")):
        (folder / f"{name}.txt").write_text(
            f"{name.upper()} REGELBUCH\n\n{term}\n\nEin Kran hebt, was am Kai liegt.\n",
            encoding="utf-8",
        )
    return folder


@pytest.fixture
def read_books(books, tmp_path) -> Callable[..., RulebookFolder]:
    """Reads the books as a build does, with what the build before left."""

    def read_again(fresh=False):
        (tmp_path / "index").mkdir(exist_ok=True)
        readings = KeptReadings(tmp_path / "index", tmp_path / "index" / ".new", fresh)
        found = read_folder(books, readings=readings)
        readings.publish()
        return found

    return read_again


@pytest.fixture
def work(monkeypatch) -> list[str]:
    """The files that were read, and those whose layout was looked for."""
    done: list[str] = []

    def reading(document, edition):
        done.append(f"read {document.file}")
        return read(document, edition)

    def recognising(document, edition):
        done.append(f"recognised {document.file}")
        return recognise(document, edition)

    monkeypatch.setattr(corpus.folder, "read", reading)
    monkeypatch.setattr(corpus.editions, "recognise", recognising)
    return done


def test_what_stayed_as_it_is_is_not_read_again_and_comes_to_the_same(books, read_books, work):
    first = read_books()
    assert len([line for line in work if line.startswith("read ")]) == len(first.rulebooks)
    work.clear()
    assert read_books() == first == read_folder(books)
    assert (
        len(work) == len(first.rulebooks) + 2
    )  # those of the last call, which knows of no readings


@pytest.mark.parametrize("change", ["changed", "renamed", "moved", "removed", "added"])
def test_only_what_changed_is_read(books, read_books, work, change):
    read_books()
    work.clear()
    one = books / "leuchtfeuer.txt"
    if change == "changed":
        one.write_text(one.read_text().replace("Kai", "Ufer"))
    elif change == "renamed":
        one.rename(books / "anders.txt")
    elif change == "moved":
        (books / "feuer").mkdir()
        one.rename(books / "feuer" / one.name)
    elif change == "removed":
        one.unlink()
    else:
        (books / "noch-eins.txt").write_text(
            "NOCH EINS REGELBUCH\n\nSIGNAL\n\nEin Licht weist den Weg.\n"
        )
    found = read_books()
    wanted = {
        "changed": ["leuchtfeuer.txt"],
        "moved": ["feuer/leuchtfeuer.txt"],
        "added": ["noch-eins.txt"],
    }.get(change, [])
    assert work == [f"{what} {name}" for name in wanted for what in ("recognised", "read")]
    assert found == read_folder(books)


def test_a_described_edition_has_its_document_recognised_anew_and_no_other_read(
    books, read_books, work, tmp_path, monkeypatch
):
    """As `regula add` does: it writes a file that describes the edition."""
    before = {rulebook.document.file: rulebook.edition for rulebook in read_books().rulebooks}
    work.clear()
    (tmp_path / "home" / "editions").mkdir(parents=True)
    (tmp_path / "home" / "editions" / "hafenkran-de-1.0.yaml").write_text(DESCRIBED)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    found = read_books()
    assert work == ["read hafenkran.txt"]
    now = {rulebook.document.file: rulebook.edition for rulebook in found.rulebooks}
    assert now.pop("hafenkran.txt").id == "hafenkran-de-1.0"
    assert before.pop("hafenkran.txt").id != "hafenkran-de-1.0"
    assert now == before
    assert found == read_folder(books)


@pytest.mark.parametrize("harm", ["changed", "cut", "empty", "another program", "asked to"])
def test_what_is_not_whole_or_of_another_program_is_not_believed(
    read_books, work, tmp_path, monkeypatch, harm
):
    first = read_books()
    (kept,) = (tmp_path / "index").iterdir()
    content = kept.read_bytes()
    if harm == "another program":
        monkeypatch.setattr(reuse, "extraction_hash", lambda: "another")
    elif harm != "asked to":
        kept.write_bytes(
            {"changed": content.replace(b"Kran", b"Kren"), "cut": content[:-99], "empty": b""}[harm]
        )
    work.clear()
    assert read_books(fresh=harm == "asked to") == first
    assert len([line for line in work if line.startswith("read ")]) == len(first.rulebooks)
    assert len(list((tmp_path / "index").iterdir())) == 1
