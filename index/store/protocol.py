"""What ranking asks of a store of passages, whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from index.questions.prepared import SearchScope

CANDIDATES_PER_SIGNAL = 200  # candidates by vectors, and as many by words


class StoreUnreachable(RegulaError, RuntimeError):
    """A store on another machine does not answer, or not as it should; the message is one line."""


class Store(Protocol):
    """Scores the passages of an index, which are numbered from 0 in the order of its library.

    Scores are for the passages of a ``scope``, in their order. Words and characters are ranked by
    BM25, so that a passage without any of the terms has 0; vectors by inner product. ``waits`` says
    whether another machine computes scores; then every method may raise `StoreUnreachable`.
    """

    waits: ClassVar[bool]

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """Return the passages that are worth scoring, ascending; None where all of ``scope`` are.

        ``terms`` are those of the question in every language, ``vectors``, shape (m, dimensions),
        those of it and of its parts.
        """

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> Sequence[NDArray[np.float32]]:
        """Return the BM25 scores for each of ``queries``, given as index terms."""

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """Return the BM25 scores for the character n-grams of a question's folded ``words``."""

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """Return the similarity to each of ``vectors``, shape (m, len(scope.numbers))."""

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return how near the nearest variant of each of ``numbers`` is to ``vector``, or 0."""
