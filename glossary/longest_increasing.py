"""Find which items of a sequence are in order, and the fewest that would have to move."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


def longest_increasing(places: Sequence[int]) -> set[int]:
    """Return the indices of the longest non-decreasing subsequence of ``places`` (Fredman 1975)."""
    tails: list[int] = []  # the least last place of a run of each length
    ends: list[int] = []  # and its index
    before: list[int] = []
    for at, place in enumerate(places):
        length = bisect_right(tails, place)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [at]
    members, at = set(), ends[-1] if ends else -1
    while at >= 0:
        members.add(at)
        at = before[at]
    return members


def out_of_order(places: Sequence[int]) -> set[int]:
    """Return the fewest indices of ``places`` that have to move to sort it."""
    return set(range(len(places))) - longest_increasing(places)
