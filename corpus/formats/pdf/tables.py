"""Groups the lines of a table into rows, and splits them into cells by columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from corpus.formats.pdf.lines import PrintedLine

# In units of the font size:
_SPACING = 1.35  # largest distance of lines in a cell
_WIDER = 1.2  # times the distance of lines, for rows
_BLANK = 0.2  # narrowest blank between words
_CLOSE = 0.8  # least distance of lines
_WORDS = 0.25  # a gap wider than a blank by this may separate cells
_GAP = 1.0  # a gap that separates cells in most rows
_SHORT = 40  # characters of a column header
_CROSSING = 6  # most titles and merged cells across a strip between columns
_ENDS = ".!?:;…"


class PrintedRow(NamedTuple):
    """A row of a table: its parts, line by line in each cell, and the first and last column (from
    0) of each part.
    """

    lines: list[PrintedLine]
    columns: list[tuple[int, int]]


def is_header(line: PrintedLine, lines: Sequence[PrintedLine]) -> bool:
    """Return whether ``line`` has one short text for each column of the table ``lines``."""
    most = _blank([line, *lines])
    columns = _columns(lines, most)
    cuts = {*_cuts(line, most), *_begun(line, _starts(lines, columns, most))}
    pieces = line.pieces(sorted(cuts))
    places = [_place(each, columns) for each in pieces]
    short = all(len(each.text) <= _SHORT and each.text[-1] not in _ENDS for each in pieces)
    alike = abs(line.size - lines[0].size) < 0.1 * line.size and not pieces[0].text.isdigit()
    return short and alike and places == [(at, at) for at in range(len(columns))]


def table_rows(lines: Sequence[PrintedLine]) -> list[PrintedRow]:
    """Return the rows of the table ``lines``; several lines may form one row."""
    most = _blank(lines)
    columns = _columns(lines, most)
    starts = _starts(lines, columns, most)
    printed = [
        _row(line, columns, sorted({*_cuts(line, most), *_begun(line, starts)})) for line in lines
    ]
    gaps = [(below.baseline - above.baseline) / below.size for above, below in pairwise(lines)]
    close = _WIDER * min((gap for gap in gaps if gap > _CLOSE), default=0.0)
    # If distances differ, lines within a row are closer, and in most of them a cell has ended.
    after = [
        row for row, gap in zip(printed[1:], gaps, strict=True) if gap <= close < _SPACING * _WIDER
    ]
    ended = sum(len(row.columns) < len(columns) for row in after)
    differ = len(after) < len(gaps) and 2 * ended > len(after)
    found: list[PrintedRow] = []
    for at, (line, row) in enumerate(zip(lines, printed, strict=True)):
        near = at > 0 and gaps[at - 1] <= max(close, _CLOSE)
        if near and (differ or _continues(found[-1], row, line.order[0], columns)):
            found[-1].lines.extend(row.lines)
            found[-1].columns.extend(row.columns)
        else:
            found.append(row)
    return [_sorted(row) for row in found]


def _row(line: PrintedLine, columns: Sequence[tuple[float, float]], cuts: list[int]) -> PrintedRow:
    places = [_place(each, columns) for each in line.pieces(cuts)]
    cuts = [cut for cut, pair in zip(cuts, pairwise(places), strict=True) if pair[0] != pair[1]]
    return PrintedRow(line.pieces(cuts), [place for place, _ in groupby(places)])


def _sorted(row: PrintedRow) -> PrintedRow:
    pairs = sorted(zip(row.columns, row.lines, strict=True), key=lambda pair: pair[0][0])
    return PrintedRow([line for _, line in pairs], [place for place, _ in pairs])


def _blank(lines: Sequence[PrintedLine]) -> float:
    """Return the largest width of a blank between words of ``lines``, in units of the font size."""
    blanks = (
        (line.edges[at + 1] - line.edges[at]) / line.size
        for line in lines
        for at, sign in enumerate(line.text)
        if sign == " "
    )
    return min(max(min(blanks, default=0.0), 0.2), 0.65) + _WORDS


def _cuts(line: PrintedLine, most: float) -> list[int]:
    """Return the offsets after blanks wider than ``most``."""
    blanks = (at for at, sign in enumerate(line.text) if sign == " ")
    wide = most * line.size
    return [at + 1 for at in blanks if line.edges[at + 1] - line.edges[at] > wide]


def _starts(
    lines: Sequence[PrintedLine], columns: Sequence[tuple[float, float]], most: float
) -> list[float]:
    """Return the left edges of the columns at which most lines begin a cell."""
    lefts = [round(p.left, 1) for line in lines for p in line.pieces(_cuts(line, most))[1:]]
    counts = Counter(lefts)
    return [left for left, _ in columns if 2 * counts[round(left, 1)] > len(lines)]


def _begun(line: PrintedLine, starts: Sequence[float]) -> list[int]:
    """Return the offsets of characters at the ``starts`` of columns, even after a full cell."""
    return [
        at
        for at in range(1, len(line.text))
        if not line.text[at].isspace()
        and not (line.text[at - 1].islower() and line.text[at].islower())
        and any(abs(line.edges[at] - start) < 0.06 * line.size for start in starts)
    ]


def _continues(
    above: PrintedRow, row: PrintedRow, first: int, columns: Sequence[tuple[float, float]]
) -> bool:
    """Return whether ``row``, which begins at position ``first`` in file order, continues the row
    ``above``, to which it is close.
    """
    if first < max(each.order[1] for each in above.lines):
        return True
    place = row.columns[0]
    if place[0] == 0 or len(row.lines) > 1 or place not in above.columns:
        return False
    last = above.lines[len(above.columns) - 1 - above.columns[::-1].index(place)]
    small = row.lines[0].text[0].islower() or last.text[-1] in "-,\u00ad"
    return small or last.right + _BLANK * last.size + row.lines[0].first_word > columns[place[0]][1]


def _columns(lines: Sequence[PrintedLine], most: float) -> list[tuple[float, float]]:
    """Return left and right edge of each column. White strips between columns are free in all
    lines, or in nearly all if titles and merged cells cross them.
    """
    pieces = [line.pieces(_cuts(line, most)) for line in lines]
    counts = Counter(len(_cuts(line, _GAP)) + 1 for line in lines)
    wanted = max(counts, key=lambda count: (counts[count], count))
    columns: list[tuple[float, float]] = []
    for crossing in range(1 + min(len(lines) // 4, _CROSSING)):
        columns = _divided([(p.left, p.right) for row in pieces for p in row], crossing)
        if len(columns) >= wanted:
            break
    return columns


def _divided(parts: Sequence[tuple[float, float]], crossing: int) -> list[tuple[float, float]]:
    # The ranges covered by more than ``crossing`` of the ``parts``.
    changes = sorted([(left, 1) for left, _ in parts] + [(right, -1) for _, right in parts])
    found: list[tuple[float, float]] = []
    cover, start = 0, 0.0
    for place, change in changes:
        if change > 0 and cover == crossing:
            start = place
        cover += change
        if change < 0 and cover == crossing:
            found.append((start, place))
    return found


def _place(piece: PrintedLine, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    middle = (piece.left + piece.right) / 2
    over = [
        at
        for at, (left, right) in enumerate(columns)
        if min(right, piece.right) - max(left, piece.left) > 0.5 * (right - left)
    ]
    if len(over) > 1:
        return over[0], over[-1]
    place = min(
        range(len(columns)),
        key=lambda at: (
            -max(0.0, min(columns[at][1], piece.right) - max(columns[at][0], piece.left)),
            abs(sum(columns[at]) / 2 - middle),
        ),
    )
    return place, place
