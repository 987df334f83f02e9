"""Passages in the form that pages show: paragraphs, nested bullets and tables as printed, with
marks and links in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise
from typing import NamedTuple

from corpus.languages import any_of
from corpus.model import Passage, Role, Span

_BULLET = re.compile(r"([ \t]*)•\s+")
_COUNT = re.compile(r"(\(?(?:\d{1,2}[a-z]?|[a-z])[.)]{1,2})\s+(?=\S)")
_STYLES = {
    "question": re.compile(rf"{any_of('labels.question')}\s*:\s"),
    "example": re.compile(
        rf"{any_of('labels.example', 'labels.for_example')}\b[^:.\n]{{0,12}}[:.]"
    ),
}


_LINE = 30  # characters in a line of a passage on a telephone


def lines_of(characters: int) -> int:
    """Return the number of lines that ``characters`` take on a telephone."""
    return -(-characters // _LINE)


class TextLink(NamedTuple):
    """A span of a passage's display text that links to ``url``, and a remark about the link."""

    span: Span
    url: str
    remark: str | None = None


class TextSymbol(NamedTuple):
    """A span of a passage's display text that is a symbol; ``sign`` is "" if no character fits."""

    span: Span
    sign: str
    name: str


class TextRemark(NamedTuple):
    """A misprinted span of a passage's display text, and a ``remark`` on it; ``meant`` is shown in
    its place, None if unknown.
    """

    span: Span
    meant: str | None
    remark: str


class StyledRun(NamedTuple):
    """A stretch of text with one appearance; ``symbol`` is a symbol's name, "" for plain text.

    ``remark`` explains a misprint. In an excerpt, a ``rest`` run is left out, a ``cut`` run follows
    omitted text, and the last run shown ``ends``.
    """

    text: str
    mark: bool = False
    link: TextLink | None = None
    symbol: str = ""
    remark: str = ""
    rest: bool = False
    cut: bool = False
    ends: bool = False


class TableCell(NamedTuple):
    """A table cell that spans ``columns`` columns."""

    runs: list[StyledRun]
    columns: int = 1


class TableLine(NamedTuple):
    """A table row and its ``passage``; a ``title`` row is the heading of the rows below it."""

    passage: Passage
    cells: list[TableCell]
    title: bool = False


@dataclass
class TextBlock:
    """A paragraph, a bullet with nested blocks, or a table with ``header`` and ``rows``.

    ``number`` is the number or letter of a bullet; ``style`` is "question" or "example" if the
    first words say so, else empty; ``passage`` is set on the first block of a passage.
    """

    level: int
    bullet: bool
    number: str
    runs: list[StyledRun]
    role: Role
    style: str = ""
    passage: Passage | None = None
    children: list[TextBlock] = field(default_factory=list)
    header: list[TableLine] = field(default_factory=list)
    rows: list[TableLine] = field(default_factory=list)

    @property
    def rest(self) -> bool:
        """Whether the excerpt leaves out the whole block."""
        return all(run.rest for run in self.runs) and all(child.rest for child in self.children)

    @property
    def lines(self) -> int:
        """The approximate number of lines that its excerpt takes on a telephone."""
        shown = sum(len(run.text) for run in self.runs if not run.rest)
        rows = 2 * (len(self.header) + len(self.rows))
        return lines_of(shown) + rows + sum(child.lines for child in self.children)


class AnnotatedPassage(NamedTuple):
    """A passage with its links, symbols and misprints, and the marked spans of its display text.

    ``excerpt`` has the spans to show if space is short; it is empty if all are shown.
    """

    passage: Passage
    marks: Sequence[Span] = ()
    links: Sequence[TextLink] = ()
    symbols: Sequence[TextSymbol] = ()
    remarks: Sequence[TextRemark] = ()
    excerpt: Sequence[Span] = ()


def text_blocks(passages: Iterable[AnnotatedPassage]) -> list[TextBlock]:
    """Return ``passages`` as blocks, nested in the bullets above them.

    Consecutive rows are a table, a single row is a paragraph.
    """
    top: list[TextBlock] = []
    open_: list[TextBlock] = []
    for is_table, group in groupby(passages, lambda each: each.passage.row is not None):
        run = list(group)
        tables = is_table and len(run) > 1
        blocks = _tables(run) if tables else (b for each in run for b in _line_blocks(each))
        for block in blocks:
            while open_ and (
                open_[-1].level > block.level or (block.bullet and open_[-1].level == block.level)
            ):
                open_.pop()
            (open_[-1].children if open_ else top).append(block)
            if block.bullet:
                open_.append(block)
    return top


