"""Passages of an entry: paragraphs, items with their sub-items, rows of tables, each with the
sentence that leads in to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.blocks import BlockKind
from corpus.draft import DraftPassage
from corpus.languages import any_of
from corpus.layouts.outline.units import OutlineUnit
from corpus.model import Role, Span
from corpus.sentences import sentences

SMALL_TABLE = 1000  # characters of a table that is one passage

_SEE = re.compile(
    rf"[*_\s(]*(?:{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?|{any_of('references.related')})[*_ ]*:",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf"[*_\s(]*{any_of('labels.example', 'labels.for_example', 'labels.example_abbreviation')}\b",
    re.IGNORECASE,
)

_CLOSED = re.compile(
    r"[.!?](?:</?\w{1,10}>|[^\w.!?:<]){0,8}\Z|\|\s*\Z"
)  # how a sentence ends that stands for itself, or a row of a table
_QUESTION = re.compile(rf"\W*{any_of('labels.question')}\W{{0,4}}:", re.IGNORECASE)
_ANSWER = re.compile(rf"\W*{any_of('labels.answer')}\W{{0,4}}:", re.IGNORECASE)


class OutlinePassageBuilder:
    """Adds units, in document order, to the ``passages`` of one entry."""

    def __init__(self, text: str, passages: list[DraftPassage]):
        self._text = text
        self._passages = passages
        self._lead_in: Span | None = None
        self._item_indent = 0.0
        self._last: OutlineUnit | None = None
        self._table: list[OutlineUnit] = []

    def add(self, unit: OutlineUnit, numbered: bool = False) -> None:
        """Add ``unit``, which begins with the number of a list if it is ``numbered``."""
        if unit.block.kind is BlockKind.ROW:
            if self._table and not _same_table(self._table, unit):
                self._end_table()
            self._table.append(unit)
            return
        self._end_table()
        example = bool(_EXAMPLE.match(unit.text)) and not unit.bullet
        begins_item = unit.bullet or numbered or (unit.first and unit.block.kind is BlockKind.ITEM)
        if begins_item and not example:
            self._add_item(unit, numbered)
        elif (
            self._passages
            and self._last is not None
            and not unit.first
            and self._last.block is unit.block
        ):
            self._extend(unit.span)
        elif (
            self._passages
            and self._passages[-1].role is Role.TEXT
            and (example or self._answers(unit))
        ):
            self._extend(unit.span)
            self._passages[-1].split_points.append(unit.span.start)
        else:
            role = Role.SEE if _SEE.match(unit.text) else Role.TEXT
            self._passages.append(DraftPassage([unit.span], role))
        self._last = unit

    def close(self) -> None:
        """Add what has been kept back."""
        self._end_table()

    def _add_item(self, unit: OutlineUnit, numbered: bool) -> None:
        indent = _indent(unit, self._text)
        last = self._passages[-1] if self._passages else None
        in_list = last is not None and last.depth > 0
        if in_list and not numbered and indent > self._item_indent:
            self._extend(unit.span)
            self._passages[-1].split_points.append(unit.span.start)
            return
        if not in_list:
            self._lead_in = lead_in(last, self._text)
        self._passages.append(DraftPassage([unit.span], depth=1, context=self._lead_in))
        self._item_indent = indent

    def _answers(self, unit: OutlineUnit) -> bool:
        """Whether ``unit`` is the answer to the question that the last passage is."""
        start, end = self._passages[-1].spans[0]
        return bool(_ANSWER.match(unit.text)) and bool(_QUESTION.match(self._text, start, end))

    def _extend(self, span: Span) -> None:
        last = self._passages[-1]
        if self._text[last.spans[-1].end : span.start].strip():
            last.spans.append(span)
        else:
            last.spans[-1] = Span(last.spans[-1].start, span.end)

    def _end_table(self) -> None:
        if not self._table:
            return
        rows, self._table = self._table, []
        header = rows[-1].block.header
        if rows[-1].span.end - rows[0].span.start <= SMALL_TABLE:
            self._passages.append(
                DraftPassage(
                    [rows[0].span],
                    context=lead_in(self._passages[-1] if self._passages else None, self._text),
                )
            )
            for row in rows[1:]:
                self._extend(row.span)
        else:
            self._passages += [
                DraftPassage([row.span], context=_context(row, header)) for row in rows
            ]
        self._last = None


def _same_table(rows: Sequence[OutlineUnit], unit: OutlineUnit) -> bool:
    """Whether ``unit`` is a row of the table that ``rows`` are of: they have or begin its header,
    or no row has one.
    """
    header, own = rows[0].block.header, unit.block.header
    if own is None:
        return rows[-1].block.header is None
    return own.start == (header or rows[0].span).start


def _context(row: OutlineUnit, header: Span | None) -> Span | None:
    """The ``header`` for a row that is not part of it."""
    return None if header is None or row.span.end <= header.end else header


def lead_in(passage: DraftPassage | None, text: str) -> Span | None:
    """The last sentence of ``passage`` if it leads in to what comes after it: one that is not
    closed, or ends with a colon.
    """
    if passage is None or passage.role is not Role.TEXT or not passage.spans:
        return None
    start, end = passage.spans[-1]
    pieces = sentences(text[start:end])
    if not pieces or _CLOSED.search(text, start + pieces[-1][0], start + pieces[-1][1]):
        return None
    return Span(start + pieces[-1][0], start + pieces[-1][1])


def listing(spans: Sequence[Span], text: str) -> list[DraftPassage]:
    """The lines of a table of contents as one passage for each run of them that nothing
    interrupts.
    """
    passages: list[DraftPassage] = []
    for span in spans:
        if passages and not text[passages[-1].spans[-1].end : span.start].strip():
            passages[-1].spans[-1] = Span(passages[-1].spans[-1].start, span.end)
            passages[-1].split_points.append(span.start)
        else:
            passages.append(DraftPassage([span], Role.LISTING))
    return passages


def is_see_list(passages: Sequence[DraftPassage]) -> bool:
    """Whether ``passages`` are nothing but references to other entries."""
    return bool(passages) and all(passage.role is Role.SEE for passage in passages)


def _indent(unit: OutlineUnit, text: str) -> float:
    if unit.first and unit.block.level:
        return unit.block.level * 100.0
    blanks = re.match(r"[ \t]*", text[unit.span.start : unit.span.start + 200])
    within = len(blanks.group().expandtabs(4)) if blanks else 0
    return unit.block.indent + within
