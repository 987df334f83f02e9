"""Finds tables in plain text: drawn with characters, ruled with lines of "===" or "---", or with
columns aligned by blanks or tabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from corpus.blocks import Block, BlockKind, Cell, Span
from corpus.formats.lines import SourceLine, cell_at, list_mark, piped_cells, span_of

_BORDER = re.compile(r"\+(?:[-=:]{1,500}\+){1,200}")
_BOXED = re.compile(r"[+|].*[+|]")
_CELLS = re.compile(r"\|.*\|")
_DELIMITER = re.compile(r"\|?(?:\s*:?[-=]{1,500}:?\s*[|+]){1,200}(?:\s*:?[-=]{1,500}:?)?")
_COLUMNS = re.compile(r"[-=]{2,}(?:\s+[-=]{2,})+")
_GROUP = re.compile(r"[-=]+")
_DASHED = re.compile(r"[-=\s]+")
_PIECE = re.compile(r"[^\s](?:\S|[^\S\t](?=\S))*")  # text without tabs and double blanks

_LEAST = 3  # lines of an aligned table
_LONGEST = 30  # characters of a cell (except the last), on average
_FEWEST = 2  # cells per line


class PlainTable(NamedTuple):
    """A table: the number of its ``lines``, and ``blocks`` for its rows and separators."""

    lines: int
    blocks: list[Block]


class _Row(NamedTuple):
    lines: list[SourceLine]
    cells: tuple[Cell, ...] = ()
    header: bool | None = None


def drawn_table(lines: Sequence[SourceLine], at: int) -> PlainTable | None:
    """Return the drawn or ruled table that begins with line ``at``, or None."""
    line = lines[at].text
    if _BORDER.fullmatch(line) or _CELLS.fullmatch(line):
        return _boxed(lines, at)
    if _COLUMNS.fullmatch(line):
        return _ruled(lines, at, at + 1)
    if at + 1 < len(lines) and _COLUMNS.fullmatch(lines[at + 1].text) and len(line.split()) > 1:
        return _ruled(lines, at, at)  # as written by pandoc
    return None


def _table(lines: Sequence[SourceLine], at: int, end: int, rows: Sequence[_Row]) -> PlainTable:
    in_rows = {id(line) for row in rows for line in row.lines}
    number = lines[at].start + 1
    made = [
        Block(
            span_of(row.lines),
            BlockKind.ROW,
            indent=float(row.lines[0].indent),
            table=number,
            cells=row.cells,
            header=row.header,
        )
        for row in rows
    ]
    made += [
        Block(line.span, BlockKind.FURNITURE)
        for line in lines[at:end]
        if line.text and id(line) not in in_rows
    ]
    return PlainTable(end - at, sorted(made, key=lambda block: block.span))


def _boxed(lines: Sequence[SourceLine], at: int) -> PlainTable | None:
    end = at
    while end < len(lines) and _BOXED.fullmatch(lines[end].text):
        end += 1
    if end - at < 2:
        return None
    run = lines[at:end]
    borders = [line for line in run if _BORDER.fullmatch(line.text)]
    parts: list[list[SourceLine]] = []
    header, above, new = 0, None, True
    for line in run:
        divides = bool(_DELIMITER.fullmatch(line.text) or _BORDER.fullmatch(line.text))
        if divides:
            if parts and not header and above is not None and ("=" in line.text or not borders):
                header = len(parts)
        elif new or len(borders) <= 2:  # between borders, rows may have several lines
            parts.append([line])
        else:
            parts[-1].append(line)
        above, new = line, divides
    edges = sorted({line.indent + m for line in borders for m in _plus_places(line.text)})
    rows = [
        _Row(
            part,
            _sliced(part, edges) if edges else piped_cells(part[0]),
            None if not header else at < header,
        )
        for at, part in enumerate(parts)
    ]
    return _table(lines, at, end, rows)


def _plus_places(text: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(r"\+", text))


def _sliced(lines: Sequence[SourceLine], edges: Sequence[int]) -> tuple[Cell, ...]:
    """Return the cells of a drawn row between the column ``edges``; if there is no border at an
    edge, the cell spans both columns.
    """
    cells: list[Cell] = []
    open_at = 0
    for left, right in pairwise(edges):
        signs = [line.text[right - line.indent : right - line.indent + 1] for line in lines]
        if not all(sign in ("|", "+", "") for sign in signs):
            open_at += 1
            continue
        left = edges[len(cells)]
        cell = _slice(lines, left + 1, right)
        cells += [cell] * (open_at + 1)
        open_at = 0
    return tuple(cells)


def _slice(lines: Sequence[SourceLine], left: int, right: int | None) -> Cell:
    found: list[Span] = []
    for line in lines:
        start = max(left - line.indent, 0)
        text = line.text[start : max(right - line.indent, 0) if right is not None else None]
        found += cell_at(text, line.start + start)
    return tuple(found)


def _ruled(lines: Sequence[SourceLine], at: int, first: int) -> PlainTable | None:
    """Return a table whose column positions are given by a line of "---".

    That line is above the table if ``first`` is after ``at``, otherwise it is below the header.
    """
    rule = lines[at] if first > at else lines[at + 1]
    lefts = [rule.indent + match.start() for match in _GROUP.finditer(rule.text)]
    end, header, rows = first, 0, list[_Row]()
    while end < len(lines) and lines[end].text:
        line = lines[end]
        if _COLUMNS.fullmatch(line.text) or (rows and _DASHED.fullmatch(line.text)):
            if header or (first == at and rows and end > at + 1):
                end += 1
                break
            below = lines[end + 1].text if end + 1 < len(lines) else ""
            if first > at and not below:  # the last line of a table without header
                end += 1
                break
            if "=" in line.text or first == at:
                header = len(rows)
        elif rows and line.indent >= lefts[1] and header != len(rows):
            rows[-1].lines.append(line)
        else:
            rows.append(_Row([line]))
        end += 1
    if len(rows) < 2:
        return None
    marked = [
        row._replace(cells=_columns(row.lines, lefts), header=number < header)
        for number, row in enumerate(rows)
    ]
    return _table(lines, at, end, marked)


def _columns(lines: Sequence[SourceLine], lefts: Sequence[int]) -> tuple[Cell, ...]:
    """Return the cells of a row whose columns begin at ``lefts``; text that crosses the beginning
    of the next column spans both.
    """
    cells: list[Cell] = []
    begun = 0
    for at, left in enumerate(lefts[1:], 1):
        across = any(
            line.text[max(left - 1 - line.indent, 0) : max(left + 1 - line.indent, 0)].strip()
            and " " not in line.text[max(left - 1 - line.indent, 0) : left + 1 - line.indent]
            for line in lines
            if left > line.indent
        )
        if not across:
            cells += [_slice(lines, lefts[begun], left)] * (at - begun)
            begun = at
    cells += [_slice(lines, lefts[begun], None)] * (len(lefts) - begun)
    return tuple(cells)


def aligned_tables(lines: Sequence[SourceLine], skipped: Set[int]) -> dict[int, PlainTable]:
    """Return the tables with columns aligned by blanks or tabs, by the index (from 0) of their
    first line; ``skipped`` lines are left out.
    """
    pieces = [
        [] if at in skipped or _drawn(line.text) else list(_PIECE.finditer(line.text))
        for at, line in enumerate(lines)
    ]
    found: dict[int, PlainTable] = {}
    at = 0
    while at < len(lines):
        end = at
        while (
            end < len(lines) and len(pieces[end]) >= _FEWEST and lines[end].page == lines[at].page
        ):
            end += 1
        if end - at >= _LEAST and (table := _aligned(lines, pieces, at, end)):
            found[at] = table
        at = max(end, at + 1)
    return found


def _drawn(text: str) -> bool:
    return bool(_DASHED.fullmatch(text) or _BOXED.fullmatch(text))


def _aligned(
    lines: Sequence[SourceLine], pieces: Sequence[Sequence[re.Match[str]]], at: int, end: int
) -> PlainTable | None:
    run, own = lines[at:end], pieces[at:end]
    if all(list_mark(line.text) for line in run):
        return None
    if all("\t" in line.text for line in run):
        rows = [_Row([line], _tabbed(line)) for line in run]
        wide = [len(row.cells) for row in rows]
        return _table(lines, at, end, rows) if max(wide) - min(wide) <= 1 else None
    spans = [
        (line.indent + piece.start(), line.indent + piece.end())
        for line, row in zip(run, own, strict=True)
        for piece in row
    ]
    lefts: list[int] = []
    reach = -1
    for left, right in sorted(spans):
        if left > reach:
            lefts.append(left)
        reach = max(reach, right)
    most = max(map(len, own))
    if len(lefts) < _FEWEST or len(lefts) < most - 1:
        return None
    rows = [_Row([line], _columns([line], lefts)) for line in run]
    inner = [sum(b - a for a, b in cell) for row in rows for cell in row.cells[:-1]]
    if sum(inner) > _LONGEST * len(inner):
        return None  # running text in columns
    return _table(lines, at, end, rows)


def _tabbed(line: SourceLine) -> tuple[Cell, ...]:
    cells, start = [], 0
    for text in line.text.split("\t"):
        cells.append(cell_at(text, line.start + start))
        start += len(text) + 1
    return tuple(cells)
