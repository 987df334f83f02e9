"""Which words of two languages translate each other, learned from texts that correspond."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROUNDS = 6  # of expectation and maximization
_LEAST = 0.05  # sureness of a pair of words that is known
_SEEN = 2  # pairs of texts that have both words, at least
_LONG = 3  # letters of a word that stands for itself in another language: a name

Words = NDArray[np.int64]
"""The words of a text, as their numbers in a vocabulary."""


class Vocabulary:
    """The words of one side, numbered, and how many of ``texts`` have each."""

    def __init__(self, texts: Sequence[Sequence[str]]):
        self.words = list(dict.fromkeys(chain.from_iterable(texts)))
        self._number = {word: n for n, word in enumerate(self.words)}
        self.counts = np.bincount(
            np.concatenate([self.numbers(sorted(set(text))) for text in texts] or [self.numbers(())]), minlength=len(self.words)
        )

    def numbers(self, text: Sequence[str]) -> Words:
        """The numbers of the words of a text, all of which are known."""
        return np.array([self._number[word] for word in text], dtype=np.int64)


def learn_translations(pairs: Sequence[tuple[Words, Words]], left: Vocabulary, right: Vocabulary) -> csr_matrix:
    """How surely words translate each other, shape (words of ``left``, words of ``right``), from 0 to 1.

    IBM Model 1 (Brown et al. 1993) in both directions; a pair is as sure as the geometric mean of the two chances, which is high
    where each is what the other is mostly translated as. Names and numbers translate themselves.
    """
    from scipy.sparse import csr_matrix  # slow to load, and answering does without

    shape = len(left.words), len(right.words)
    cells, places = _cells(pairs, shape[1])
    known, cell, seen = np.unique(cells, return_inverse=True, return_counts=True)
    rows, columns = known // shape[1], known % shape[1]
    sure = np.sqrt(_model_1(cell, places[1], rows) * _model_1(cell, places[0], columns))
    accepted = (sure >= _LEAST) & (seen >= _SEEN)
    found = csr_matrix((sure[accepted], (rows[accepted], columns[accepted])), shape=shape)
    return found.maximum(_same_words(left, right))


def _cells(pairs: Sequence[tuple[Words, Words]], width: int) -> tuple[Words, tuple[Words, Words]]:
    """Each word of a left text with each of its right one, as the number of the pair, and at which place of either side it stands."""
    cells, places, start = [], ([], []), [0, 0]  # type: ignore[var-annotated]
    for left, right in pairs:
        cells.append(np.repeat(left, len(right)) * width + np.tile(right, len(left)))
        places[0].append(np.repeat(np.arange(len(left)), len(right)) + start[0])
        places[1].append(np.tile(np.arange(len(right)), len(left)) + start[1])
        start = [start[0] + len(left), start[1] + len(right)]
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *cells]), (np.concatenate([nothing, *places[0]]), np.concatenate([nothing, *places[1]]))


def _model_1(cell: Words, place: Words, source: Words) -> NDArray[np.float64]:
    """The chance of each pair of words, given its ``source``: each place is shared out among the words that may have given it."""
    chance = np.ones(len(source))
    for _ in range(_ROUNDS if len(source) else 0):
        weight = chance[cell]
        counts = np.bincount(cell, weights=weight / np.bincount(place, weights=weight)[place], minlength=len(source))
        chance = counts / np.bincount(source, weights=counts)[source]
    return chance


def _same_words(left: Vocabulary, right: Vocabulary) -> csr_matrix:
    from scipy.sparse import csr_matrix

    both = sorted(word for word in set(left.words) & set(right.words) if word.isdigit() or len(word) >= _LONG)
    return csr_matrix((np.ones(len(both)), (left.numbers(both), right.numbers(both))), shape=(len(left.words), len(right.words)))
