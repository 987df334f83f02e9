"""Reads a folder of rulebooks: every readable file, and a message for every other file. Results can
be cached, because most documents do not change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Protocol

from corpus.blocks import Span
from corpus.document import Document, Kept, UnreadableDocument, documents
from corpus.edition_files import described_editions
from corpus.editions import distinct_ids, identify, newer_text, predecessor
from corpus.layouts import LAYOUTS, Recognition
from corpus.model import Correction, Edition, Entry, Furniture, IndexItem, Passage, Rulebook
from corpus.read import ReaderError, read
from corpus.workspace import Folders, workspace


@dataclass(frozen=True)
class RulebookFolder:
    """The rulebooks of a folder, in order of file names.

    ``left_out`` has a line for each file that was not read and says why. ``notes`` has a line for
    each file that seems to be a newer version of a described edition.
    """

    rulebooks: tuple[Rulebook, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """The cached result of reading one document: a `Rulebook` without its document.

    ``identified`` is the edition that was recognised; the ``edition`` of the rulebook has another
    id if two documents shared one. ``described`` is a hash of all editions described at that time.
    """

    described: str
    identified: Edition
    edition: Edition
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]
    furniture: tuple[Furniture, ...]
    index_items: tuple[IndexItem, ...]
    unfit: tuple[Correction, ...]
    strays: tuple[Span, ...]

    @classmethod
    def of(cls, rulebook: Rulebook, identified: Edition, described: str) -> Reading:
        """Return the reading to cache for ``rulebook``."""
        return cls(described, identified, *(getattr(rulebook, name) for name in _PARTS))

    def rulebook(self, document: Document) -> Rulebook:
        """Return the rulebook of ``document`` from this reading."""
        return Rulebook(document, *(getattr(self, name) for name in _PARTS))


_PARTS = [field.name for field in fields(Reading)][2:]


class Readings(Protocol):
    """A cache of readings by documents."""

    def get(self, document: Document) -> Reading | None:
        """Return the reading of ``document``, or None if there is none."""

    def add(self, document: Document, reading: Reading) -> None:
        """Store ``reading`` for ``document``."""


def read_folder(
    folder: Path,
    editions: Folders = None,
    kept: Kept | None = None,
    readings: Readings | None = None,
) -> RulebookFolder:
    """Read every rulebook in ``folder``.

    ``editions`` are the folders with edition files, the first has priority (None: those of the
    workspace and of the package). Text in ``kept`` is not extracted again, a document with a
    reading in ``readings`` is not read again, and new readings are added. If several documents have
    the same edition, only the first is read. Raises `NotADirectoryError` or `FileNotFoundError`.
    """
    rulebooks: dict[str, Rulebook] = {}  # by the ids of their editions
    left_out = []
    described = hashlib.sha256(
        repr(described_editions(editions)).encode("utf-8", "surrogatepass")
    ).hexdigest()
    found: list[tuple[Document, Reading | None, Edition]] = []
    for document in documents(folder, kept=kept):
        if isinstance(document, UnreadableDocument):
            left_out.append(str(document))
            continue
        known = readings.get(document) if readings else None
        if known and known.described == described:
            identified = known.identified
        else:
            identified = identify(document, editions, _recognition(known) if known else None)
        found.append((document, known, identified))
    here = _editions([(document, edition) for document, _, edition in found])
    for (document, known, identified), edition in zip(found, here, strict=True):
        same = next((r for r in rulebooks.values() if _is_copy(document, r.document)), None)
        if same := same or rulebooks.get(edition.id):
            left_out.append(
                f"{document.file}: {same.edition.id} is already read from {same.document.file}; "
                "left out"
            )
            continue
        try:
            if known and known.edition == edition:
                rulebook = known.rulebook(document)
            else:
                rulebook = read(document, edition)
        except ReaderError as error:
            left_out.append(
                f"{document.file}: the reader of the layout {edition.layout!r} failed ({error}); "
                "left out"
            )
            continue
        if readings:
            readings.add(document, Reading.of(rulebook, identified, described))
        rulebooks[edition.id] = rulebook
    notes = (_note(each, editions) for each in rulebooks.values() if each.edition.succeeds)
    return RulebookFolder(tuple(rulebooks.values()), tuple(left_out), tuple(notes))


def _is_copy(document: Document, other: Document) -> bool:
    return (document.sha256, document.folder) == (other.sha256, other.folder)


def _editions(documents: Sequence[tuple[Document, Edition]]) -> list[Edition]:
    """Return the editions of ``documents``; different texts with the same id get ids of their own
    (`distinct_ids`), independent of the order of the files.

    The document described in an edition file keeps the id; without one, the first text keeps it.
    """
    found = [edition for _, edition in documents]
    groups: dict[str, list[int]] = {}
    for place, edition in enumerate(found):
        groups.setdefault(edition.id, []).append(place)
    taken = set(groups)
    for id, places in groups.items():
        texts = {documents[place][0].sha256: place for place in reversed(places)}  # without copies
        if len(texts) == 1:
            continue
        changed = sorted(place for place in texts.values() if found[place].succeeds == id)
        unknown = [
            place
            for place in texts.values()
            if not found[place].known and (not found[place].succeeds or found[place].version == "?")
        ]
        if not any(found[place].known and place not in changed for place in texts.values()):
            changed = changed[1:]
        own = sorted(changed + unknown)
        for place, new in zip(own, distinct_ids([documents[p] for p in own], taken), strict=True):
            edition = found[place]
            found[place] = replace(
                edition, id=new, game=new if edition.game == id else edition.game
            )
            if place in changed:
                found[place] = newer_text(found[place])
            taken.add(new)
    return found


def _recognition(known: Reading) -> Recognition | None:
    # None if the edition of the document was recognised: its layout is known from that.
    edition = known.identified
    if edition.known or edition.succeeds:
        return None
    return Recognition(LAYOUTS[edition.layout], edition.reading_score)


def _note(rulebook: Rulebook, editions: Folders) -> str:
    file, edition = rulebook.document.file, rulebook.edition
    found = predecessor(rulebook.document, editions)
    share = f" (it has {100 * found[1]:.0f} % of its text)" if found else ""
    if edition.succeeds == edition.id:
        return f"{file}: read as {edition.id}, whose text has changed{share}"
    home = workspace()
    place = home / "editions" if home else "corpus/editions"
    return (
        f"{file}: taken for a newer version of {edition.succeeds}{share}; describe it in {place}: "
        f"regula changes {edition.id} --draft"
    )
