"""A folder of rulebooks: every file that can be read, and a message for every other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.document import Document, Kept, UnreadableDocument, documents
from corpus.editions import identify, predecessor
from corpus.model import Rulebook
from corpus.read import ReaderError, read
from corpus.readings import NoReadings, Reading, Readings, described_hash
from corpus.workspace import Folders, workspace

_NO_READINGS = NoReadings()


@dataclass(frozen=True)
class RulebookFolder:
    """The rulebooks of a folder, in order of file names.

    ``left_out`` has a line for each file that was not read and says why. ``notes`` has a line for
    each file that was taken for a newer version of a described edition.
    """

    rulebooks: tuple[Rulebook, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_folder(
    folder: Path,
    editions: Folders = None,
    kept: Kept | None = None,
    readings: Readings = _NO_READINGS,
) -> RulebookFolder:
    """Read every rulebook in ``folder``; ``editions`` are the folders with the files that describe
    editions, the first one wins.

    Where it is None, they are those of the workspace and of the package. What ``kept`` has of a
    file is not extracted again, and a document whose reading is among ``readings`` is not read
    again; all others are added to them. If several documents have the same edition, only the first
    is read. Raises `NotADirectoryError` or `FileNotFoundError` if ``folder`` is not a folder.
    """
    rulebooks: list[Rulebook] = []
    left_out: list[str] = []
    reader = _Reader(editions, readings)
    for document in documents(folder, kept=kept):
        result = (
            str(document)
            if isinstance(document, UnreadableDocument)
            else reader.read(document, rulebooks)
        )
        if isinstance(result, Rulebook):
            rulebooks.append(result)
        else:
            left_out.append(result)
    notes = (_note(rulebook, editions) for rulebook in rulebooks if rulebook.edition.succeeds)
    return RulebookFolder(tuple(rulebooks), tuple(left_out), tuple(notes))


class _Reader:
    """Reads documents, or takes over how they were read before."""

    def __init__(self, editions: Folders, readings: Readings):
        self._editions, self._readings = editions, readings
        self._described = described_hash(editions)

    def read(self, document: Document, before: Sequence[Rulebook]) -> Rulebook | str:
        """``document`` as a rulebook, or the reason why it is left out. ``before`` are the
        rulebooks read so far.
        """
        known = self._readings.get(document)
        if known and known.described == self._described:
            identified = known.identified
        else:
            identified = identify(document, self._editions, known.recognition() if known else None)
        edition = identified
        for rulebook in before:
            if rulebook.edition.id == edition.id:
                if (
                    not edition.known
                    and not edition.succeeds
                    and rulebook.document.sha256 != document.sha256
                ):  # two texts of a game
                    edition = replace(edition, id=f"{edition.id}-{document.sha256[:8]}")
                    continue
                return f"{document.file}: {edition.id} is already read from {rulebook.document.file}; left out"
        try:
            found = (
                known.rulebook(document)
                if known and known.edition == edition
                else read(document, edition)
            )
        except ReaderError as error:
            return f"{document.file}: the reader of the layout {edition.layout!r} failed ({error}); left out"
        self._readings.add(document, Reading.of(found, identified, self._described))
        return found


def _note(rulebook: Rulebook, editions: Folders) -> str:
    file, edition = rulebook.document.file, rulebook.edition
    found = predecessor(rulebook.document, editions)
    share = f" (it has {100 * found[1]:.0f} % of its text)" if found else ""
    home = workspace()
    todo = f"describe it in {home / 'editions' if home else 'corpus/editions'}: regula changes {edition.id} --draft"
    return f"{file}: taken for a newer version of {edition.succeeds}{share}; {todo}"
