"""Reads PDF: characters become lines, lines columns in reading order, and columns paragraphs,
without running heads; also reads printed page numbers and page labels.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.blocks import (
    Block,
    BlockKind,
    Cell,
    ExtractedText,
    Link,
    NoteKind,
    PageMap,
    PageNumber,
    ReadingNote,
    Span,
    TextLine,
)
from corpus.formats import ExtractedFormat, UnreadableFile
from corpus.formats.assembly import numeral, roman_value
from corpus.formats.pdf.characters import turn
from corpus.formats.pdf.furniture import NUMBER
from corpus.formats.pdf.lines import PrintedLine
from corpus.formats.pdf.pages import PrintedPage, bookmarks, read_pages, title
from corpus.formats.pdf.paragraphs import (
    ColumnReader,
    PrintedParagraph,
    append,
    hyphenated,
    most_common_size,
    spacings,
)

_OCR = "run OCR on it (for example: ocrmypdf --force-ocr in.pdf out.pdf)"
_UNKNOWN = re.compile(r"[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")
_GLYPH_NAME = re.compile(r"\(cid:\d+\)|/g\d+\b|/uni[0-9A-F]{4}")
_BROKEN = 0.04  # highest share of words with unknown letters in readable text
_WITH_VOWELS = 0.7  # least share of words of two letters or more; readable texts have over 0.95
_ICONS = 3  # unknown signs; fewer are an icon, more a word
_FEW = 30  # words; fewer are no evidence
_BULLETS = 2  # lines that begin with the same unknown sign, at least
_ROWS = 50  # rows of a table from which its columns are counted


def _fits(raw: bytes) -> bool:
    # A few bytes may precede the header.
    return raw.lstrip()[:5] == b"%PDF-" or (b"%PDF-" in raw[:1024] and b" obj" in raw)


def _extract(raw: bytes) -> ExtractedText:
    document = _open(raw)
    try:
        pages = read_pages(document)
        outline, name = bookmarks(document), title(document)
        labels = page_labels(document)
    finally:
        document.close()
    _name_bullets(pages)
    texts = [line.text for page in pages for line in (*page.upright, *page.turned)]
    images = [page.number for page in pages if page.image]
    if not any(texts):
        raise UnreadableFile(
            f"its pages are images without text; {_OCR}" if images else "it has no text"
        )
    if _is_illegible(texts):
        raise UnreadableFile(
            f"its text cannot be read, because its fonts do not say which letters they show; {_OCR}"
        )
    writer = _Writer()
    for each in _paragraphs(pages):
        writer.write_paragraph(each)
    body = writer.length
    for page in pages:
        for line in (*page.edges, *page.covered, *page.board):
            span, links = writer.write([line])
            kind = BlockKind.FURNITURE
            writer.blocks.append(Block(span, kind, page=page.number, size=line.size, links=links))
    text = "".join(writer.parts)
    body += len(text[body:]) - len(text[body:].lstrip())
    notes = [
        ReadingNote(kind, tuple(found), len({page.number for page in pages}))
        for kind, found in (
            (NoteKind.IMAGES, images),
            (NoteKind.COVERED, [page.number for page in pages if page.covered]),
            (NoteKind.GRID, [page.number for page in pages if page.board]),
            (NoteKind.OVERLAPPING, [page.number for page in pages if page.overlapping]),
        )
        if found
    ]
    sizes = dict(sorted((page.number, page.size) for page in pages))
    page_map = PageMap(sizes.values(), writer.places, *page_numbers(pages, labels))
    return ExtractedText(text, tuple(writer.blocks), body, outline, page_map, name, tuple(notes))


def _open(raw: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(raw)
        if len(document) > 0:
            return document
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium_c.FPDF_ERR_PASSWORD:
            raise UnreadableFile(
                "encrypted; open it with its password and save it without one"
            ) from error
        raise UnreadableFile("the PDF is damaged; open it in a viewer and save it again") from error
    document.close()
    raise UnreadableFile("the PDF has no pages")


def _is_illegible(lines: Iterable[str]) -> bool:
    """Return whether the fonts of ``lines`` do not map glyphs to letters: too many words have
    private-use characters, glyph names, or no vowels.

    Icons of a game's own font, which are separate words, do not count.
    """
    words = broken = told = voiced = names = 0
    for line in lines:
        names += len(_GLYPH_NAME.findall(line))
        for word in line.split():
            letters = "".join(filter(str.isalpha, word))
            unknown = len(_UNKNOWN.findall(word))
            if not letters and unknown < _ICONS:
                continue
            words += 1
            broken += unknown > 0 and len(letters) + unknown >= _ICONS
            plain = unicodedata.normalize("NFD", letters).casefold()
            latin = plain.isascii() or any("a" <= sign <= "z" for sign in plain)
            if len(letters) > 1 and not word.isupper() and latin:
                told += 1
                voiced += any(sign in "aeiouy" for sign in plain)
    if names > _FEW or (words >= _FEW and broken > _BROKEN * words):
        return True
    return told >= _FEW and voiced < _WITH_VOWELS * told


def _name_bullets(pages: Sequence[PrintedPage]) -> None:
    """Replace an unmapped glyph with a bullet if it occurs only at the beginning of lines, and
    several times.
    """
    lines = [line for page in pages for line in page.upright]
    everywhere = Counter(sign for line in lines for sign in _UNKNOWN.findall(line.text))
    before = Counter(line.text[0] for line in lines if _UNKNOWN.match(line.text[:1]))
    bullets = {sign for sign, count in before.items() if _BULLETS <= count == everywhere[sign]}
    for line in lines:
        if line.text[0] in bullets and line.text[1:2] == " ":
            line.text = "•" + line.text[1:]


def _paragraphs(pages: Sequence[PrintedPage]) -> list[PrintedParagraph]:
    """Return all paragraphs in reading order. Footnotes come after the text of their page, and
    after a paragraph that continues on the next page.
    """
    spacing = spacings(column for page in pages for column in page.columns)
    reader = ColumnReader(
        spacing, most_common_size(line for page in pages for line in page.upright)
    )
    found: list[PrintedParagraph] = []
    tables = 0
    for page in pages:
        notes: list[PrintedParagraph] = []
        for column in page.columns:
            blocks = reader.paragraphs(column)
            before = tables - _goes_on(found, blocks)
            for each in blocks:
                each.table += before if each.table else 0
            tables = max([tables, *(each.table for each in blocks)])
            first_note = len(blocks)  # in the lower half of the page, after all text
            while first_note and blocks[first_note - 1].footnote:
                if blocks[first_note - 1].lines[0].top <= page.size[1] / 2:
                    break
                first_note -= 1
            notes += blocks[first_note:]
            append(found, blocks[:first_note])
        for each in notes:
            each.footnote = True
        found += notes
        found += [PrintedParagraph([line], line.left, line.right) for line in page.turned]
    return found


def _goes_on(above: Sequence[PrintedParagraph], below: Sequence[PrintedParagraph]) -> bool:
    """Return whether a table continues, with the same columns, in the next column or page."""
    last, first = (above[-1], below[0]) if above and below else (None, None)
    if last is None or first is None or not last.table or not first.table:
        return False
    sizes = (
        max(each.columns[-1][1] for each in found if each.table == table)
        for found, table in ((above[-_ROWS:], last.table), (below[:_ROWS], first.table))
    )
    return abs(last.indent - first.indent) < first.size and len(set(sizes)) == 1


class _Writer:
    """Writes the canonical text, with blocks and the positions of lines on pages.

    A block is written as one line, as in rulebooks published as text, so that layout readers see
    whole headings and sentences. Only a word hyphenated at a line end keeps its hyphen, followed by
    a newline. An empty line separates blocks.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.places: list[TextLine] = []

    def write_paragraph(self, each: PrintedParagraph) -> None:
        span, links = self.write(each.lines)
        self.blocks.append(
            Block(
                span=span,
                kind=each.kind,
                level=each.level,
                mark=each.mark,
                page=each.lines[0].page,
                size=each.size,
                bold=all(line.bold for line in each.lines),
                italic=all(line.italic for line in each.lines),
                indent=each.indent,
                links=links,
                table=each.table,
                cells=self._cells_of(each),
            )
        )

    def _cells_of(self, row: PrintedParagraph) -> tuple[Cell, ...]:
        """Return the cells of ``row``, which was written last."""
        cells: list[Cell] = [()] * (max((last for _, last in row.columns), default=-1) + 1)
        places = self.places[len(self.places) - len(row.columns) :]
        for place, (first, last) in zip(places, row.columns, strict=True):
            for column in range(first, last + 1):
                cells[column] = (*cells[column], place.span)
        return tuple(cells)

    def write(self, lines: Sequence[PrintedLine]) -> tuple[Span, tuple[Link, ...]]:
        """Write ``lines`` as one block, and return their span and links."""
        if self.parts:
            self._add("\n\n")
        start, links = self.length, []
        for at, line in enumerate(lines):
            if at:
                self._add("\n" if hyphenated(lines[at - 1].text) else " ")
            first = self.length
            self._add(line.text)
            self.places.append(_place(line, Span(first, self.length)))
            links += [Link(Span(first + a, first + b), target) for a, b, target in line.targets]
        return Span(start, self.length), tuple(sorted(links))

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


