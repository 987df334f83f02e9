"""Rows of a comparison that people have joined or split by hand, which the alignment must keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from corpus.model import Passage


class FixedRow(NamedTuple):
    """The ids of the passages in one row; if one side is empty, each passage is a row of its
    own.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]


class FixedRows:
    """The ``rows`` of a comparison that somebody has fixed; no passage is in two of them."""

    def __init__(self, rows: Sequence[FixedRow] = ()):
        self.rows = tuple(rows)
        self._row = {id: n for n, row in enumerate(rows) for side in row for id in side}

    def __contains__(self, passage: str) -> bool:
        return passage in self._row

    def links(
        self, here: Sequence[Passage], there: Sequence[Passage], found: Iterable[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Yield pairs of indices into ``here`` and ``there`` that belong in one row: the links
        ``found`` between passages that nobody has fixed, and the pairs of the fixed rows.
        """
        yield from ((i, j) for i, j in found if here[i].id not in self and there[j].id not in self)
        numbers = [{p.id: n for n, p in enumerate(side)} for side in (here, there)]
        for row in self.rows:
            for one in row.left:
                for other in row.right:
                    if one in numbers[0] and other in numbers[1]:
                        yield numbers[0][one], numbers[1][other]

    def has(self, left: Sequence[Passage], right: Sequence[Passage]) -> bool:
        """Return whether somebody has fixed the row of ``left`` and ``right``."""
        return all(p.id in self for p in (*left, *right))


NO_FIXED_ROWS = FixedRows()
