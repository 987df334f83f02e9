"""Reads single rows of an array from its file, where mapping it would bring many more into
memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class RowReader:
    """An array of two dimensions in a file. A row is read when it is asked for, and is not cached.

    Reading a row of a mapped file brings the pages around it into memory (fifteen more by default
    on Linux), so that rows from everywhere soon have all of the file in memory.
    """

    def __init__(self, path: Path, start: int, kind: DTypeLike, shape: tuple[int, int]):
        """The array of ``shape`` that begins at byte ``start`` of ``path``. Raises `OSError`."""
        self._file = path.open("rb", buffering=0)
        self._start, self._kind, self._shape = start, np.dtype(kind), shape

    @classmethod
    def load(cls, path: Path) -> RowReader:
        """The array that numpy saved in ``path``. Raises `OSError` or `ValueError` where it is
        damaged.
        """
        found = np.load(path, mmap_mode="r")
        return cls(path, found.offset, found.dtype, found.shape)

    def __len__(self) -> int:
        return self._shape[0]

    def row(self, number: int, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """The columns of row ``number`` from ``start`` up to ``stop``, all of them where none are
        given.
        """
        stop = self._shape[1] if stop is None else stop
        return np.frombuffer(self._read(number, start, stop), self._kind, stop - start)

    def take(self, numbers: Iterable[int]) -> NDArray[Any]:
        """Some of the rows, shape (n, columns)."""
        columns = self._shape[1]
        return np.frombuffer(
            b"".join([self._read(number, 0, columns) for number in numbers]), self._kind
        ).reshape(-1, columns)

    def _read(self, number: int, start: int, stop: int) -> bytes:
        size = self._kind.itemsize
        return os.pread(
            self._file.fileno(),
            (stop - start) * size,
            self._start + (number * self._shape[1] + start) * size,
        )