def _place(line: PrintedLine, span: Span) -> TextLine:
    if not line.angle:
        return TextLine(span, line.page, round(line.top, 1), round(line.bottom, 1), line.edges)
    corners = [
        turn(x, y, line.angle) for x in (line.left, line.right) for y in (line.top, line.bottom)
    ]
    (left, *_, right), (top, *_, bottom) = (
        sorted(round(each, 1) for each in axis) for axis in zip(*corners, strict=True)
    )
    # Every part of a turned line gets the box of the whole line.
    edges = tuple(right if at % 2 else left for at in range(len(line.text) + 1))
    return TextLine(span, line.page, top, bottom, edges)


PDF = ExtractedFormat("pdf", _fits, _extract)


PRINTED, LABELS = "printed on the pages", "page labels of the file"

_PAGES = 3  # pages with ascending numbers, at least, to take these for page numbers
_FEW_NUMBERS = 4  # pages of a document in which two are enough
_AGREE = 0.8  # least share of printed numbers that equal the page labels, to use these
_ROMAN = re.compile(r"(?:\A|(?<=\s))\W?([ivxl]{1,7}|[IVXL]{1,7})\W?(?=\s|\Z)")
_LONGEST = 12  # characters of a page label


class _Sequence(NamedTuple):
    """A numbering of pages: whether it is in ``roman`` numbers, and the number that the first page
    in reading order would have.
    """

    roman: bool
    first: int


