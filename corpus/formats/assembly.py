"""Assembles the canonical text of an extracted document block by block, with all spans; also
helpers for lists and tables that several readers need.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from corpus.blocks import (
    Block,
    BlockKind,
    Bookmark,
    Cell,
    ExtractedText,
    Link,
    ReadingNote,
    Span,
)
from corpus.formats import UnreadableFile
from corpus.formats.contents import mark_contents
from corpus.superscripts import superscripts
from corpus.tables import LARGEST

# White space that browsers collapse to one blank; not non-breaking spaces.
_COLLAPSED = re.compile(r"[ \t\n\r\f]+")
_DIVISION = "\n\n"  # between two blocks
CELL = " | "  # between two cells of a row
BULLET = "•"
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # bullets of symbol fonts

_LONGEST_REPEATED = 100  # characters of a cell that is repeated in each row that it spans
_MOST_REPEATED = 500_000  # characters that are repeated in one table
MOST_COLUMNS = 100  # that one cell may span
MOST_ROWS = 1000

_ROMAN_VALUES = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
_ROMAN_SIGNS = ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i")
_LARGEST_ROMAN = 3999
_LARGEST_REPEATED_LETTERS = 26 * 30  # a letter repeated thirty times


class TextStyle(NamedTuple):
    """The look of a text, as far as known; ``size`` and ``indent`` are in points; ``raised`` means
    superscript.
    """

    bold: bool = False
    italic: bool = False
    hidden: bool = False
    size: float = 0.0
    indent: float = 0.0
    raised: bool = False
    underlined: bool = False


_PLAIN = TextStyle()


@dataclass
class BlockDraft:
    """A block that is being written; its spans are offsets from its own beginning.

    White space collapses to one blank, as in browsers, and is dropped at the beginning of a line.
    The bullet or number ``mark`` is put before the text, unless the text ``has_mark`` already.
    """

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    mark: str = ""
    indent: float = 0.0
    bold: bool = False  # even if its letters are not
    has_mark: bool = False
    anchors: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    table: int = 0
    header: bool | None = None
    cells: list[tuple[int, int]] = field(default_factory=list)  # of a row: start, end
    parts: list[str] = field(default_factory=list)  # of the text
    length: int = 0  # characters of all parts
    _blank: bool = True  # another blank would be dropped
    _letters: int = 0
    _bold: int = 0  # letters
    _underlined: int = 0
    _italic: int = 0
    _sizes: dict[float, int] = field(default_factory=dict)
    _substance: bool = False  # has text that was not added ``aside``

    def __bool__(self) -> bool:
        return self._substance

    def add(
        self, text: str, style: TextStyle = _PLAIN, *, keep: bool = False, aside: bool = False
    ) -> None:
        """Add ``text``, with its white space unchanged if ``keep``.

        A draft with only ``aside`` text (like the name of a picture) counts as empty.
        """
        if not keep:
            text = _COLLAPSED.sub(" ", text)
            if style.raised:
                text = superscripts(text)
            if self._blank and text.startswith(" "):
                text = text[1:]
        if not text:
            return
        self.parts.append(text)
        self.length += len(text)
        self._blank = not keep and text.endswith(" ")
        stripped = text.strip()
        self._substance = self._substance or (bool(stripped) and not aside)
        letters = sum(map(str.isalpha, stripped))
        self._letters += letters
        self._bold += letters * style.bold
        self._underlined += letters * style.underlined
        self._italic += letters * style.italic
        if style.size:
            self._sizes[style.size] = self._sizes.get(style.size, 0) + len(stripped)

    def line_break(self) -> bool:
        """End the line. Returns False if the line is already empty, which means that the next text
        belongs to another block.
        """
        if self._blank and self.parts and self.parts[-1].endswith(" "):
            self.parts[-1] = self.parts[-1][:-1]
            self.length -= 1
        if not self.parts or self.parts[-1].endswith("\n"):
            return not self.parts
        self.parts.append("\n")
        self.length += 1
        self._blank = True
        return True

    def link(self, start: int, target: str) -> None:
        """Link the text written since ``start`` to ``target``."""
        if self.length > start and target:
            self.links.append(Link(Span(start, self.length), target))

    def text(self, since: int = 0) -> str:
        """Return the text written so far, without its first ``since`` parts."""
        return "".join(self.parts[since:])

    def end_cell(self, first: int, start: int, columns: int = 1) -> None:
        """End a table cell that spans ``columns`` and began at offset ``start``, with part number
        ``first``; the separator before it is not included.
        """
        while first < len(self.parts) and self.parts[first].strip() == CELL.strip():
            start += len(self.parts[first])
            first += 1
        self.cells += [(start, self.length)] * columns

    def drop_trailing_cells(self) -> None:
        """Remove the separators of trailing cells without text."""
        while self.parts and self.parts[-1].strip() == CELL.strip():
            self.length -= len(self.parts.pop())

    def block(self, offset: int) -> tuple[str, Block]:
        """Return the stripped text and its block, for a text that begins at ``offset``."""
        raw = self.text()
        text = raw.strip()
        mark = f"{self.mark} " if self.mark and not self.has_mark else ""
        shift = offset + len(mark) - (len(raw) - len(raw.lstrip()))
        links = []
        for (start, end), target in self.links:
            while start < end and raw[start].isspace():
                start += 1
            while start < end and raw[end - 1].isspace():
                end -= 1
            if start < end:
                links.append(Link(Span(start + shift, end + shift), target))
        cells: list[Cell] = []
        for start, end in self.cells if len(self.cells) <= LARGEST else ():
            printed = raw[start:end]
            start += len(printed) - len(printed.lstrip())
            end = start + len(printed.strip())
            cells.append((Span(start + shift, end + shift),) if start < end else ())
        return mark + text, Block(
            span=Span(offset, offset + len(mark) + len(text)),
            kind=self.kind,
            level=self.level,
            mark=self.mark,
            size=max(self._sizes, key=lambda size: self._sizes[size], default=0.0),
            bold=self.bold
            or 0 < self._letters == self._bold
            or (0 < self._letters == self._underlined and not links),
            italic=0 < self._letters == self._italic,
            indent=self.indent,
            anchors=tuple(dict.fromkeys(self.anchors)),
            links=tuple(links),
            table=self.table,
            cells=tuple(cells),
            header=self.header,
        )


class TextAssembler:
    """Collects blocks in reading order, and furniture separately; `finished` joins both."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._texts: list[str] = []
        self._length = 0
        self._furniture: dict[str, BlockDraft] = {}  # by its text
        self._anchors: list[str] = []  # of elements without text; the next block gets them
        self._tables = 0

    def begin_table(self) -> Table:
        """Return a new table with the next number."""
        self._tables += 1
        return Table(self._tables)

    def append(self, draft: BlockDraft, *, furniture: bool = False) -> Span | None:
        """Append ``draft``, and return its span, or None if it is empty or furniture."""
        if not draft:
            self._anchors += draft.anchors
            return None
        if furniture:
            self._furniture.setdefault(draft.text().strip(), draft)
            return None
        draft.anchors[:0] = self._anchors
        self._anchors = []
        return self._write(draft)

    def anchor(self, name: str) -> None:
        """Give the next block the anchor ``name``."""
        self._anchors.append(name)

    def _write(self, draft: BlockDraft) -> Span:
        if self._texts:
            self._texts.append(_DIVISION)
            self._length += len(_DIVISION)
        text, block = draft.block(self._length)
        self._texts.append(text)
        self._length += len(text)
        self._blocks.append(block)
        return block.span

    def finished(
        self,
        title: str,
        without_text: str,
        bookmarks: tuple[Bookmark, ...] = (),
        notes: tuple[ReadingNote, ...] = (),
    ) -> ExtractedText:
        """Return the text of everything appended, with a newline at its end. Furniture comes after
        all other blocks; equal furniture appears once.

        Raises `UnreadableFile` with the message ``without_text`` if there is no text.
        """
        if self._anchors and self._blocks:
            last = self._blocks[-1]
            self._blocks[-1] = replace(last, anchors=(*last.anchors, *self._anchors))
        body = self._length
        for draft in self._furniture.values():
            draft.kind = BlockKind.FURNITURE
            self._write(draft)
        if not self._texts:
            raise UnreadableFile(without_text)
        if self._length == body:  # no furniture
            body += 1
        elif body:
            body += len(_DIVISION)
        text = "".join([*self._texts, "\n"])
        blocks = mark_contents(self._blocks, text)
        return ExtractedText(text, blocks, body, bookmarks, title=title.strip(), notes=notes)


