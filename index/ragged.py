"""Rows of different lengths kept one after the other in an array: row i begins at ``first[i]`` and ends at ``first[i + 1]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def gathered(
    arrays: Sequence[NDArray[Any]], first: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
    """The ``rows`` of each of ``arrays``, one after the other, and how long each row is."""
    starts, ends = first[rows], first[rows + 1]
    places = ranges(starts, ends)
    return [array[places] for array in arrays], ends - starts


def ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers from each of ``starts`` up to the end beside it, one range after the other."""
    sizes = ends - starts
    return np.asarray(np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum()))
