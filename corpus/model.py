"""The things a rulebook consists of: editions, entries, passages, furniture, and where each is printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from corpus.document import Document


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a document decoded as UTF-8, counted from 0."""

    start: int
    end: int


class Lines(NamedTuple):
    """First and last line of something, counted from 1, both inclusive."""

    first: int
    last: int


class Kind(StrEnum):
    """What an entry is; the words of the contract."""

    SECTION = "section"
    TERM = "term"
    REDIRECT = "redirect"
    RULE = "rule"
    RULING = "ruling"
    ERRATUM = "erratum"
    SUBSECTION = "subsection"


class Role(StrEnum):
    """What a passage is good for.

    ``TEXT`` is running text that can settle a question. ``SEE`` is a list of references ("Siehe auch: …").
    ``VOID`` is wording that the rulebook prints only to replace it (the old text of an erratum).
    ``LISTING`` is a table of contents or a printed index: facts about places, no rules.
    Every role has exact spans; only ``TEXT`` is searched.
    """

    TEXT = "text"
    SEE = "see"
    VOID = "void"
    LISTING = "listing"


class Fault(StrEnum):
    """What an edition's correction says is wrong with a line of its document."""

    FURNITURE = "furniture"  # no text of the rulebook: figure label, page number, caption, navigation
    NOT_HEADING = "not-heading"  # looks like a heading of this layout and is running text
    HEADING = "heading"  # is a heading and does not look like one; meant: the kind
    TORN = "torn"  # continues the passage that ends at line `meant`
    TITLE = "title"  # heading misprinted; meant: the title for readers
    NUMBER = "number"  # list, rule or card number misprinted or lost; meant: the number
    PRODUCT = "product"  # product name misprinted; meant: the product
    CARD = "card"  # card name misprinted; meant: the card
    REFERENCE = "reference"  # misprinted reference; meant: heading or number of the target, or null where it leads outside
    PAGE = "page"  # item of the printed index misread; meant: the item as it should stand
    CHARACTER = "character"  # icon or letter garbled; meant: what the reader should see
    LOST = "lost"  # text that is missing from the document for good
    BELONGS = "belongs"  # stands in the layout under one entry and belongs to another; meant: heading or number of that one


@dataclass(frozen=True, slots=True)
class Correction:
    """One line of an edition's YAML: what is printed at ``line``, what is meant, and why we say so.

    ``through`` is the last line where a correction speaks of several. A correction fits a document only where
    ``printed`` occurs in ``line``; one that does not is reported by `Corrections.unfit`, never applied. ``anchor`` is what
    `corpus.anchors` finds its lines by in another version; ``placed`` says that it did not fail to.
    """

    line: int
    fault: Fault
    printed: str
    meant: str | int | None
    why: str
    through: int
    anchor: str = ""
    placed: bool = True

    def fits(self, document: Document) -> bool:
        """Whether ``document`` has what is ``printed`` where the correction says."""
        there = self.placed and 1 <= self.line <= self.through <= len(document.lines)
        return there and self.printed in document.line(self.line).text


class Corrections:
    """The corrections of one edition that fit one document, by line and fault."""

    def __init__(self, document: Document, corrections: tuple[Correction, ...]):
        self._at: dict[tuple[int, Fault], Correction] = {}
        self.unfit: tuple[Correction, ...] = tuple(c for c in corrections if not c.fits(document))
        for correction in corrections:
            if correction.fits(document):
                for line in range(correction.line, correction.through + 1):
                    self._at[line, correction.fault] = correction

    def at(self, line: int, fault: Fault) -> Correction | None:
        """The correction of this kind that covers ``line``, or None."""
        return self._at.get((line, fault))

    def of(self, fault: Fault) -> Iterator[Correction]:
        """Every fitting correction of one kind, in order of lines, each once."""
        found = {id(c): c for c in self._at.values() if c.fault is fault}
        yield from sorted(found.values(), key=lambda c: c.line)


@dataclass(frozen=True, slots=True)
class Edition:
    """One game's rules in one language and version. ``known`` is False where no YAML describes it."""

    id: str
    game: str
    language: str
    version: str
    title: str
    layout: str  # the name of one of `corpus.layouts.LAYOUTS`
    corrections: tuple[Correction, ...] = ()
    fallback: str | None = None  # heading of the entry that says what to do where nothing settles a question
    names: dict[str, str] = field(default_factory=dict)  # name used in references → heading it means, edition-wide
    known: bool = True
    succeeds: str | None = None  # id of the described edition that an undescribed one is taken for a newer version of


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing the rulebook itself names or numbers. ``lines`` include its children."""

    id: str
    edition: str
    kind: Kind
    heading: str
    title: str
    number: str | None
    card: str | None
    product: str | None
    parent: str | None
    heading_spans: tuple[Span, ...]
    spans: tuple[Span, ...]
    lines: Lines


@dataclass(frozen=True, slots=True)
class Passage:
    """The smallest part of an entry that can be read out on its own; ``text`` is evidence and never edited.

    ``text == "\\n".join(document.text[a:b] for a, b in spans)``; ``depth`` is the nesting depth of its bullet,
    0 for a paragraph; ``ordinal`` counts the passages of its entry from 0.
    """

    id: str
    entry: str
    ordinal: int
    role: Role
    depth: int
    spans: tuple[Span, ...]
    lines: Lines
    text: str
    display: str


@dataclass(frozen=True, slots=True)
class Furniture:
    """Characters that are no text of the rulebook, and why: page numbers, figure labels, rules, navigation."""

    span: Span
    why: str


@dataclass(frozen=True, slots=True)
class IndexItem:
    """One item of the index printed at the end of a rulebook: its name and its printed pages."""

    line: int
    name: str
    pages: tuple[int, ...]


@dataclass(frozen=True)
class Rulebook:
    """A document as read: its edition, its entries in document order, their passages, and what was left out."""

    document: Document
    edition: Edition
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]
    furniture: tuple[Furniture, ...] = ()
    index_items: tuple[IndexItem, ...] = ()
    unfit: tuple[Correction, ...] = ()
    strays: tuple[Span, ...] = ()  # text that the reader left over, kept as passages of the entry around it