def _tables(run: Iterable[AnnotatedPassage]) -> list[TextBlock]:
    """Return the rows of ``run`` as tables, without headers repeated on the next page."""
    tables: list[TextBlock] = []
    for annotated in run:
        passage = annotated.passage
        cells: list[TableCell] = []
        before = None
        for span in passage.row.cells if passage.row else ():
            if span.end and span == before:
                cells[-1] = cells[-1]._replace(columns=cells[-1].columns + 1)
            else:
                cells.append(TableCell(_runs(annotated, *span) if span.end else []))
            before = span
        line = TableLine(passage, cells)
        head = passage.role is Role.HEADER
        title = head and sum(bool(cell.runs) for cell in cells) == 1
        if not tables or (head and not title and tables[-1].rows):
            if tables and any(same.cells == cells for same in tables[-1].header):
                continue
            tables.append(TextBlock(level=0, bullet=False, number="", runs=[], role=Role.TEXT))
        if head and not tables[-1].rows:
            tables[-1].header.append(line)
        else:
            tables[-1].rows.append(line._replace(title=title))
    return tables


def _line_blocks(annotated: AnnotatedPassage) -> list[TextBlock]:
    """Return one block for every line of a passage's display text, not nested yet."""
    passage, display = annotated.passage, annotated.passage.display
    blocks: list[TextBlock] = []
    indents: list[int] = []
    start = 0
    for line in display.split("\n"):
        end = start + len(line)
        first = not blocks
        level, bullet = passage.depth, passage.depth > 0 and first
        text = start + len(line) - len(line.lstrip())
        if match := _BULLET.match(line):
            bullet, text = True, start + match.end()
            level = (
                max(passage.depth, 1)
                if first
                else passage.depth + _nesting(indents, len(match.group(1)))
            )
        number = ""
        if match := _COUNT.match(display, text, end):
            # A numbered line is a bullet of its own below its lead-in; the number is its sign.
            number, text = match.group(1), match.end()
            if not bullet:
                bullet, level = True, passage.depth + 1
        if text < end:
            blocks.append(
                TextBlock(
                    level=level,
                    bullet=bullet,
                    number=number,
                    runs=_runs(annotated, text, end),
                    role=passage.role,
                    style=next(
                        (name for name, words in _STYLES.items() if words.match(display, text)), ""
                    ),
                    passage=passage if first else None,
                )
            )
        start = end + 1
    if annotated.excerpt:
        runs = _with_ends([run for block in blocks for run in block.runs])
        for block in blocks:
            block.runs = list(islice(runs, len(block.runs)))
    return blocks


def _nesting(indents: list[int], indent: int) -> int:
    """Return the nesting depth of a bullet after ``indent`` blanks, and update ``indents``, the
    indents of the open bullets.
    """
    while indents and indents[-1] > indent:
        indents.pop()
    if not indents or indents[-1] < indent:
        indents.append(indent)
    return len(indents)


def _runs(annotated: AnnotatedPassage, start: int, end: int) -> list[StyledRun]:
    """Return the display text from ``start`` to ``end``, split wherever a mark, link, symbol,
    misprint or excerpt begins or ends.

    Of overlapping links the first counts. A mark that ends within a symbol includes all of it.
    """
    display = annotated.passage.display
    links, last = [], 0
    for link in sorted(annotated.links, key=lambda link: link.span):
        if link.span.start >= last:
            links.append(link)
            last = link.span.end
    whole = {symbol.span: symbol for symbol in annotated.symbols}
    remarks = {remark.span: remark for remark in annotated.remarks}
    spans = [*annotated.marks, *(link.span for link in links), *whole, *remarks, *annotated.excerpt]
    cuts = {min(max(cut, start), end) for cut in (start, end, *(c for span in spans for c in span))}
    cuts -= {cut for cut in cuts for each in (*whole, *remarks) if each.start < cut < each.end}
    lost = [span for span in remarks if span.start == span.end and start <= span.start <= end]
    runs = []
    for span in sorted([*(Span(*pair) for pair in pairwise(sorted(cuts))), *lost]):
        a, b = span
        symbol, remark = whole.get(span), remarks.get(span)
        words = (symbol.sign or symbol.name) if symbol else display[a:b]
        around = (link for link in links if link.span.start <= a and b <= link.span.end)
        runs.append(
            StyledRun(
                text=remark.meant if remark and remark.meant is not None else words,
                mark=any(mark.start < b and a < mark.end for mark in annotated.marks),
                link=next(around, None),
                symbol=symbol.name if symbol else "",
                remark=remark.remark if remark else "",
                rest=bool(annotated.excerpt)
                and not any(shown.start <= a and b <= shown.end for shown in annotated.excerpt),
            )
        )
    return runs


def _with_ends(runs: list[StyledRun]) -> Iterator[StyledRun]:
    """Yield all ``runs`` of a passage, with ``cut`` after omitted text and ``ends`` on the last."""
    left_out = False
    last = max((n for n, run in enumerate(runs) if not run.rest), default=-1)
    for n, run in enumerate(runs):
        yield run if run.rest else run._replace(cut=left_out, ends=n == last)
        left_out = run.rest
