"""Similarity by vectors: of passages, and of the phrasings of candidates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.files.quantized import QuantizedVectors, load_mapped
from index.files.ragged import concatenated_ranges

_CLOSE = 4  # times as many passages from the first to the last as are asked for


class PassageVectors:
    """Inner products of a question's vector with passages and with their phrasings.

    A passage's vector is the mean of its own and of the centre of itself and its phrasings: the
    rulebook's wording and the players' pull alike; ``passages`` has them, shape (n, d).
    ``phrasings``, shape (m, d), are in the order of their passages; those of passage i are the rows
    from ``first[i]`` up to ``first[i + 1]``.
    """

    def __init__(
        self, passages: NDArray[np.float32], phrasings: QuantizedVectors, first: NDArray[np.int64]
    ):
        self._passages = passages
        self._phrasings = phrasings
        self._first = first

    @classmethod
    def build(
        cls,
        passages: NDArray[np.float32],
        phrasings: NDArray[np.float32],
        owners: NDArray[np.int32],
    ) -> PassageVectors:
        """Index unit vectors of passages, shape (n, d), and of phrasings, shape (m, d), with the
        owners of these, ascending.
        """
        centres = passages.copy()
        np.add.at(centres, owners, phrasings)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        centres += passages  # in place: in a large index these are gigabytes
        centres /= 2
        return cls(
            centres,
            QuantizedVectors.quantize(phrasings),
            np.searchsorted(owners, np.arange(len(passages) + 1)),
        )

    @property
    def matrix(self) -> NDArray[np.float32]:
        """The vectors of the passages, shape (n, d)."""
        return self._passages

    @property
    def first(self) -> NDArray[np.int64]:
        """Where the phrasings of each passage begin, and where the last ones end, shape (n +
        1,).
        """
        return self._first

    def phrasing_rows(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of some phrasings, shape (len(rows), d)."""
        return self._phrasings.rows(rows)

    def passages(
        self, vectors: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Similarity of each of ``vectors``, shape (m, d), to the passages ``numbers``, which
        ascend, shape (m, len(numbers)).
        """
        if not len(numbers):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        start, stop = int(numbers[0]), int(numbers[-1]) + 1
        close = stop - start <= _CLOSE * len(
            numbers
        )  # then those between are cheaper to compare too than to leave out
        near = self._passages[start:stop] if close else self._passages[numbers]
        found = np.empty((len(vectors), len(near)), dtype=np.float32)
        for row, vector in zip(
            found, vectors, strict=True
        ):  # a product with few columns is slower than one column at a time
            np.dot(near, vector, out=row)
        return found[:, numbers - start] if close and len(near) > len(numbers) else found

    def phrasings(
        self, vector: NDArray[np.float32], wanted: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Similarity of the nearest phrasing of each passage in ``wanted`` to ``vector``, shape
        (len(wanted),); 0 without any.
        """
        begins, ends = self._first[wanted], self._first[wanted + 1]
        found = np.zeros(len(wanted), dtype=np.float32)
        some = begins < ends
        if some.any():
            near = self._phrasings.products(concatenated_ranges(begins, ends), vector)
            found[some] = np.maximum.reduceat(
                near, (np.cumsum(ends - begins) - (ends - begins))[some]
            )
        return np.maximum(found, 0.0)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "passages.npy", self._passages)
        self._phrasings.save(folder / "phrasings")
        np.save(folder / "first.npy", self._first)

    @classmethod
    def load(cls, folder: Path) -> PassageVectors:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError` or `ValueError`
        where it is damaged.
        """
        return cls(
            load_mapped(folder / "passages.npy"),
            QuantizedVectors.load(folder / "phrasings"),
            load_mapped(folder / "first.npy"),
        )
