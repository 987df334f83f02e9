"""The items of a list within one passage, line by line of what readers see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from index.timing.step_marks import mark_of, split_mark

_INDENT = re.compile(r"\s*")


@dataclass(frozen=True)
class ItemLine:
    """A line as it stands, ``raw``, without the white space around it; ``indent`` is what it was set in by, in characters."""

    raw: str
    indent: int

    @property
    def number(self) -> str:
        """The number or letter that it begins with, "" where it begins with none."""
        return split_mark(self.raw)[0]

    @property
    def words(self) -> str:
        """What stands behind the number."""
        return split_mark(self.raw)[1]


def item_lines(display: str) -> list[ItemLine]:
    """Return the lines of a passage."""
    return [ItemLine(line.strip(), len(_INDENT.match(line)[0])) for line in display.splitlines() if line.strip()]  # type: ignore[index]


def item_runs(lines: Sequence[ItemLine], after: int = 0) -> Iterator[list[int]]:
    """Yield the places of the items of every numbered list among ``lines`` from ``after`` on.

    What is set in deeper than the first item, or has no number, is part of an item, unless it has the number that comes next: indentation
    is not always kept.
    """
    place = after
    while place < len(lines):
        items = _items(lines, place) if mark_of(lines[place].raw) == 1 else []
        if len(items) > 1:
            yield items
        place = items[-1] + 1 if items else place + 1


def _items(lines: Sequence[ItemLine], first: int) -> list[int]:
    """Return the places of the items of the list whose first item is at ``first``."""
    indent, digits = lines[first].indent, lines[first].number.isdigit()
    items = [first]
    inner = False  # whether a list of the same sort has begun within the last item
    for place in range(first + 1, len(lines)):
        line = lines[place]
        mark = mark_of(line.raw) if line.number.isdigit() == digits else None
        if line.indent < indent:
            break
        if mark == len(items) + 1 and (line.indent == indent or not inner):
            items.append(place)
            inner = False
        elif mark == 1:
            inner = True
    return items
