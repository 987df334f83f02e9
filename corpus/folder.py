"""A folder of rulebooks read as a whole: what can be read is, and what cannot is named in one line each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpus.document import Document, UnreadableDocument, documents
from corpus.editions import FOLDER, identify, predecessor
from corpus.model import Rulebook
from corpus.read import ReaderError, read


@dataclass(frozen=True)
class RulebookFolder:
    """The rulebooks of a folder in order of their file names, and one line for each file that was left out.

    ``notes`` has one line for each file that was taken for a newer version of an edition.
    """

    rulebooks: tuple[Rulebook, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_folder(folder: Path, editions: Path = FOLDER) -> RulebookFolder:
    """Read every rulebook in ``folder``. A second document of an edition already read is left out.

    Raises `NotADirectoryError` or `FileNotFoundError` where ``folder`` is none.
    """
    rulebooks: list[Rulebook] = []
    left_out: list[str] = []
    for found in documents(folder):
        if isinstance(found, UnreadableDocument):
            left_out.append(str(found))
            continue
        outcome = _read(found, editions, rulebooks)
        if isinstance(outcome, Rulebook):
            rulebooks.append(outcome)
        else:
            left_out.append(outcome)
    notes = (_note(rulebook, editions) for rulebook in rulebooks if rulebook.edition.succeeds)
    return RulebookFolder(tuple(rulebooks), tuple(left_out), tuple(notes))


def _note(rulebook: Rulebook, editions: Path) -> str:
    file, edition = rulebook.document.file, rulebook.edition
    found = predecessor(rulebook.document, editions)
    share = f" (it has {100 * found[1]:.0f} % of its text)" if found else ""
    todo = f"describe it in corpus/editions: regula changes {edition.id} --draft"
    return f"{file}: taken for a newer version of {edition.succeeds}{share}; {todo}"


def _read(document: Document, editions: Path, before: list[Rulebook]) -> Rulebook | str:
    edition = identify(document, editions)
    if edition is None:
        return f"{document.file}: no layout that Regula can read (see CONTRIBUTING, 'A new layout'); left out"
    for other in before:
        if other.edition.id == edition.id:
            return f"{document.file}: {edition.id} is already read from {other.document.file}; left out"
    try:
        return read(document, edition)
    except ReaderError as fault:
        return f"{document.file}: the reader of the layout {edition.layout!r} failed ({fault}); left out"
