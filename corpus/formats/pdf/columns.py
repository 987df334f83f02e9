"""Columns of a page in the order of reading: gutters that few lines cross divide it, and lines that
cross them stand between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpus.formats.pdf.baseline_segments import BaselineSegment, rows

_CROSSING = (
    0.35  # of the rows at most may cross a gutter: headings over both columns, pictures' captions
)
_FILLED = 0.5  # of a column its lines fill on average; cells of tables fill less
_LISTED = 0.2  # the same, where the file has one column after the other: then it is no table
_CHANGES = 0.25  # from one side of a gutter to the other for each row; a table that is written row by row has two
_LEAST_ROWS = 3
_LEAST_WIDTH = 8.0  # of the size: what is narrower is a list's numbers or a table's cells
_DEPTH = 3
_STEP = 2.0  # points
_GUTTER = 0.6  # of the size: the narrowest gutter
_STRAY = 0.03  # of the rows: page numbers and the like that stand in a gutter
_MARGIN = 0.12  # of the width: so near to an edge there is no gutter


def regions(
    parts: Sequence[BaselineSegment], depth: int = _DEPTH
) -> list[list[list[BaselineSegment]]]:
    """The columns of ``parts`` in the order of reading, each as its rows from top to bottom."""
    lines = rows(parts)
    gutter = _gutter(lines) if depth else None
    if gutter is None:
        return [lines] if lines else []
    found: list[list[list[BaselineSegment]]] = []
    wide: list[list[BaselineSegment]] = []  # rows over all columns
    for crosses, band in _bands(lines, gutter):
        left = [s for row in band for s in row if (s.left + s.right) / 2 < gutter]
        right = [s for row in band for s in row if (s.left + s.right) / 2 >= gutter]
        if crosses or len(band) < 2 or not (left and right):
            wide += band
            continue
        if wide:
            found.append(wide)
            wide = []
        found += regions(left, depth - 1) + regions(right, depth - 1)
    if wide:
        found.append(wide)
    return found


def _bands(
    lines: Sequence[list[BaselineSegment]], gutter: float
) -> Iterator[tuple[bool, list[list[BaselineSegment]]]]:
    """Runs of rows that all cross the ``gutter``, or all do not."""
    run: list[list[BaselineSegment]] = []
    crossing = False
    for row in lines:
        crosses = any(s.left < gutter < s.right for s in row)
        if run and crosses != crossing:
            yield crossing, run
            run = []
        crossing = crosses
        run.append(row)
    if run:
        yield crossing, run


def _gutter(lines: Sequence[list[BaselineSegment]]) -> float | None:
    """The middle of the gutter that most rows keep free, None where there is but one column."""
    parts = [s for row in lines for s in row]
    if len(lines) < _LEAST_ROWS or not parts:
        return None
    left, right = min(s.left for s in parts), max(s.right for s in parts)
    size = sorted(s.size for s in parts)[len(parts) // 2]
    count = int((right - left) / _STEP) + 2
    changes = [0] * (count + 1)
    for each in parts:
        changes[int((each.left - left) / _STEP)] += 1
        changes[min(int((each.right - left) / _STEP) + 1, count)] -= 1
    cover, covers = 0, []
    for change in changes[:count]:
        cover += change
        covers.append(cover)
    most = _CROSSING * len(lines)
    best, score = None, 0
    inner = int(_MARGIN * count)
    for first, end in _low(covers[: count - inner], most, inner):
        low = min(covers[first:end]) + max(2, _STRAY * len(lines))
        start, stop = max(_low(covers[:end], low, first), key=lambda run: run[1] - run[0])
        middle = left + (start + stop) / 2 * _STEP
        if (stop - start) * _STEP >= _GUTTER * size and (
            sided := _sided(lines, middle, size)
        ) > score:
            best, score = middle, sided
            free = max(
                _low(covers[:stop], min(covers[start:stop]), start), key=lambda run: run[1] - run[0]
            )
            if (
                sided := _sided(lines, left + sum(free) / 2 * _STEP, size)
            ) >= score:  # beside ragged lines, some of which reach far
                best, score = left + sum(free) / 2 * _STEP, sided
    return best


def _low(covers: Sequence[int], most: float, begin: int) -> Iterator[tuple[int, int]]:
    """Runs of places from ``begin`` on that at most ``most`` segments cover."""
    first = None
    for at in range(begin, len(covers)):
        if covers[at] > most:
            if first is not None:
                yield first, at
            first = None
        elif first is None:
            first = at
    if first is not None:
        yield first, len(covers)


def _sided(lines: Sequence[list[BaselineSegment]], gutter: float, size: float) -> int:
    """How many rows have text beside other rows, divided by the ``gutter``; 0 where these are no
    columns.
    """
    left: list[tuple[float, float]] = []
    right: list[tuple[float, float]] = []
    both = changes = 0
    for crosses, band in _bands(lines, gutter):
        if crosses:
            continue
        sides = [
            s.left >= gutter
            for s in sorted((s for row in band for s in row), key=lambda s: s.order)
        ]
        changes += sum(one != other for one, other in pairwise(sides)) - 1
        before = [[s for s in row if s.right <= gutter] for row in band]
        behind = [[s for s in row if s.left >= gutter] for row in band]
        left += [(min(s.left for s in row), max(s.right for s in row)) for row in before if row]
        right += [(min(s.left for s in row), max(s.right for s in row)) for row in behind if row]
        both += min(sum(map(bool, before)), sum(map(bool, behind)))
    if both < _LEAST_ROWS:
        return 0
    filled, width = (
        (_LISTED, _LEAST_WIDTH / 2) if changes <= _CHANGES * both else (_FILLED, _LEAST_WIDTH)
    )
    for side in (left, right):
        start, end = min(a for a, _ in side), max(b for _, b in side)
        mean = sum(b - a for a, b in side) / len(side)
        if mean < max(filled * (end - start), width * size):
            return 0
    return both
