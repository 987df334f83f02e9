"""BM25 by character n-grams; what each frequent word adds to the score of every text is computed
when the index is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import word_grams
from index.files.quantized import load_mapped
from index.files.row_reader import RowReader
from index.questions.prepared import EditionRun
from index.store.bm25 import MAX_CELLS, Bm25, count_pieces, count_terms, sum_rows

WORDS = 10_000  # words with a row: all but one of the words of a question
MAPPED = 1_000  # words whose rows are mapped, three of four of a question; mapping more made nothing quicker
_MOST = 65535


class CharNgramIndex:
    """BM25 of texts by the n-grams of their words.

    The score for a question is the sum of the scores for its words. ``rows``, shape (len(known),
    number of texts), has those of the words ``known`` as multiples of ``step``; those of word i are
    ``rows[row[i]]``, the most frequent words first. Where ``reader`` reads the same rows from their
    file, the rows of rarer words come from there. The n-grams of other words are looked up in
    ``grams``.
    """

    def __init__(
        self,
        grams: Bm25,
        known: StringTrie,
        row: NDArray[np.int32],
        rows: NDArray[np.uint16],
        step: float,
        reader: RowReader | None = None,
    ):
        self._grams, self._known, self._row, self._rows, self._step = (
            grams,
            known,
            row,
            rows,
            np.float32(step),
        )
        self._reader = reader

    @classmethod
    def build(
        cls, texts: Iterable[Sequence[str]], bounds: Sequence[int], frequent: int = WORDS
    ) -> CharNgramIndex:
        """Index ``texts``, given as lists of folded words, in blocks with these ``bounds`` (see
        `Bm25`).

        The most ``frequent`` words get rows, as far as there is `MAX_CELLS`.
        """
        counts = count_terms(texts)
        grams = Bm25.build(count_pieces(counts, word_grams), bounds)
        often = np.asarray(counts.times.sum(axis=0)).ravel()
        words = [
            counts.terms[n]
            for n in np.argsort(-often, kind="stable")[
                : min(frequent, MAX_CELLS // max(bounds[-1], 1))
            ]
        ]
        known = StringTrie(words)
        row = np.empty(len(known), dtype=np.int32)
        row[[known.number(word) for word in words]] = np.arange(len(known))
        whole = [(0, len(bounds) - 1)]
        scores = np.empty((len(words), bounds[-1]), dtype=np.float32)
        for found, word in zip(scores, words, strict=True):
            found[:] = grams.scores(word_grams(word), whole)
        step = float(scores.max(initial=0.0)) / _MOST or 1.0
        return cls(grams, known, row, np.rint(scores / np.float32(step)).astype(np.uint16), step)

    def scores(self, words: Sequence[str], runs: Sequence[EditionRun]) -> NDArray[np.float32]:
        """The score for folded ``words`` of the texts of some ``runs`` of blocks (first, last + 1),
        in their order.
        """
        known: list[int] = []
        rare: list[int] = []
        others: list[str] = []
        for word in words:
            number = self._known.number(word)
            if number == UNKNOWN:
                others += word_grams(word)
            elif (row := self._row.item(number)) < MAPPED or self._reader is None:
                known.append(row)
            else:
                rare.append(row)
        parts = [self._added(known, rare, *self._grams.span(run)) for run in runs]
        found = (
            parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype=np.uint32), *parts])
        ) * self._step
        return found + self._grams.scores(others, runs) if others else found

    def _added(
        self, known: Sequence[int], rare: Sequence[int], start: int, stop: int
    ) -> NDArray[np.uint32]:
        """The sum of the ``known`` rows and the ``rare`` ones between two columns."""
        found = sum_rows(self._rows, known, start, stop)
        if self._reader is not None:
            for row in rare:
                found += self._reader.row(row, start, stop)
        return found

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        self._grams.save(folder)
        self._known.save(folder / "words.marisa")
        np.save(folder / "words.row.npy", self._row)
        np.save(folder / "words.npy", self._rows)
        np.save(folder / "words.step.npy", np.float64(self._step))

    @classmethod
    def load(cls, folder: Path) -> CharNgramIndex:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        known, row, rows = (
            StringTrie.load(folder / "words.marisa"),
            load_mapped(folder / "words.row.npy"),
            load_mapped(folder / "words.npy"),
        )
        step, reader = (
            float(np.load(folder / "words.step.npy")),
            RowReader.load(folder / "words.npy"),
        )
        return cls(Bm25.load(folder), known, row, rows, step, reader)
