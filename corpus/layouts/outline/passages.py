"""Makes the passages of an entry: paragraphs, items with their sub-items, table rows, each with the
sentence that introduces it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from corpus import tables
from corpus.blocks import BlockKind, Cell
from corpus.display import COUNTED, readable
from corpus.draft import DraftPassage
from corpus.languages import any_of
from corpus.layouts.outline.units import SHORT_TITLE, Unit
from corpus.model import Role, Span
from corpus.sentences import is_question, sentences

_BOX = 1000  # most characters of a table with one column that is one passage

_SEE = re.compile(
    rf"[*_\s(]*(?:{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?"
    rf"|{any_of('references.related')})[*_ ]*:",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf"[*_\s(]*{any_of('labels.example', 'labels.for_example', 'labels.example_abbreviation')}\b",
    re.IGNORECASE,
)
# The end of a complete sentence or of a table row.
_CLOSED = re.compile(r"[.!?](?:</?\w{1,10}>|[^\w.!?:<]){0,8}\Z|\|\s*\Z")
_QUESTION = re.compile(rf"\W*{any_of('labels.question')}(?:\s\d{{1,3}})?\W{{0,4}}:", re.IGNORECASE)
_ANSWER = re.compile(rf"\W*{any_of('labels.answer')}\W{{0,4}}:", re.IGNORECASE)
_BOLD_QUESTION = re.compile(r"[^\w*]*+(?:\d{1,3}[.)]\s+)?\*\*[^*\n]{1,250}\?\*\*\s*\Z")


@dataclass
class PassageBuilder:
    """Adds units, in document order, to the ``passages`` of one entry.

    A question and its answer are one passage. The answer is the next paragraph, or, if the entry
    has ``many`` questions or they have labels, all text up to the next question. The first passage
    of a ``rule`` is not a list item, even if it begins like one.
    """

    text: str
    passages: list[DraftPassage]
    many: bool = False
    rule: bool = False
    _question: Unit | None = None  # its passage gets the next units
    _lead_in: Span | None = None  # of the current list
    _indent: float = 0.0  # of its last item
    _last: Unit | None = None
    _table: list[Unit] = field(default_factory=list)

    def add(self, unit: Unit, item: str) -> None:
        """Add ``unit``; ``item`` is the list number at its beginning, or ""."""
        if unit.block.kind is BlockKind.ROW:
            if self._table and self._table[-1].block.table != unit.block.table:
                self.close()
            self._table.append(unit)
            return
        self.close()
        above = self.passages[-1] if self.passages else None
        example = bool(_EXAMPLE.match(unit.text)) and not unit.bullet
        begins_item = (
            unit.bullet or bool(item) or (unit.first and unit.block.kind is BlockKind.ITEM)
        )
        same_block = self._last is not None and self._last.block is unit.block and not unit.first
        labelled = bool(_QUESTION.match(unit.text))
        if labelled or asks(unit, self.text):
            if begins_item:
                self._add_item(unit, item, above)
            else:
                self.passages.append(DraftPassage([unit.span]))
            listed = begins_item and self._last is not None and self._last is self._question
            self._question = unit if labelled or not listed else None
            self.many |= labelled
        elif above and self._answers(unit, above, begins_item, same_block):
            above.extend(unit.span, self.text)
            above.split_points.append(unit.span.start)
            self._question = self._question if self.many else None
        elif begins_item and not example:
            self._question = None
            self._add_item(unit, item, above)
        elif above and same_block and not above.row:
            above.extend(unit.span, self.text)
        elif (
            above
            and not above.row
            and ((above.role is Role.TEXT and example) or self._is_defined(unit))
        ):
            above.extend(unit.span, self.text)
            above.split_points.append(unit.span.start)
        else:
            self._question = None
            role = Role.SEE if _SEE.match(unit.text) else Role.TEXT
            self.passages.append(DraftPassage([unit.span], role))
        if unit.counted and unit.number:
            self.passages[-1].insertions[unit.span.start] = f"{unit.number.mark} {COUNTED}"
        self._last = unit

    def _add_item(self, unit: Unit, item: str, above: DraftPassage | None) -> None:
        if unit.first and unit.block.level:
            indent = unit.block.level * 100.0
        else:
            raw = self.text[unit.span.start : unit.span.start + 200]
            blanks = raw[: len(raw) - len(raw.lstrip(" \t"))]
            indent = unit.block.indent + len(blanks.expandtabs(4))
        if above and above.depth and not item and indent > self._indent:
            above.extend(unit.span, self.text)
            above.split_points.append(unit.span.start)
            return
        is_rule = self.rule and len(self.passages) == 1 and not self.passages[0].split_points
        if is_rule or not (above and above.depth):
            self._lead_in = lead_in(above, self.text)
        passage = DraftPassage([unit.span], depth=1, context=self._lead_in, item=item)
        self.passages.append(passage)
        self._indent = indent

    def _answers(
        self, unit: Unit, above: DraftPassage, begins_item: bool, same_block: bool
    ) -> bool:
        if _ANSWER.match(unit.text) and self._ends_asking(above):
            return True
        if self._question is None or same_block or _SEE.match(unit.text):
            return False
        if self._question.bullet or self._question.block.kind is BlockKind.ITEM:
            return not begins_item and not unit.text.endswith(":")
        return self.many or not begins_item

    def _is_defined(self, unit: Unit) -> bool:
        # Whether the line above is the term that ``unit`` defines: less indented, and bold or
        # directly above.
        term = self._last
        if term is None or not (term.alone and term.is_title) or term.bullet:
            return False
        near = self.text.count("\n", term.span.end, unit.span.start) == 1
        paragraph = unit.block.kind is term.block.kind is BlockKind.PARAGRAPH
        deeper = unit.indent > term.indent and len(term.text) <= SHORT_TITLE
        return paragraph and deeper and (term.block.bold or near)

    def _ends_asking(self, above: DraftPassage) -> bool:
        start, end = above.spans[-1]
        return is_question(self.text[max(start, end - 100) : end])

    def _add_rows(self, rows: Sequence[Unit], lead: Span | None) -> None:
        # One passage for each row; the header, and titles between rows, have another role.
        blocks = [row.block for row in rows]
        width = len(blocks[0].cells)
        for at, block in enumerate(blocks):
            if 0 < (count := len(block.cells)) < width:
                blocks[at] = replace(block, cells=(*block.cells, *[()] * (width - count)))
        texts = [[self._read(cell) for cell in block.cells] for block in blocks]
        count = tables.headers(blocks, texts)
        titles = [at for at, each in enumerate(texts) if at >= count and tables.is_title(each)]
        if 2 * len(titles) > len(rows) - count:
            titles = []
        header: list[int] = []  # rows
        title = ""
        context = lead
        for at, (block, cells) in enumerate(zip(blocks, texts, strict=True)):
            again = bool(cells) and any(texts[each] == cells for each in header)
            if not cells:
                self.passages.append(DraftPassage([block.span], context=context))
                continue
            if at < count or again or (block.header and at not in titles):
                if not again:
                    header = [*header, at] if header and at == header[-1] + 1 else [at]
                    context = Span(rows[header[0]].span.start, block.span.end)
                    if lead and not self.text[lead.end : context.start].strip():
                        context = Span(lead.start, context.end)
            elif at in titles:
                title = cells[0]
            else:
                heads = tables.labels([texts[each] for each in header], width)
                row = tables.read_row(block.cells, cells, heads, title)
                self.passages.append(
                    DraftPassage(
                        [block.span],
                        split_points=[cell[0].start for cell in block.cells if cell],
                        context=context,
                        row=row,
                        header=rows[header[0]].span.start if header else None,
                    )
                )
                continue
            row = tables.read_header(block.cells, cells)
            self.passages.append(DraftPassage([block.span], Role.HEADER, row=row))

    def _read(self, cell: Cell) -> str:
        return " ".join(readable(self.text, list(cell), {}).split())

    def close(self) -> None:
        """Add the table that is being collected, if any."""
        if not self._table:
            return
        rows, self._table = self._table, []
        self._question = None
        self._last = None
        above = lead_in(self.passages[-1] if self.passages else None, self.text)
        if max(len(row.block.cells) for row in rows) > 1:
            self._add_rows(rows, above)
        elif rows[-1].span.end - rows[0].span.start <= _BOX:
            box = DraftPassage([rows[0].span], context=above)
            for row in rows[1:]:
                box.extend(row.span, self.text)
            self.passages.append(box)
        else:
            self.passages += [DraftPassage([row.span]) for row in rows]


def asks(unit: Unit, text: str) -> bool:
    """Return whether ``unit`` of the document ``text`` is or begins a question."""
    if unit.block.kind not in (BlockKind.PARAGRAPH, BlockKind.ITEM):
        return False
    if _BOLD_QUESTION.match(text[unit.span.start : unit.span.end]):
        return True
    return unit.first and is_question(text[unit.block.span.start : unit.block.span.end])


def lead_in(passage: DraftPassage | None, text: str) -> Span | None:
    """Return the last sentence of ``passage`` if it introduces the next text, because it is
    unfinished or ends with a colon; otherwise None.
    """
    if passage is None or passage.role is not Role.TEXT or passage.row or not passage.spans:
        return None
    start, end = passage.spans[-1]
    pieces = sentences(text[start:end])
    if not pieces:
        return None
    last = Span(start + pieces[-1][0], start + pieces[-1][1])
    return None if _CLOSED.search(text, *last) else last


def listing(spans: Sequence[Span], text: str) -> list[DraftPassage]:
    """Return the lines of a table of contents as passages, one for each uninterrupted run."""
    passages: list[DraftPassage] = []
    for span in spans:
        if passages and not text[passages[-1].end : span.start].strip():
            passages[-1].extend(span, text)
            passages[-1].split_points.append(span.start)
        else:
            passages.append(DraftPassage([span], Role.LISTING))
    return passages
