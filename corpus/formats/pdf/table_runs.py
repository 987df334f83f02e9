"""Distinguishes table rows from text in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

from corpus.formats.pdf.characters import PrintedCharacter

# In units of the font size:
CELL = 1.8  # a wider gap separates cells
_NEAR = 1.0  # edges so near to each other are aligned
_NARROW = 8.0  # mean width of cells; lines of text columns are wider
_APART = 4.0  # largest distance of table rows
_FILLED = 0.7  # mean share of the width that lines of text fill
_GOING_ON = 0.3  # least share of these that continue a sentence
_LEAST = 3  # rows
_MOST_LINES = 8  # of a row on average
_ENDS = ".!?:;…"


class _Part(Protocol):
    """The interface of `corpus.formats.pdf.lines.Segment`: adjacent characters on a baseline."""

    characters: list[PrintedCharacter]
    left: float
    right: float
    baseline: float
    size: float
    order: int


def rows_of_tables(lines: Sequence[Sequence[_Part]]) -> set[int]:
    """Return the indices of the ``lines`` that are table rows: cells side by side, row after row in
    file order. (Text in columns is written column by column.)
    """
    cells = [_cells(row) for row in lines]
    found: set[int] = set()
    at = 0
    while at < len(lines):
        end = at + 1
        if len(cells[at]) < 2:
            at = end
            continue
        while end < len(lines) and _goes_on(cells, lines, at, end):
            end += 1
        while end > at and len(cells[end - 1]) < 2:
            end -= 1
        if _is_table(cells[at:end], lines[at:end]):
            found.update(range(at, end))
        at = max(end, at + 1)
    return found


class _Cell(NamedTuple):
    left: float
    right: float
    first: int  # position in file order
    last: int
    text: str


def _cells(row: Sequence[_Part]) -> list[_Cell]:
    found: list[list[_Part]] = []
    for part in sorted(row, key=lambda part: part.left):
        if found and part.left - found[-1][-1].right <= CELL * part.size:
            found[-1].append(part)
        else:
            found.append([part])
    return [
        _Cell(
            each[0].left,
            max(part.right for part in each),
            min(part.order for part in each),
            max(part.order for part in each),
            "".join(sign.text for part in each for sign in part.characters),
        )
        for each in found
    ]


def _goes_on(
    cells: Sequence[Sequence[_Cell]], lines: Sequence[Sequence[_Part]], start: int, at: int
) -> bool:
    size = lines[at][0].size
    if lines[at][0].baseline - lines[at - 1][0].baseline > _APART * size:
        return False
    above = [each for row in cells[max(start, at - 3) : at] for each in row]
    if len(cells[at]) == 1 and sum(each.left < cells[at][0].right for each in cells[at - 1]) > 1:
        return False  # over several columns
    return any(_aligned(one, other, size) for one in above for other in cells[at])


def _aligned(one: _Cell, other: _Cell, size: float) -> bool:
    middle = abs(one.left + one.right - other.left - other.right) / 2
    return min(middle, abs(one.left - other.left), abs(one.right - other.right)) < _NEAR * size


def _is_table(cells: Sequence[Sequence[_Cell]], lines: Sequence[Sequence[_Part]]) -> bool:
    rows = [row for row in cells if len(row) > 1]
    if len(rows) < (2 if all(len(row) > 2 for row in rows) else _LEAST):
        return False
    # Groups of lines that come one after the other in the file, too.
    firsts = [min(each.first for each in row) for row in cells]
    below = list(accumulate(reversed(firsts), min))[::-1]
    above = accumulate((max(each.last for each in row) for row in cells), max)
    groups = 1 + sum(last < first for last, first in zip(above, below[1:], strict=False))
    if groups < min(_LEAST, len(rows)) or len(cells) > _MOST_LINES * groups:
        return False
    size = lines[0][0].size
    widths = [each.right - each.left for row in rows for each in row]
    narrow = sum(widths) < _NARROW * size * len(widths)
    return 3 * groups < 2 * len(cells) or narrow or not _reads_down(rows, size)


def _reads_down(rows: Sequence[Sequence[_Cell]], size: float) -> bool:
    """Return whether each column of ``rows`` is filled with text continued from line to line."""
    count = Counter(map(len, rows)).most_common(1)[0][0]
    even = [row for row in rows if len(row) == count]
    for column in zip(*even, strict=True):
        reach = max(each.right for each in column) - min(each.left for each in column)
        mean = sum(each.right - each.left for each in column) / len(column)
        going = sum(
            below.text[:1].islower() and above.text[-1:] not in _ENDS
            for above, below in pairwise(column)
        )
        if mean < max(_FILLED * reach, _NARROW * size) or going < _GOING_ON * (len(column) - 1):
            return False
    return True
