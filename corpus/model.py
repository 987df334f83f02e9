"""The data model of a rulebook: editions, entries, passages and furniture, with their places in
print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from corpus.blocks import Lines, Span
from corpus.dates import date_at_start
from corpus.document import Document
from corpus.languages import LANGUAGES

__all__ = [
    "Correction", "Corrections", "DocumentKind", "Edition", "Entry", "Fault", "Furniture",
    "IndexItem", "Kind", "Lines", "Passage", "Role", "Rulebook", "Span", "TableRow",
]  # fmt: skip

_DATED = re.compile(r"[./ ](?:19|20)\d\d\Z")  # a version that is a date: "3. Juni 2023"


class Kind(StrEnum):
    """The kind of an entry."""

    SECTION = "section"
    TERM = "term"
    REDIRECT = "redirect"
    RULE = "rule"
    RULING = "ruling"
    ERRATUM = "erratum"
    SUBSECTION = "subsection"


class DocumentKind(StrEnum):
    """The kind of a document: the rules of a game, a policy (such as tournament rules), or a list
    of formats and the cards legal in them.
    """

    RULES = "rules"
    POLICY = "policy"
    FORMATS = "formats"


class Role(StrEnum):
    """The role of a passage. Only ``TEXT`` is searched.

    ``TEXT`` is running text that can settle a question. ``SEE`` is a list of references ("Siehe
    auch: …"). ``VOID`` is wording that is printed only to be replaced (the old text of an erratum).
    ``LISTING`` is a table of contents or a printed index, without rules. ``HEADER`` is the header
    of a table, or a title between its rows.
    """

    TEXT = "text"
    SEE = "see"
    VOID = "void"
    LISTING = "listing"
    HEADER = "header"


class Fault(StrEnum):
    """The kind of error on a line of a document that a correction of its edition fixes."""

    FURNITURE = "furniture"  # not text of the rulebook: figure label, page number, navigation
    NOT_HEADING = "not-heading"  # looks like a heading, but is running text
    HEADING = "heading"  # is a heading, but does not look like one; meant: the kind of its entry
    TORN = "torn"  # continues the passage that ends at line `meant`
    TITLE = "title"  # heading misprinted; meant: the title for readers
    NUMBER = "number"  # list, rule or card number misprinted or lost; meant: the number
    PRODUCT = "product"  # product name misprinted; meant: the product
    CARD = "card"  # card name misprinted; meant: the card
    REFERENCE = "reference"  # misprinted; meant: the target, or null if it is in no rulebook
    PAGE = "page"  # item of the printed index misread; meant: the item
    CHARACTER = "character"  # garbled icon or letter; meant: the right one
    LOST = "lost"  # text missing from the document; meant: the text
    BELONGS = "belongs"  # printed under the wrong entry; meant: the right entry


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction of an error in the document of an edition.

    It applies only to a document that has the ``printed`` text, beginning in one of its lines;
    other corrections are in `Corrections.unfit`.

    Attributes:
        line: The first line with the error.
        through: The last line with the error.
        printed: The printed text.
        meant: The right text.
        why: The reason.
        anchor: Used by `corpus.anchors` to find the lines in another version or format of the
            document.
        placed: False if the lines were not found.
        settled: Whether the lines were found and need no correction.
    """

    line: int
    fault: Fault
    printed: str
    meant: str | int | None
    why: str
    through: int
    anchor: str = ""
    placed: bool = True
    settled: bool = False

    def span(self, document: Document) -> Span | None:
        """Return the span of the ``printed`` text in ``document``, or None if it begins in no line
        of the correction.
        """
        if not (self.placed and 1 <= self.line <= self.through <= len(document.lines)):
            return None
        end = document.line(self.through).end
        first, size = document.line(self.line).start, len(self.printed)
        start = document.text.find(self.printed, first, end + size)
        return Span(start, start + size) if 0 <= start <= end else None

    def fits(self, document: Document) -> bool:
        """Return whether the correction applies to ``document``."""
        return not self.settled and self.span(document) is not None


class Corrections:
    """The corrections of an edition that fit a document, by line and fault; ``unfit`` are those
    that neither fit nor are settled.
    """

    def __init__(self, document: Document, corrections: tuple[Correction, ...]):
        self._document = document
        self._at: dict[tuple[int, Fault], Correction] = {}
        self._fitting = tuple(c for c in corrections if c.fits(document))
        self.unfit = tuple(c for c in corrections if not c.settled and not c.fits(document))
        for correction in self._fitting:
            for line in range(correction.line, correction.through + 1):
                self._at[line, correction.fault] = correction

    def at(self, line: int, fault: Fault) -> Correction | None:
        """Return the last correction of ``fault`` that covers ``line``, or None."""
        return self._at.get((line, fault))

    def meant(self, line: int, fault: Fault, printed: str | None) -> str | None:
        """Return the right text if a correction of ``fault`` covers ``line``, else ``printed``."""
        correction = self.at(line, fault)
        return str(correction.meant) if correction and correction.meant is not None else printed

    def of(self, fault: Fault) -> Iterator[Correction]:
        """Yield every fitting correction of ``fault`` once, in order of lines."""
        yield from sorted((c for c in self._fitting if c.fault is fault), key=lambda c: c.line)

    def ordinal(self, line: int, correction: Correction) -> int:
        """Return the position of ``line`` (from 0) in the paragraphs that ``correction`` covers."""
        return sum(map(self._document.begins_paragraph, range(correction.line, line)))


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules of one game in one language and version.

    Attributes:
        layout: The name of one of `corpus.layouts.LAYOUTS`.
        fallback: The heading of the rule for questions that no other rule settles.
        names: Names used in references, with the headings they mean.
        known: Whether a data file describes the edition.
        reading_score: For unknown editions, how reliably the document is read, from 0.0 to 1.0.
        succeeds: The id of the described edition of which this is a newer version, or its own id if
            the document has another text than the described one.
        lost_signs: Signs missing from the document, each with the words around it.
        formats: By heading: the format to which its rules are limited; None: every format.
        effective: The day from which the edition is valid, in ISO 8601; "" if unknown.
    """

    id: str
    game: str
    language: str
    version: str
    title: str
    layout: str
    corrections: tuple[Correction, ...] = ()
    fallback: str | None = None
    names: dict[str, str] = field(default_factory=dict)
    known: bool = True
    reading_score: float = 1.0
    succeeds: str | None = None
    lost_signs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    formats: dict[str, str | None] = field(default_factory=dict)
    effective: str = ""
    kind: DocumentKind = DocumentKind.RULES

    @property
    def version_beside_title(self) -> str:
        """The version to show beside the title; "" if the title has it ("Online-Regelbuch")."""
        said = self.version.casefold() in re.findall(r"[\w.]+", self.title.casefold())
        distinct = "." in self.version or not re.search(r"\d", self.version)
        return "" if said and distinct else self.version

    @property
    def full_title(self) -> str:
        """Title and version in one line."""
        return " ".join(filter(None, (self.title, self.version_beside_title)))


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of a rulebook that has a printed heading or number; ``spans`` and ``lines`` include
    its children.
    """

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


class TableRow(NamedTuple):
    """A table row: the span of each cell in ``display``, and the offset of the table's header in
    ``lead_in``.

    The span of an empty cell is (0, 0); that of a cell over several columns is repeated.
    """

    cells: tuple[Span, ...]
    header: int | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The smallest part of an entry that can be quoted on its own.

    Attributes:
        text: Exactly what is printed: ``"\\n".join(document.text[a:b] for a, b in spans)``.
        display: The text in a form for readers (`corpus.display`).
        depth: The nesting depth of its bullet, 0 for a paragraph.
        ordinal: Its position among the passages of the entry, from 0.
        context: Text to read before the passage, not part of it: the sentence that introduces its
            list, or the header of its table.
        lead_in: The text of ``context`` as printed, "" if there is none.
        row: Set for a table row or its header; then ``display`` includes the column headers.
        item: Its list number as printed, "3." or "3. a)", if no entry has that number.
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
    context: Span | None = None
    lead_in: str = ""
    row: TableRow | None = None
    item: str = ""

    @property
    def announced(self) -> str:
        """The part of ``lead_in`` that ``display`` does not repeat: without the table header."""
        return self.lead_in[: self.row.header if self.row else None]


MARKUP, FRONT_MATTER = "markup", "front matter"  # kinds of `Furniture` that readers never see


@dataclass(frozen=True, slots=True)
class Furniture:
    """Characters that are not text of the rulebook, such as page numbers and figure labels; ``why``
    says what they are.
    """

    span: Span
    why: str


@dataclass(frozen=True, slots=True)
class IndexItem:
    """An item of the index printed at the end of a rulebook, with its page numbers."""

    line: int
    name: str
    pages: tuple[int, ...]


@dataclass(frozen=True)
class Rulebook:
    """A document that has been read: its edition, and its entries and passages in document order.

    ``unfit`` are corrections that do not fit it. ``strays`` is text that the layout reader did not
    claim; `corpus.read` adds it to the passages of the surrounding entry.
    """

    document: Document
    edition: Edition
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]
    furniture: tuple[Furniture, ...] = ()
    index_items: tuple[IndexItem, ...] = ()
    unfit: tuple[Correction, ...] = ()
    strays: tuple[Span, ...] = ()


VersionKey = tuple[bool, tuple[tuple[int, str], ...]]


def version_key(version: str) -> VersionKey:
    """Return a sort key for ``version`` that orders older before newer versions.

    Numbers compare as numbers ("1.9" < "1.10"); a letter follows the bare number ("4.15" <
    "4.15c"). Dates compare by year, month and day ("3. Juni 2023" < "05/2024"). A version without a
    number ("online", "?") is newer than all others, because it names a text that is updated
    continually.
    """
    if _DATED.search(version):
        days = (date_at_start(version, language) for language in LANGUAGES)
        version = next(filter(None, days), version).replace("-", ".")
    found = re.findall(r"(\d+)([^\d.]*)", version)
    return (not found, tuple((int(number), suffix) for number, suffix in found))


def id_without_version(id: str, version: str) -> str:
    """Return the edition ``id`` without its ``version``, as shared by all versions of a rulebook,
    or "" if it does not end in the version.
    """
    stem = id.removesuffix(version)
    return stem if stem != id else ""


def is_numbered(version: str) -> bool:
    """Return whether ``version`` contains a number, so that it can be ordered among versions."""
    return any(map(str.isdigit, version))
