"""A store of the passages of one edition, made in memory from texts: for trying what other texts
would do to an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.questions.prepared import SearchScope
from index.store.bm25 import Bm25, count_terms
from index.store.char_ngrams import CharNgramIndex
from index.store.file_store import ExhaustiveStore
from index.store.vectors import PassageVectors


class EditionStore:
    """Scores the passages of one edition, those from number ``first`` on; scopes must have all of
    them, and no others.
    """

    waits: ClassVar[bool] = False

    def __init__(
        self,
        first: int,
        terms: Iterable[Sequence[str]],
        words: Iterable[Sequence[str]],
        vectors: PassageVectors,
    ):
        bounds = (0, len(vectors.matrix))
        self._first = first
        self._store = ExhaustiveStore(
            Bm25.build(count_terms(terms), bounds), CharNgramIndex.build(words, bounds), vectors
        )

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> None:
        """None: all passages are scored."""

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> list[NDArray[np.float32]]:
        """See `Store`."""
        return self._store.words(queries, self._moved(scope))

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._store.characters(words, self._moved(scope))

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._store.vectors(vectors, self._moved(scope))

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See `Store`."""
        return self._store.phrasings(vector, numbers - self._first)

    def _moved(self, scope: SearchScope) -> SearchScope:
        """``scope`` as the store has it, whose passages are numbered from 0."""
        return replace(scope, numbers=scope.numbers - self._first, runs=((0, 1),))
