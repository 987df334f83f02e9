"""Arrays in files mapped into memory: plain ones, rows of different lengths, compact vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST = 127
_CHUNK = 256  # vectors turned into floats at once: they fit into the cache of a processor


def load_mapped(path: Path) -> NDArray[Any]:
    """Map the array in ``path`` into memory. Raises `OSError` or `ValueError`."""
    return np.asarray(np.load(path, mmap_mode="r"))  # a plain array is quicker than a memmap


def concatenated_ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenate the ranges from each of ``starts`` up to the end at the same position."""
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
        """Make ``rows`` rows: each of the ``values`` goes into the row of its owner; negative
        owners have no row.
        """
        whose, what = np.asarray(owners, dtype=np.int64), np.asarray(values, dtype=np.int32)
        whose, what = whose[whose >= 0], what[whose >= 0]
        first = np.cumsum(np.r_[0, np.bincount(whose, minlength=rows)])
        return cls(first, what[np.argsort(whose, kind="stable")])

    def __len__(self) -> int:
        return len(self.first) - 1

    def row(self, number: int) -> NDArray[np.int32]:
        """Return row ``number``."""
        return self.values[self.first.item(number) : self.first.item(number + 1)]

    def save(self, path: Path) -> None:
        """Write the rows to ``path``."""
        np.save(path.with_suffix(".npy"), self.values)
        np.save(path.with_suffix(".first.npy"), self.first)

    @classmethod
    def load(cls, path: Path) -> RaggedArray:
        """Map the rows at ``path``. Raises `OSError` or `ValueError` if they are damaged."""
        first = load_mapped(path.with_suffix(".first.npy"))
        values = load_mapped(path.with_suffix(".npy"))
        if not len(first) or len(values) != first[-1]:
            raise ValueError(f"{path.name}: the rows are not whole")
        return cls(first, values)


@dataclass(frozen=True)
class QuantizedVectors:
    """Vectors as ``values`` of 8 bits, shape (n, dimensions), times a step for each vector.

    Inner products of unit vectors with 256 dimensions are off by 0.003 at most.
    """

    values: NDArray[np.int8]
    steps: NDArray[np.float32]

    @classmethod
    def quantize(cls, vectors: NDArray[np.float32]) -> QuantizedVectors:
        """Quantize ``vectors``, shape (n, dimensions)."""
        greatest = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), np.float32(1e-12))
        steps = (greatest / np.float32(_MOST)).astype(np.float32)
        return cls(np.rint(vectors / steps[:, None]).astype(np.int8), steps)

    def __len__(self) -> int:
        return len(self.values)

    def products(
        self, rows: NDArray[np.integer], vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the inner products of some ``rows`` with ``vector``, shape (len(rows),)."""
        found = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _CHUNK):
            some = self.values.take(rows[start : start + _CHUNK], axis=0).astype(np.float32)
            np.dot(some, vector, out=found[start : start + len(some)])
        found *= self.steps.take(rows)
        return found

    def rows(self, numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Return some of the vectors, shape (len(numbers), dimensions)."""
        return np.asarray(self.values.take(numbers, axis=0) * self.steps.take(numbers)[:, None])

    def save(self, path: Path) -> None:
        """Write the vectors to ``path``."""
        np.save(path.with_suffix(".npy"), self.values)
        np.save(path.with_suffix(".steps.npy"), self.steps)

    @classmethod
    def load(cls, path: Path) -> QuantizedVectors:
        """Map the vectors at ``path``. Raises `OSError` or `ValueError` if they are damaged."""
        return cls(
            load_mapped(path.with_suffix(".npy")), load_mapped(path.with_suffix(".steps.npy"))
        )
