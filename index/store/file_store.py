"""Stores in the files of a snapshot: one that scores all passages, and one for more of them that
first finds candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.files.quantized import load_mapped
from index.questions.prepared import SearchScope
from index.store.bm25 import Bm25, count_terms
from index.store.char_forward_index import CharForwardIndex
from index.store.char_ngrams import CharNgramIndex
from index.store.forward_index import ForwardIndex
from index.store.impact_postings import ImpactPostings
from index.store.protocol import CANDIDATES_PER_SIGNAL, EXHAUSTIVE_LIMIT, Store
from index.store.vector_index import VectorIndex
from index.store.vectors import PassageVectors

SCANNED = (
    1_000  # passages of the editions asked for that are all scored, in an index with candidates
)


class FileStore:
    """What stores in files have in common: vectors mapped into memory."""

    waits: ClassVar[bool] = False

    def __init__(self, vectors: PassageVectors):
        self._vectors = vectors

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._vectors.passages(vectors, scope.numbers)

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See `Store`."""
        return self._vectors.phrasings(vector, numbers)


class ExhaustiveStore(FileStore):
    """A store for up to `EXHAUSTIVE_LIMIT` passages: all are scored, by postings and matrix
    products.
    """

    def __init__(self, words: Bm25, characters: CharNgramIndex, vectors: PassageVectors):
        super().__init__(vectors)
        self._words, self._characters = words, characters

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> None:
        """None: all passages are scored."""

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> list[NDArray[np.float32]]:
        """See `Store`."""
        return [self._words.scores(terms, scope.runs) for terms in queries]

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._characters.scores(words, scope.runs)


class CandidateStore(FileStore):
    """A store for more passages: the best by words and by vectors are found first, and only these
    candidates are scored.

    Character n-grams find no candidates, since a question has some two hundred of them, each in a
    tenth of all passages. Vectors are made of n-grams too and find what is misspelt.
    """

    def __init__(
        self,
        words: ForwardIndex,
        impact: ImpactPostings,
        characters: CharForwardIndex,
        vectors: PassageVectors,
        nearest: VectorIndex,
    ):
        super().__init__(vectors)
        self._words, self._impact, self._characters, self._nearest = (
            words,
            impact,
            characters,
            nearest,
        )

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """See `Store`."""
        if len(scope.numbers) <= SCANNED:
            return None
        allowed = None if len(scope.numbers) == len(self._words) else scope.numbers
        named = self._impact.best(self._words.numbers(terms), CANDIDATES_PER_SIGNAL, allowed)
        if len(scope.numbers) <= EXHAUSTIVE_LIMIT:
            near = [
                scope.numbers[_best(row)] for row in self._vectors.passages(vectors, scope.numbers)
            ]
        else:
            near = [
                self._nearest.best(vector, CANDIDATES_PER_SIGNAL, allowed) for vector in vectors
            ]
        return np.unique(np.concatenate([named, *near]))

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> list[NDArray[np.float32]]:
        """See `Store`."""
        return list(self._words.scores(queries, scope.numbers))

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._characters.scores(words, scope.numbers)


def _best(near: NDArray[np.float32]) -> NDArray[np.int64]:
    """The positions of the `CANDIDATES_PER_SIGNAL` greatest values, in no order."""
    return np.argpartition(-near, min(CANDIDATES_PER_SIGNAL, len(near)) - 1)[:CANDIDATES_PER_SIGNAL]


def save_vectors(
    folder: Path, vectors: PassageVectors, limit: int = EXHAUSTIVE_LIMIT, before: Path | None = None
) -> None:
    """Write to ``folder`` what a store needs of the ``vectors`` of passages; for more than
    ``limit`` also an index of the vectors.

    The folder ``before`` has those of another index, to which only new vectors are added where most
    are the same.
    """
    vectors.save(folder / "vectors")
    if len(vectors.matrix) > limit:
        known = (
            VectorIndex.renew(
                before / "nearest", load_mapped(before / "vectors" / "passages.npy"), vectors.matrix
            )
            if before
            else None
        )
        (known or VectorIndex.build(vectors.matrix)).save(folder / "nearest")


def save_words(
    folder: Path,
    terms: Iterable[Sequence[str]],
    words: Iterable[Sequence[str]],
    bounds: Sequence[int],
    limit: int = EXHAUSTIVE_LIMIT,
) -> None:
    """Write to ``folder`` the words of passages, for an `ExhaustiveStore` up to ``limit`` passages,
    else for a `CandidateStore`.

    ``terms`` are the index terms of each passage, ``words`` its folded words, whose n-grams are
    indexed. The passages of edition i are those from ``bounds[i]`` up to ``bounds[i + 1]``.
    """
    if bounds[-1] <= limit:
        Bm25.build(count_terms(terms), bounds).save(folder / "words")
        CharNgramIndex.build(words, bounds).save(folder / "characters")
        return
    forward = ForwardIndex.build(terms)
    forward.save(folder / "words")
    ImpactPostings.from_forward(forward).save(folder / "impact")
    CharForwardIndex.build(words).save(folder / "characters")


def load_file_store(folder: Path) -> Store:
    """The store in ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError`
    where it is damaged.
    """
    vectors = PassageVectors.load(folder / "vectors")
    if not (folder / "nearest").is_dir():
        return ExhaustiveStore(
            Bm25.load(folder / "words"), CharNgramIndex.load(folder / "characters"), vectors
        )
    return CandidateStore(
        words=ForwardIndex.load(folder / "words"),
        impact=ImpactPostings.load(folder / "impact"),
        characters=CharForwardIndex.load(folder / "characters"),
        vectors=vectors,
        nearest=VectorIndex.load(folder / "nearest"),
    )