class _Number(NamedTuple):
    sequence: _Sequence
    text: str


def page_numbers(
    pages: Sequence[PrintedPage], labels: Sequence[str]
) -> tuple[tuple[tuple[PageNumber, ...], ...], str]:
    """Return the page numbers of each sheet from left to right, and their source: the edges of
    ``pages`` (in reading order), or the page ``labels`` of the sheets.

    A page without a number gets one if it is between two pages of one numbering, or directly before
    the first page of another.
    """
    printed = _printed(pages)
    sheets = max((page.number for page in pages), default=0)
    found: list[list[PageNumber]] = [[] for _ in range(sheets)]
    for page, text in zip(pages, printed, strict=True):
        if text:
            found[page.number - 1].append(PageNumber(page.left, text))
    source = PRINTED if any(found) else LABELS
    told = [numbers[0].text if numbers else "" for numbers in found]
    both = [one == other for one, other in zip(told, labels, strict=False) if one]
    if sum(both) >= _AGREE * len(both):
        for numbers, label in zip(found, labels, strict=False):
            if label and not numbers:
                numbers.append(PageNumber(0.0, label))
    if source == LABELS and all(label in ("", str(at)) for at, label in enumerate(labels, 1)):
        return (), ""
    return tuple(tuple(sorted(numbers)) for numbers in found), source if any(found) else ""


def page_labels(document: pdfium.PdfDocument) -> list[str]:
    """Return the page label of each sheet ("" if it is unusable), or [] if the PDF has none."""
    try:
        labels = [document.get_page_label(at).strip() for at in range(len(document))]
    except (pdfium.PdfiumError, UnicodeDecodeError, ValueError):
        return []
    return [label if len(label) <= _LONGEST and label.isprintable() else "" for label in labels]


def _printed(pages: Sequence[PrintedPage]) -> list[str]:
    """Return the number of each page, printed or derived from others, or ""."""
    told = [list(_numbers(page, at)) for at, page in enumerate(pages)]
    counts = Counter(count for each in told for count in {number.sequence for number in each})
    least = _PAGES if len(pages) > _FEW_NUMBERS else 2
    found: list[_Number | None] = []
    for page, numbers in zip(pages, told, strict=True):
        fitting = [each for each in numbers if counts[each.sequence] >= least]
        own = [each for each in numbers if page.printed is not None][:1]
        best = max(fitting, key=lambda each: counts[each.sequence], default=None)
        found.append(own[0] if own else best)
    _fill(found)
    return [each.text if each else "" for each in found]


def _numbers(page: PrintedPage, at: int) -> Iterator[_Number]:
    """Yield possible numbers of ``page``, which has index ``at`` in reading order."""
    if page.printed is not None:
        yield _Number(_Sequence(False, page.printed - at), str(page.printed))
    for line in page.edges:
        for roman in _ROMAN.findall(line.text):
            yield _Number(_Sequence(True, roman_value(roman) - at), roman)
        for digits in NUMBER.findall(line.text):
            yield _Number(_Sequence(False, int(digits) - at), digits)


def _fill(found: list[_Number | None]) -> None:
    """Give numbers to the pages between two of the same numbering; between two numberings, only to
    the last page before the second.
    """
    before: tuple[int, _Number] | None = None
    for at, number in enumerate(list(found)):
        if number is None:
            continue
        if before is not None:
            same = before[1].sequence == number.sequence
            for between in range(before[0] + 1 if same else max(before[0] + 1, at - 1), at):
                found[between] = _counted(number, between)
        before = at, number


def _counted(like: _Number, at: int) -> _Number | None:
    value = like.sequence.first + at
    if value < 1:
        return None
    roman = "I" if like.text.isupper() else "i"
    return _Number(like.sequence, numeral(value, roman) if like.sequence.roman else str(value))
