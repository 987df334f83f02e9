"""PDF: characters as lines, lines in columns in the order of reading, columns as paragraphs,
without running heads and page numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

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
    ReadingNote,
    Span,
    TextLine,
)
from corpus.formats import ExtractedFormat, UnreadableFile
from corpus.formats.pdf.characters import turn
from corpus.formats.pdf.lines import PrintedLine
from corpus.formats.pdf.page_numbers import page_labels, page_numbers
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
_BROKEN = 0.04  # of the words may have letters that nobody can tell
_WITH_VOWELS = 0.7  # of the words of two letters or more; of texts that can be read more than 0.95
_ICONS = 3  # signs from which on they are a word
_FEW = 30  # words tell nothing
_BULLETS = 2  # of an unknown sign
_ROWS = 50  # of a table tell how many columns it has


def _fits(raw: bytes) -> bool:
    # A few bytes may stand before it.
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
    """Return whether ``lines`` are the signs of fonts that do not say which letters they show: too
    many words have signs of private use, glyph names, or no vowels.

    Icons of a game's own font, which stand by themselves, do no harm.
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
    """Write a bullet for a sign of which the font does not say what it shows, if it stands before
    several lines and nowhere else.
    """
    lines = [line for page in pages for line in page.upright]
    everywhere = Counter(sign for line in lines for sign in _UNKNOWN.findall(line.text))
    before = Counter(line.text[0] for line in lines if _UNKNOWN.match(line.text[:1]))
    bullets = {sign for sign, count in before.items() if _BULLETS <= count == everywhere[sign]}
    for line in lines:
        if line.text[0] in bullets and line.text[1:2] == " ":
            line.text = "•" + line.text[1:]


def _paragraphs(pages: Sequence[PrintedPage]) -> list[PrintedParagraph]:
    """Return all paragraphs in the order of reading; footnotes after the text of their page, and
    after a paragraph that runs on.
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
    """Return whether a table goes on with its columns in the next column or on the next page."""
    last, first = (above[-1], below[0]) if above and below else (None, None)
    if last is None or first is None or not last.table or not first.table:
        return False
    sizes = (
        max(each.columns[-1][1] for each in found if each.table == table)
        for found, table in ((above[-_ROWS:], last.table), (below[:_ROWS], first.table))
    )
    return abs(last.indent - first.indent) < first.size and len(set(sizes)) == 1


class _Writer:
    """The canonical text while it is written, with blocks and the places of lines on pages.

    A block is one line, as in rulebooks that are published as text, so that their readers find
    headings and sentences whole. A word that is hyphenated at the end of a printed line stays so,
    with a newline after its hyphen. An empty line divides blocks.
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
        """Return the cells of the row that has been written last."""
        cells: list[Cell] = [()] * (max((last for _, last in row.columns), default=-1) + 1)
        places = self.places[len(self.places) - len(row.columns) :]
        for place, (first, last) in zip(places, row.columns, strict=True):
            for column in range(first, last + 1):
                cells[column] = (*cells[column], place.span)
        return tuple(cells)

    def write(self, lines: Sequence[PrintedLine]) -> tuple[Span, tuple[Link, ...]]:
        """Write ``lines`` as one; return their span and links."""
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
    # Any part of it is shown by the box of all.
    edges = tuple(right if at % 2 else left for at in range(len(line.text) + 1))
    return TextLine(span, line.page, top, bottom, edges)


PDF = ExtractedFormat("pdf", _fits, _extract)
