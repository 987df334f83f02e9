"""Ranking by character n-grams: what each frequent word adds to every text is worked out when the index is built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.strings import UNKNOWN, Strings
from index.analysis import word_grams
from index.files.compact import mapped
from index.questions.asked import Run
from index.store.bm25 import ROOM, Bm25, added, counted, divided

WORDS = 3_500  # that have a row: nine of ten words of a question
_MOST = 65535


class Characters:
    """BM25 of texts by the n-grams of their words.

    The score for a question is the sum of those for its words. ``rows``, shape (len(known), number of texts), has that of every
    word ``known`` as a multiple of ``step``, off by one in a hundred thousand of the greatest; the n-grams of another word are
    looked up in ``grams``.
    """

    def __init__(self, grams: Bm25, known: Strings, rows: NDArray[np.uint16], step: float):
        self._grams, self._known, self._rows, self._step = grams, known, rows, np.float32(step)

    @classmethod
    def build(cls, texts: Iterable[Sequence[str]], bounds: Sequence[int], frequent: int = WORDS) -> Characters:
        """Index ``texts``, given as lists of folded words, in blocks with these ``bounds`` (see `Bm25`).

        The most ``frequent`` words get rows, as far as there is `ROOM`.
        """
        counts = counted(texts)
        grams = Bm25.build(divided(counts, word_grams), bounds)
        often = np.asarray(counts.times.sum(axis=0)).ravel()
        known = Strings(counts.terms[n] for n in np.argsort(-often, kind="stable")[: min(frequent, ROOM // max(bounds[-1], 1))])
        whole = [(0, len(bounds) - 1)]
        scores = np.empty((len(known), bounds[-1]), dtype=np.float32)
        for number in range(len(known)):
            scores[number] = grams.scores(word_grams(known.string(number)), whole)
        step = float(scores.max(initial=0.0)) / _MOST or 1.0
        return cls(grams, known, np.rint(scores / np.float32(step)).astype(np.uint16), step)

    def scores(self, words: Sequence[str], runs: Sequence[Run]) -> NDArray[np.float32]:
        """The score for folded ``words`` of the texts of some ``runs`` of blocks (first, last + 1), in their order."""
        numbers = [self._known.number(word) for word in words]
        known = [number for number in numbers if number != UNKNOWN]
        others = [gram for word, number in zip(words, numbers, strict=True) if number == UNKNOWN for gram in word_grams(word)]
        spans = map(self._grams.span, runs)
        parts = [added(self._rows, known, start, stop) for start, stop in spans]
        found = (parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype=np.uint32), *parts])) * self._step
        return found + self._grams.scores(others, runs) if others else found

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        self._grams.save(folder)
        self._known.save(folder / "words.marisa")
        np.save(folder / "words.npy", self._rows)
        np.save(folder / "words.step.npy", np.float64(self._step))

    @classmethod
    def load(cls, folder: Path) -> Characters:
        """What is kept in ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        known, rows = Strings.load(folder / "words.marisa"), mapped(folder / "words.npy")
        return cls(Bm25.load(folder), known, rows, float(np.load(folder / "words.step.npy")))
