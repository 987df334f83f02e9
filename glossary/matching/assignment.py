"""Things of two sides assigned to each other, each to one at most."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

L = TypeVar("L", bound=Hashable)
R = TypeVar("R", bound=Hashable)


def best_assignment(scores: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Rows and columns of ``scores`` assigned to each other with the greatest total (Kuhn 1955), the shorter side completely."""
    from scipy.optimize import linear_sum_assignment  # slow to load, and answering does without

    return [(int(row), int(column)) for row, column in zip(*linear_sum_assignment(-scores), strict=True)]


def mutual_best(scores: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Those of the best assignment that are each other's best and score more than 0."""
    for row, column in best_assignment(scores):
        if 0 < scores[row, column] == max(*scores[row], *scores[:, column]):
            yield row, column


def lead(scores: NDArray[np.float64], row: int, column: int) -> float:
    """By how much the score of a pair is greater than that of any other pair of its row or column, all of which are 0 or more."""
    others = max(np.delete(scores[row], column).max(initial=0), np.delete(scores[:, column], row).max(initial=0))
    return float(scores[row, column] - others)


def greedy_assignment(ranked: Iterable[tuple[L, R]]) -> Iterator[tuple[L, R]]:
    """Those of the pairs ``ranked``, the best first, whose sides are in no better pair."""
    left: set[L] = set()
    right: set[R] = set()
    for one, other in ranked:
        if one not in left and other not in right:
            left.add(one)
            right.add(other)
            yield one, other


def nearness(left: NDArray[Any], right: NDArray[Any], scale: float = 1.0) -> NDArray[np.float64]:
    """How near the places ``left`` and ``right`` are to each other, shape (len(left), len(right)): 1 where they are the same."""
    near: NDArray[np.float64] = 1 - np.abs(left[:, None] - right[None, :]) / scale
    return near
