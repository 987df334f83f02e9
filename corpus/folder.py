"""A folder of rulebooks: every file that can be read, and a message for every other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.document import Document, Kept, UnreadableDocument, documents
from corpus.editions import identify, predecessor
from corpus.model import Rulebook
from corpus.read import ReaderError, read
from corpus.workspace import Folders, workspace


@dataclass(frozen=True)
class RulebookFolder:
    """The rulebooks of a folder, in order of file names.

    ``left_out`` has a line for each file that was not read and says why. ``notes`` has a line for each file that was
    taken for a newer version of a described edition.
    """

    rulebooks: tuple[Rulebook, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_folder(folder: Path, editions: Folders = None, kept: Kept | None = None) -> RulebookFolder:
    """Read every rulebook in ``folder``; ``editions`` are the folders with the files that describe editions, the first one wins.

    Where it is None, they are those of the workspace and of the package. What ``kept`` has of a file is not extracted again.
    If several documents have the same edition, only the first is read.
    Raises `NotADirectoryError` or `FileNotFoundError` if ``folder`` is not a folder.
    """
    rulebooks: list[Rulebook] = []
    left_out: list[str] = []
    for document in documents(folder, kept=kept):
        result = str(document) if isinstance(document, UnreadableDocument) else _read(document, editions, rulebooks)
        if isinstance(result, Rulebook):
            rulebooks.append(result)
        else:
            left_out.append(result)
    notes = (_note(rulebook, editions) for rulebook in rulebooks if rulebook.edition.succeeds)
    return RulebookFolder(tuple(rulebooks), tuple(left_out), tuple(notes))


def _read(document: Document, editions: Folders, before: Sequence[Rulebook]) -> Rulebook | str:
    """``document`` as a rulebook, or the reason why it is left out. ``before`` are the rulebooks read so far."""
    edition = identify(document, editions)
    for rulebook in before:
        if rulebook.edition.id == edition.id:
            if not edition.known and not edition.succeeds and rulebook.document.sha256 != document.sha256:  # two texts of a game
                edition = replace(edition, id=f"{edition.id}-{document.sha256[:8]}")
                continue
            return f"{document.file}: {edition.id} is already read from {rulebook.document.file}; left out"
    try:
        return read(document, edition)
    except ReaderError as error:
        return f"{document.file}: the reader of the layout {edition.layout!r} failed ({error}); left out"


def _note(rulebook: Rulebook, editions: Folders) -> str:
    file, edition = rulebook.document.file, rulebook.edition
    found = predecessor(rulebook.document, editions)
    share = f" (it has {100 * found[1]:.0f} % of its text)" if found else ""
    home = workspace()
    todo = f"describe it in {home / 'editions' if home else 'corpus/editions'}: regula changes {edition.id} --draft"
    return f"{file}: taken for a newer version of {edition.succeeds}{share}; {todo}"
