"""Counts the items of ODT lists and numbered headings."""

from __future__ import annotations

from corpus.formats.odt.odt_styles import LEVELS, OdtLevel


class ListCounter:
    """How far a list with the style ``name`` and its ``levels`` has been counted."""

    def __init__(self, levels: dict[int, OdtLevel], name: str = ""):
        self.name = name
        self.levels = levels
        self._counts: list[int | None] = [None] * (LEVELS + 1)

    def next(self, depth: int, start: int | None = None) -> str:
        """The mark of the next item at ``depth``, from 1; it counts from ``start`` if that is
        given.
        """
        depth = min(max(depth, 1), LEVELS)
        level = self.levels.get(depth, OdtLevel())
        count = self._counts[depth]
        self._counts[depth] = (
            start if start is not None else level.start if count is None else count + 1
        )
        self._counts[depth + 1 :] = [None] * (LEVELS - depth)
        if level.bullet:
            return level.bullet
        if not level.format:
            return ""
        numbers = []
        for at in range(max(depth - level.shown + 1, 1), depth + 1):
            other = self.levels.get(at, OdtLevel())
            count = self._counts[at]
            if printed := other.printed(other.start if count is None else count):
                numbers.append(printed)
        return f"{level.prefix}{'.'.join(numbers)}{level.suffix}".strip()
