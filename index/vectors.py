"""Ranking by meaning: vectors of passages, searched with FAISS, and of the phrasings of those that come into question."""

from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray


class Vectors:
    """Inner products of a question's vector with passages and with their phrasings.

    A passage's vector is the mean of its own and of the centre of itself and its phrasings: the rulebook's wording and
    the players' pull alike. ``phrasings``, shape (m, d), are in the order of their passages; those of passage i are
    the rows from ``first[i]`` up to ``first[i + 1]``.
    """

    def __init__(self, passages: faiss.Index, phrasings: NDArray[np.float16], first: NDArray[np.int64]):
        self._passages = passages
        self._phrasings = phrasings
        self._first = first

    @classmethod
    def build(cls, passages: NDArray[np.float32], phrasings: NDArray[np.float32], owners: NDArray[np.int32]) -> Vectors:
        """Index unit vectors of passages, shape (n, d), and of phrasings, shape (m, d), with the owners of these, ascending."""
        centres = passages.copy()
        np.add.at(centres, owners, phrasings)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        index = faiss.IndexFlatIP(passages.shape[1])
        index.add(np.ascontiguousarray((passages + centres) / 2, dtype=np.float32))
        return cls(index, phrasings.astype(np.float16), np.searchsorted(owners, np.arange(len(passages) + 1)))

    def passages(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Similarity of each of ``vectors``, shape (m, d), to every passage, shape (m, n)."""
        found = np.zeros((len(vectors), self._passages.ntotal), dtype=np.float32)
        similarities, numbers = self._passages.search(vectors, self._passages.ntotal)
        np.put_along_axis(found, numbers, similarities, axis=1)
        return found

    def phrasings(self, vector: NDArray[np.float32], wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        """Similarity of the nearest phrasing of each passage in ``wanted`` to ``vector``, shape (len(wanted),); 0 without any."""
        counts = self._first[wanted + 1] - self._first[wanted]
        starts = np.cumsum(counts) - counts
        rows = np.repeat(self._first[wanted] - starts, counts) + np.arange(counts.sum())
        found = np.zeros(len(wanted), dtype=np.float32)
        if len(rows):
            near = self._phrasings[rows].astype(np.float32) @ vector
            found[counts > 0] = np.maximum.reduceat(near, starts[counts > 0])
        return np.maximum(found, 0.0)

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        faiss.write_index(self._passages, str(folder / "passages.faiss"))
        np.save(folder / "phrasings.npy", self._phrasings)
        np.save(folder / "first.npy", self._first)

    @classmethod
    def load(cls, folder: Path) -> Vectors:
        """What is kept in ``folder``. Raises `OSError`, `RuntimeError` or `ValueError` where it is damaged."""
        passages = faiss.read_index(str(folder / "passages.faiss"))
        phrasings = np.asarray(np.load(folder / "phrasings.npy", mmap_mode="r"))  # a plain view of the mapped file is quicker
        return cls(passages, phrasings, np.load(folder / "first.npy"))
