"""Spans of a document, the blocks that a document of any format consists of, and their positions on
its pages.

A front end (`corpus.formats`) turns a file into one text and a list of blocks, which are spans of
that text. Most layout readers need only the text; the outline layout reads the blocks.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of the text of a document, counted from 0."""

    start: int
    end: int


class Lines(NamedTuple):
    """The first and last line of a piece of text, counted from 1, both inclusive."""

    first: int
    last: int


Cell = tuple[Span, ...]  # of a row: one span for each line; () if empty


class BlockKind(StrEnum):
    """The kind of a block, as far as the file format marks it."""

    PARAGRAPH = "paragraph"
    # Marked as one by the format: a heading tag, a Markdown sign, a heading style
    HEADING = "heading"
    ITEM = "item"  # of a list, with its bullet or number
    ROW = "row"  # of a table
    CONTENTS = "contents"  # an item of a table of contents that the format marks as one
    CODE = "code"  # preformatted
    FURNITURE = "furniture"  # running heads, page numbers


class Link(NamedTuple):
    """A link: the ``span`` of its text, and its ``target``: "#anchor", "file.html#anchor" or an
    address.

    In a PDF the target is "page:12", or "page:12@72,300" with a position in points from the left
    and top edge of that page.
    """

    span: Span
    target: str


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row.

    Attributes:
        span: Its text with bullet or number, without white space at its ends.
        level: The level of a heading, 1 for the topmost, or the nesting depth of an item, from 1; 0
            if the format does not say.
        mark: The bullet or number in the text ("•", "1.2.", "a)").
        size: The font size of most of its characters in points, 0.0 if unknown.
        bold: Whether all of its letters are bold.
        italic: Whether all of its letters are italic.
        indent: The distance from the left edge of the column, in characters for text, else in
            points.
        page: Counted from 1, 0 if there are no pages.
        table: The number of a row's table, from 1.
        cells: A row's cells, one for each column; a cell that spans several columns is repeated.
        header: Whether the row belongs to the header, None if the format does not say.
    """

    span: Span
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    mark: str = ""
    page: int = 0
    size: float = 0.0
    bold: bool = False
    italic: bool = False
    indent: float = 0.0
    anchors: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    table: int = 0
    cells: tuple[Cell, ...] = ()
    header: bool | None = None


class NoteKind(StrEnum):
    """Reasons why a part of a document could not be read, or not reliably."""

    IMAGES = "images"  # pages without text
    COVERED = "covered"  # text that other text is printed over
    OVERLAPPING = "overlapping"  # lines that are printed over each other and could be read
    GRID = "grid"  # letters or numbers in a grid, such as a board's coordinates
    CHAPTER = "chapter"  # a chapter of a book is missing from the file


_NOTES = {
    NoteKind.IMAGES: (
        "{count} of {all} pages have no text, only images ({pages}); if there are rules on them, "
        "run OCR on the file"
    ),
    NoteKind.COVERED: (
        "text is printed over other text and cannot be read, so it was left out ({pages}); look "
        "there for rules"
    ),
    NoteKind.OVERLAPPING: (
        "lines are printed over each other, and each was read by itself ({pages}); compare them "
        "with the page"
    ),
    NoteKind.GRID: (
        "letters or numbers in a grid, as of a board, are no text and were left out ({pages}); "
        "look there for rules"
    ),
    NoteKind.CHAPTER: "the chapter {name} is missing",
}
_NAMED_PAGES = 10  # at most


class ReadingNote(NamedTuple):
    """A note for the owner of a document about text that could not be read.

    ``pages`` are counted from 1; ``all`` is the number of pages of the document; ``name`` is that
    of a missing chapter. `str` gives a sentence.
    """

    kind: NoteKind
    pages: tuple[int, ...] = ()
    all: int = 0
    name: str = ""

    def __str__(self) -> str:
        named = ", ".join(map(str, self.pages[:_NAMED_PAGES]))
        pages = f"page {named}{' …' if len(self.pages) > _NAMED_PAGES else ''}"
        count = len(self.pages)
        return _NOTES[self.kind].format(count=count, all=self.all, pages=pages, name=self.name)


class Bookmark(NamedTuple):
    """An item of the built-in outline of a PDF, an EPUB or a folder of pages; ``level`` 1 is the
    topmost.

    ``page`` is 0 if the document has no pages. ``target`` is the anchor that the item leads to, ""
    if it leads only to a page.
    """

    title: str
    level: int
    page: int = 0
    target: str = ""


class Box(NamedTuple):
    """A rectangle on a page, in points from the left and the top edge of the displayed page."""

    left: float
    top: float
    right: float
    bottom: float


class PageBoxes(NamedTuple):
    """The boxes of a piece of text on ``page`` (counted from 1), one for each of its lines."""

    page: int
    boxes: tuple[Box, ...]


class PageNumber(NamedTuple):
    """A printed page number ("19", "xii"). It is valid from ``left`` (in points) to the right,
    since one sheet may show two pages.
    """

    left: float
    text: str


PageNumbers = tuple[tuple[PageNumber, ...], ...]
"""The page numbers printed on each sheet, from left to right; () for a sheet without any."""


def printed_number(numbers: PageNumbers, sheet: int, left: float) -> str:
    """Return the printed page number of text that begins at ``left`` (in points) on ``sheet``,
    counted from 1, or "" if there is none.
    """
    here = numbers[sheet - 1] if 1 <= sheet <= len(numbers) else ()
    return next((number.text for number in reversed(here) if number.left <= left), "")


class TextLine(NamedTuple):
    """A line of text on a page. ``edges`` are the left edges of its characters and the right edge
    of the last one, in points.
    """

    span: Span
    page: int
    top: float
    bottom: float
    edges: tuple[float, ...]


class PageMap:
    """The positions of a document's characters on its pages.

    ``sizes`` are width and height of each page in points; ``lines`` must be in the order of their
    spans. ``numbers`` are the printed page numbers, ``numbers_from`` is their source.
    """

    def __init__(
        self,
        sizes: Iterable[tuple[float, float]],
        lines: Iterable[TextLine],
        numbers: PageNumbers = (),
        numbers_from: str = "",
    ):
        self.sizes = tuple(sizes)
        self.lines = tuple(lines)
        self.numbers, self.numbers_from = numbers, numbers_from
        self._starts = [line.span.start for line in self.lines]

    def page_at(self, offset: int) -> int:
        """Return the page of the character at ``offset``, or of the last line before it, or 0 if
        there is no line.
        """
        at = bisect.bisect_right(self._starts, offset) - 1
        return self.lines[at].page if at >= 0 else 0

    def boxes(self, spans: Iterable[Span]) -> tuple[PageBoxes, ...]:
        """Return a box for each line in ``spans``, grouped by page."""
        found: dict[int, list[Box]] = {}
        for span in spans:
            at = max(bisect.bisect_right(self._starts, span.start) - 1, 0)
            while at < len(self.lines) and (line := self.lines[at]).span.start < span.end:
                at += 1
                first, last = (
                    max(span.start, line.span.start) - line.span.start,
                    min(span.end, line.span.end) - line.span.start,
                )
                if first < last:
                    edges = line.edges[first : last + 1]
                    box = Box(min(edges), line.top, max(edges), line.bottom)
                    found.setdefault(line.page, []).append(box)
        return tuple(PageBoxes(page, tuple(boxes)) for page, boxes in found.items())


@dataclass(frozen=True)
class ExtractedText:
    """The result of a front end: the canonical text of a file, and its blocks in reading order.

    All spans are offsets into this text. Every character that is not white space belongs to exactly
    one block. Blocks are separated by an empty line. Running heads, page numbers and footers are
    furniture; they come last, from offset ``body`` on, so that they interrupt no passage.
    """

    text: str = field(repr=False)
    blocks: tuple[Block, ...] = field(repr=False)
    body: int
    bookmarks: tuple[Bookmark, ...] = ()
    pages: PageMap | None = field(default=None, repr=False)
    title: str = ""  # that the file itself gives
    notes: tuple[ReadingNote, ...] = ()
