"""Writes the paragraphs of a PDF as its canonical text, with blocks and the places of lines on
pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.blocks import Block, BlockKind, Link, PageMap, TextLine
from corpus.formats.pdf.baseline_segments import PrintedLine
from corpus.formats.pdf.characters import turn
from corpus.formats.pdf.marks import hyphenated
from corpus.formats.pdf.pages import PrintedPage
from corpus.formats.pdf.paragraphs import PrintedParagraph
from corpus.spans import Span


class CanonicalText:
    """The canonical text while it is written.

    A block is one line, as in rulebooks that are published as text, so that their readers find
    headings and sentences whole. A word that is hyphenated at the end of a printed line stays so,
    with a newline after its hyphen. An empty line divides blocks.
    """

    def __init__(self, sizes: Sequence[tuple[float, float]]):
        self._sizes = sizes
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []
        self._places: list[TextLine] = []
        self._header: tuple[int, Span] | None = None  # of the last table

    @property
    def length(self) -> int:
        """The characters that have been written."""
        return self._length

    @property
    def text(self) -> str:
        """What has been written."""
        return "".join(self._parts)

    @property
    def pages(self) -> PageMap:
        """Where it stands on the pages."""
        return PageMap(self._sizes, self._places)

    def begin_page(self) -> None:
        """Let the next row begin a new table."""
        self._header = None

    def paragraph(self, each: PrintedParagraph) -> None:
        """Write a paragraph."""
        span, links = self._write(each.lines)
        header = None
        if each.table:
            if self._header is None or self._header[0] != each.table:
                self._header = (each.table, span)
            header = self._header[1]
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
                header=header,
            )
        )

    def furniture(self, pages: Iterable[PrintedPage]) -> None:
        """Write what stands at the edges of ``pages``."""
        for page in pages:
            for line in page.edges:
                span, links = self._write([line])
                self.blocks.append(
                    Block(span, BlockKind.FURNITURE, page=page.number, size=line.size, links=links)
                )

    def _write(self, lines: Sequence[PrintedLine]) -> tuple[Span, tuple[Link, ...]]:
        if self._parts:
            self._add("\n\n")
        start, links = self._length, []
        for at, line in enumerate(lines):
            if at:
                self._add("\n" if hyphenated(lines[at - 1].text) else " ")
            first = self._length
            self._add(line.text)
            self._places.append(_place(line, Span(first, self._length)))
            links += [
                Link(Span(first + begin, first + end), target)
                for begin, end, target in line.targets
            ]
        return Span(start, self._length), tuple(sorted(links))

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def _place(line: PrintedLine, span: Span) -> TextLine:
    if not line.angle:
        return TextLine(span, line.page, round(line.top, 1), round(line.bottom, 1), line.edges)
    corners = [
        turn(x, y, line.angle) for x in (line.left, line.right) for y in (line.top, line.bottom)
    ]
    left, right = round(min(x for x, _ in corners), 1), round(max(x for x, _ in corners), 1)
    edges = tuple(
        right if at % 2 else left for at in range(len(line.text) + 1)
    )  # any part of it is shown by the box of all
    return TextLine(
        span,
        line.page,
        round(min(y for _, y in corners), 1),
        round(max(y for _, y in corners), 1),
        edges,
    )
