"""Rows of different lengths in one array: row i begins at ``first[i]`` and ends at ``first[i +
1]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.files.quantized import load_mapped


def gather_rows(
    arrays: Sequence[NDArray[Any]], first: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
    """The ``rows`` of each of ``arrays``, concatenated, and the length of each row."""
    starts, ends = first[rows], first[rows + 1]
    places = concatenated_ranges(starts, ends)
    return [array[places] for array in arrays], ends - starts


def concatenated_ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ranges from each of ``starts`` up to the end at the same position, concatenated."""
    sizes = ends - starts
    return np.asarray(
        np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    )


@dataclass(frozen=True)
class RaggedArray:
    """Rows of numbers: row i is ``values[first[i]:first[i + 1]]``."""

    first: NDArray[np.int64]
    values: NDArray[np.int32]

    @classmethod
    def from_owners(
        cls,
        owners: Sequence[int] | NDArray[np.integer],
        values: Sequence[int] | NDArray[np.integer],
        rows: int,
    ) -> RaggedArray:
        """``rows`` rows, each with the ``values`` whose owner it is, in their order; values with a
        negative owner are left out.
        """
        whose, what = np.asarray(owners, dtype=np.int64), np.asarray(values, dtype=np.int32)
        owned = whose >= 0
        whose, what = whose[owned], what[owned]
        return cls(
            np.cumsum(np.r_[0, np.bincount(whose, minlength=rows)]),
            what[np.argsort(whose, kind="stable")],
        )

    def __len__(self) -> int:
        return len(self.first) - 1

    def row(self, number: int) -> NDArray[np.int32]:
        """Row ``number``."""
        return self.values[self.first.item(number) : self.first.item(number + 1)]

    def save(self, path: Path) -> None:
        """Write the rows to ``path``."""
        np.save(path.with_suffix(".npy"), self.values)
        np.save(path.with_suffix(".first.npy"), self.first)

    @classmethod
    def load(cls, path: Path) -> RaggedArray:
        """The rows at ``path``, mapped into memory. Raises `OSError` or `ValueError` where they are
        damaged.
        """
        found = cls(
            load_mapped(path.with_suffix(".first.npy")), load_mapped(path.with_suffix(".npy"))
        )
        if not len(found.first) or len(found.values) != found.first[-1]:
            raise ValueError(f"{path.name}: the rows are not whole")
        return found
