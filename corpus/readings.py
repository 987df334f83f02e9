"""What reading documents came to, for the next time: most documents of a folder stay as they are
from one build to the next.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.layouts import LAYOUTS, Recognition
from corpus.model import Correction, Edition, Entry, Furniture, IndexItem, Passage, Rulebook
from corpus.spans import Span
from corpus.workspace import Folders


@dataclass(frozen=True)
class Reading:
    """What one document was read as: a `Rulebook` without the document, which depends on nothing
    else but its ``edition``.

    ``identified`` is the edition that the document was recognised as; that of the rulebook has
    another id where two documents had the same. It depends on the editions that are ``described``
    (`described_hash`).
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
        """The reading that ``rulebook`` is the outcome of."""
        r = rulebook
        return cls(
            described,
            identified,
            r.edition,
            r.entries,
            r.passages,
            r.furniture,
            r.index_items,
            r.unfit,
            r.strays,
        )

    def rulebook(self, document: Document) -> Rulebook:
        """The rulebook that ``document`` was read as."""
        parts = (
            self.edition,
            self.entries,
            self.passages,
            self.furniture,
            self.index_items,
            self.unfit,
            self.strays,
        )
        return Rulebook(document, *parts)

    def recognition(self) -> Recognition | None:
        """How the layout of the document was recognised; None where its edition was, which says
        more.
        """
        edition = self.identified
        return (
            None
            if edition.known or edition.succeeds
            else Recognition(LAYOUTS[edition.layout], edition.reading_score)
        )


class Readings(Protocol):
    """Readings by the same program, by document."""

    def get(self, document: Document) -> Reading | None:
        """The reading of ``document``, None where there is none."""

    def add(self, document: Document, reading: Reading) -> None:
        """Keep ``reading`` as that of ``document``."""


class NoReadings:
    """No readings are known, and none are kept."""

    def get(self, document: Document) -> Reading | None:
        """None."""

    def add(self, document: Document, reading: Reading) -> None:
        """Keep nothing."""


def described_hash(folders: Folders = None) -> str:
    """What documents are recognised by, in one hash: the editions described in ``folders``."""
    return hashlib.sha256(
        repr(described_editions(folders)).encode("utf-8", "surrogatepass")
    ).hexdigest()
