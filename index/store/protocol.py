"""What ranking asks of a store of passages, whichever it is, and the fault of one that cannot be
reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from index.questions.prepared import SearchScope

EXHAUSTIVE_LIMIT = 20_000  # passages of an index that are all scored: beyond, candidates are quicker (measured, see docs/search.md)
CANDIDATES_PER_SIGNAL = 200  # candidates by vectors, and as many by words


class StoreUnreachable(RegulaError, RuntimeError):
    """A store on another machine does not answer, or not as it should; the message is one line."""


class Store(Protocol):
    """Scores the passages of an index, which are numbered from 0 in the order of its library.

    Scores are for the passages of a ``scope``, in their order, shape (len(scope.numbers),). Words
    and characters are ranked by BM25, so that a passage without any of the terms has 0; vectors by
    inner product. ``waits`` says whether scores are computed on another machine; then every method
    may raise `StoreUnreachable`.
    """

    waits: ClassVar[bool]

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """The numbers of the passages that are worth scoring, ascending; None where all of
        ``scope`` are.

        ``terms`` are those of the question in every language, ``vectors``, shape (m, dimensions),
        those of it and of its parts.
        """

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> Sequence[NDArray[np.float32]]:
        """The BM25 scores of the passages for each of ``queries``, given as index terms; one array
        for each.
        """

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """The BM25 scores of the passages for the character n-grams of a question's folded
        ``words``.
        """

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """The similarity of the passages to each of ``vectors``, shape (m, len(scope.numbers))."""

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The similarity of the nearest phrasing of each of the passages ``numbers`` to ``vector``;
        0 for passages without any.
        """
