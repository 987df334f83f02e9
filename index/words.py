"""Ranking by words and by character n-grams: BM25 as bm25s computes it, kept so that only what is looked at is added up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.strings import UNKNOWN, Strings
from index.compact import mapped

Run = tuple[int, int]

_MOST = 65535


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) over texts given as lists of terms; k1 and b as in Lucene.

    Texts are in blocks, one after the other. ``weights`` are what a term is worth in a text, as multiples of ``step`` (off by
    one in a hundred thousand of the greatest), ``texts`` the numbers of these, term by term and text by text; those of
    term t in block i are the places from ``cuts[t, i]`` up to ``cuts[t, i + 1]``. ``count`` is the number of texts.
    """

    def __init__(
        self,
        known: Strings,
        cuts: NDArray[np.unsignedinteger],
        texts: NDArray[np.unsignedinteger],
        weights: NDArray[np.uint16],
        step: float,
        count: int,
    ):
        self._known, self._cuts, self._texts, self._weights = known, cuts, texts, weights
        self._step, self._count = step, count
        self._number = lru_cache(maxsize=20_000)(known.number)

    @classmethod
    def build(cls, texts: Sequence[Sequence[str]], bounds: Sequence[int] | None = None, k1: float = 1.2, b: float = 0.6) -> Bm25:
        """Index ``texts``; text number i gets score number i. Block i is the texts from ``bounds[i]`` up to ``bounds[i + 1]``."""
        import bm25s  # brings scipy, and only building needs it

        bounds = bounds if bounds is not None else (0, len(texts))
        ranker = bm25s.BM25(k1=k1, b=b)
        ranker.index([list(t) for t in texts], show_progress=False)
        terms = {term: there for term, there in ranker.vocab_dict.items() if term}  # the empty one is bm25s' own
        known = Strings(terms)
        number = np.empty(len(terms), dtype=np.int64)  # of each of its terms, here
        for term, there in terms.items():
            number[there] = known.number(term)
        owners = np.repeat(number, np.diff(ranker.scores["indptr"]))
        found = np.asarray(ranker.scores["indices"])
        order = np.lexsort((found, owners))
        places = owners[order] * len(texts) + found[order]
        cuts = np.searchsorted(places, (np.arange(len(known)) * len(texts))[:, None] + np.asarray(bounds)[None, :])
        weights = np.asarray(ranker.scores["data"], dtype=np.float64)[order]
        step = float(weights.max(initial=0.0)) / _MOST or 1.0
        return cls(
            known,
            cuts.astype(np.min_scalar_type(len(places))),
            found[order].astype(np.min_scalar_type(len(texts))),
            np.rint(weights / step).astype(np.uint16),
            step,
            len(texts),
        )

    def scores(self, terms: Sequence[str], runs: Sequence[Run]) -> NDArray[np.float32]:
        """The score for ``terms`` of every text, shape (number of texts,), 0 outside of ``runs`` of blocks (first, last + 1)."""
        numbers = [number for number in map(self._number, terms) if number != UNKNOWN]
        texts, weights = [], []
        for first, end in runs:
            for start, stop in zip(self._cuts[numbers, first].tolist(), self._cuts[numbers, end].tolist(), strict=True):
                if start < stop:
                    texts.append(self._texts[start:stop])
                    weights.append(self._weights[start:stop])
        if not texts:
            return np.zeros(self._count, dtype=np.float32)
        # As `bincount` wants them, which by itself takes longer to turn them into that than to add them up.
        where, worth = np.concatenate(texts).astype(np.intp), np.concatenate(weights).astype(np.float64)
        return (np.bincount(where, worth, self._count) * self._step).astype(np.float32)

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        self._known.save(folder / "known.marisa")
        for name in ("cuts", "texts", "weights"):
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        np.save(folder / "scale.npy", np.array([self._step, self._count]))

    @classmethod
    def load(cls, folder: Path) -> Bm25:
        """What is kept in ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        cuts, texts, weights = (mapped(folder / f"{name}.npy") for name in ("cuts", "texts", "weights"))
        step, count = np.load(folder / "scale.npy").tolist()
        return cls(Strings.load(folder / "known.marisa"), cuts, texts, weights, step, int(count))
