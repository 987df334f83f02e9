"""Vectors kept in half the room: whole numbers of 16 bits, which processors turn into floats far quicker than half precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST = 32767
_AT_ONCE = 256  # rows: what is turned into floats at once stays in the cache of a processor


class Compact:
    """Vectors, shape (n, dimensions), as whole multiples of ``step``: off by half of it at most, 1e-5 for unit vectors."""

    def __init__(self, values: NDArray[np.int16], step: float):
        self._values = values
        self._step = np.float32(step)

    def __len__(self) -> int:
        return len(self._values)

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> Compact:
        """``vectors``, shape (n, dimensions), made compact."""
        step = float(np.abs(vectors).max(initial=0.0)) / _MOST or 1.0
        return cls(np.rint(vectors / np.float32(step)).astype(np.int16), step)

    def products(self, rows: NDArray[np.integer], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Inner products of some ``rows`` with ``vector``, shape (len(rows),)."""
        found = np.empty(len(rows), dtype=np.float32)
        room = np.empty((_AT_ONCE, len(vector)), dtype=np.float32)
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            here = room[: len(some)]
            here[...] = self._values.take(some, axis=0)
            np.dot(here, vector, out=found[start : start + len(some)])
        found *= self._step
        return found

    def rows(self, numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Some of the vectors, shape (len(numbers), dimensions)."""
        return np.asarray(self._values.take(numbers, axis=0) * self._step)

    def save(self, path: Path) -> None:
        """Keep the vectors in ``path`` with the suffix npy, and their step beside them."""
        np.save(path.with_suffix(".npy"), self._values)
        np.save(path.with_suffix(".step.npy"), np.float64(self._step))

    @classmethod
    def load(cls, path: Path) -> Compact:
        """The vectors kept at ``path``, mapped into memory. Raises `OSError` or `ValueError` where they are damaged."""
        return cls(mapped(path.with_suffix(".npy")), float(np.load(path.with_suffix(".step.npy"))))


def mapped(path: Path) -> NDArray[Any]:
    """The array kept in ``path``, mapped into memory; a plain view of it, since that is quicker. Raises `OSError` or `ValueError`."""
    return np.asarray(np.load(path, mmap_mode="r"))
