"""Ranking by words and by character n-grams: BM25 as bm25s computes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
from numpy.typing import NDArray


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) over texts given as lists of terms; k1 and b as in Lucene."""

    def __init__(self, ranker: bm25s.BM25):
        self._ranker = ranker

    @classmethod
    def build(cls, texts: Sequence[Sequence[str]], k1: float = 1.2, b: float = 0.6) -> Bm25:
        """Index ``texts``; text number i gets score number i."""
        ranker = bm25s.BM25(k1=k1, b=b)
        ranker.index([list(t) for t in texts], show_progress=False)
        return cls(ranker)

    def scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """The score of every text for ``terms``, shape (number of texts,); all 0 where no term is known."""
        known = [t for t in terms if t in self._ranker.vocab_dict]
        if not known:
            return np.zeros(int(self._ranker.scores["num_docs"]), dtype=np.float32)
        return np.asarray(self._ranker.get_scores(known), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Keep the index as arrays in ``folder``."""
        self._ranker.save(str(folder), show_progress=False)

    @classmethod
    def load(cls, folder: Path) -> Bm25:
        """The index kept in ``folder``. Raises `OSError` or `ValueError` where it is damaged."""
        ranker = bm25s.BM25.load(str(folder), mmap=True)
        for name in ("data", "indices", "indptr"):
            ranker.scores[name] = np.asarray(ranker.scores[name])  # a plain view of the mapped file is quicker
        return cls(ranker)
