"""Finds the numbers that items of ordered lists lost in print, where the printed numbers determine
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corpus.draft import DraftPassage


class ListItem(NamedTuple):
    """An item of a list: the offset of its text, its printed mark ("3", "b"), the number of its
    list, and its passage.
    """

    start: int
    mark: str | None
    list_number: int
    passage: DraftPassage


def missing_numbers(series: Sequence[ListItem]) -> list[tuple[ListItem, str]]:
    """The items of ``series`` that lost their number, each with its number ("3. ").

    ``series`` has the items of one level in document order. Numbers are restored between two
    printed numbers if there are exactly as many items as numbers missing between them, and at the
    beginning of a list if there are exactly as many items as numbers below the first printed one.
    """
    found: list[tuple[ListItem, str]] = []
    before = -1  # index of the last item with a printed number
    for index, item in enumerate(series):
        if item.mark is None:
            continue
        value = _value(item.mark)
        gap = series[before + 1 : index]
        last = series[before].mark if before >= 0 else None
        if (
            last is not None
            and last.isdigit() == item.mark.isdigit()
            and value - _value(last) == len(gap) + 1
        ):
            first = _value(last) + 1
        else:
            gap = [each for each in gap if each.list_number == item.list_number]
            first = 1
            if len(gap) != value - 1:
                gap = []
        found += [
            (each, f"{_printed(first + offset, item.mark)}. ") for offset, each in enumerate(gap)
        ]
        before = index
    return found


def _value(mark: str) -> int:
    return int(mark) if mark.isdigit() else ord(mark) - ord("a") + 1


def _printed(value: int, like: str) -> str:
    return str(value) if like.isdigit() else chr(ord("a") + value - 1)