class Table:
    """A table that is being read. The text of a cell over several rows is repeated in each row, so
    that every row is complete.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._reaching: dict[int, tuple[str, int]] = {}  # by column: text, and rows to come
        self._left = _MOST_REPEATED

    def add_cell(self, column: int, columns: int, rows: int, text: str) -> None:
        """Add a cell with ``text`` that begins in ``column`` (from 0) of the current row and spans
        ``columns`` and ``rows``.
        """
        text = " ".join(text.replace(CELL.strip(), " ").split())
        for at in range(column, column + min(columns, MOST_COLUMNS)):
            if rows > 1:
                first = text if at == column and len(text) <= _LONGEST_REPEATED else ""
                self._reaching[at] = first, min(rows, MOST_ROWS) - 1
            else:
                self._reaching.pop(at, None)

    def repeated(self, column: int) -> str | None:
        """Return the text of the cell above that also spans ``column`` of this row, or None if
        there is none (or the repeated text of the table is too long).
        """
        if column not in self._reaching or self._left < 0:
            return None
        text, rows = self._reaching.pop(column)
        if rows > 1:
            self._reaching[column] = text, rows - 1
        self._left -= len(text) + len(CELL)
        return text


def printed_bullet(sign: str) -> str:
    """Return the bullet ``sign`` as it appears in the text; letters and signs of symbol fonts
    become `BULLET`.
    """
    sign = sign.strip()
    return BULLET if not sign or sign.isalnum() or _PRIVATE.search(sign) else sign[:3]


def numeral(number: int, form: str) -> str:
    """Return the list number ``number`` as printed.

    ``form`` "i" means Roman numerals, "a" letters that continue with "aa", "ab", and "aa" letters
    that continue with "aa", "bb"; forms in capitals give capitals. Otherwise, or if the form cannot
    express the number, digits are used.
    """
    printed = ""
    rest = number
    match form.lower():
        case "i" if 0 < number <= _LARGEST_ROMAN:
            for value, sign in zip(_ROMAN_VALUES, _ROMAN_SIGNS, strict=True):
                count, rest = divmod(rest, value)
                printed += sign * count
        case "a":
            while rest > 0:
                rest, digit = divmod(rest - 1, 26)
                printed = chr(ord("a") + digit) + printed
        case "aa" if 0 < number <= _LARGEST_REPEATED_LETTERS:
            count, digit = divmod(number - 1, 26)
            printed = chr(ord("a") + digit) * (count + 1)
    return (printed.upper() if form.isupper() else printed) or str(number)


def roman_value(text: str) -> int:
    """Return the value of the Roman numeral ``text``."""
    signs = dict(zip(_ROMAN_SIGNS, _ROMAN_VALUES, strict=True))
    values = [signs.get(sign, 0) for sign in text.lower()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
