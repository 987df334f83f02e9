"""Numbers that ordered lists lost in print: put back where the numbers that are left determine them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corpus.draft import DraftPassage


class ListItem(NamedTuple):
    """One item of a list: where its text begins, its printed mark ("3", "b"), its list, and its passage."""

    start: int
    mark: str | None
    list_number: int
    passage: DraftPassage


def missing_numbers(series: Sequence[ListItem]) -> list[tuple[ListItem, str]]:
    """Items of one level that lost their number, each with the number that belongs before it.

    A number is certain where as many items stand between two printed numbers as the numbers between them,
    or at the beginning of a list as many as the first printed number leaves open.
    """
    found: list[tuple[ListItem, str]] = []
    before = -1  # index of the last item with a printed number
    for index, item in enumerate(series):
        if item.mark is None:
            continue
        value = _value(item.mark)
        gap = series[before + 1 : index]
        last = series[before].mark if before >= 0 else None
        if last is not None and last.isdigit() == item.mark.isdigit() and value - _value(last) == len(gap) + 1:
            first = _value(last) + 1
        else:
            gap = [other for other in gap if other.list_number == item.list_number]
            first = 1
            if len(gap) != value - 1:
                gap = []
        found += [(other, f"{_printed(first + offset, item.mark)}. ") for offset, other in enumerate(gap)]
        before = index
    return found


def _value(mark: str) -> int:
    return int(mark) if mark.isdigit() else ord(mark) - ord("a") + 1


def _printed(value: int, like: str) -> str:
    return str(value) if like.isdigit() else chr(ord("a") + value - 1)
