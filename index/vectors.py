"""Ranking by meaning: vectors of passages and of their phrasings, searched with FAISS."""

from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

NEAREST = 1500  # phrasings looked at; the best of each passage is nearly always among them


class Vectors:
    """Inner products of a question's vector with passages and with their phrasings.

    A passage's vector is the mean of its own and of the centre of itself and its phrasings: the rulebook's wording and
    the players' pull alike. ``owners[i]`` is the number of the passage that phrasing i is for.
    """

    def __init__(self, passages: faiss.Index, phrasings: faiss.Index, owners: NDArray[np.int32]):
        self._passages = passages
        self._phrasings = phrasings
        self._owners = owners

    @classmethod
    def build(cls, passages: NDArray[np.float32], phrasings: NDArray[np.float32], owners: NDArray[np.int32]) -> Vectors:
        """Index unit vectors of passages, shape (n, d), and of phrasings, shape (m, d), with the owners of these, shape (m,)."""
        centres = passages.copy()
        np.add.at(centres, owners, phrasings)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        return cls(_flat(np.asarray((passages + centres) / 2, dtype=np.float32)), _flat(phrasings), owners)

    def passages(self, vector: NDArray[np.float32], allowed: NDArray[np.int64]) -> NDArray[np.float32]:
        """Similarity of each passage to ``vector``, shape (dimensions,); 0 for those not in ``allowed``."""
        found = np.zeros(self._passages.ntotal, dtype=np.float32)
        if len(allowed):
            selector = faiss.SearchParameters(sel=faiss.IDSelectorBatch(allowed))  # type: ignore[call-arg]
            similarities, numbers = self._passages.search(vector[None, :], len(allowed), params=selector)
            found[numbers[0]] = similarities[0]
        return found

    def phrasings(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Similarity of each passage's nearest phrasing to ``vector``; 0 for a passage none of whose phrasings is near."""
        found = np.zeros(self._passages.ntotal, dtype=np.float32)
        if self._phrasings.ntotal:
            similarities, numbers = self._phrasings.search(vector[None, :], min(NEAREST, self._phrasings.ntotal))
            np.maximum.at(found, self._owners[numbers[0]], similarities[0])
        return found

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        faiss.write_index(self._passages, str(folder / "passages.faiss"))
        faiss.write_index(self._phrasings, str(folder / "phrasings.faiss"))
        np.save(folder / "owners.npy", self._owners)

    @classmethod
    def load(cls, folder: Path) -> Vectors:
        """What is kept in ``folder``. Raises `OSError`, `RuntimeError` or `ValueError` where it is damaged."""
        passages, phrasings = (faiss.read_index(str(folder / f"{name}.faiss")) for name in ("passages", "phrasings"))
        return cls(passages, phrasings, np.load(folder / "owners.npy"))


def _flat(vectors: NDArray[np.float32]) -> faiss.Index:
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors, dtype=np.float32))
    return index
