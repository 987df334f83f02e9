"""What ranking asks of a store: which passages come into question, and how near these are; kept in files, by size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from index.questions.prepared import Where
from index.store.bm25 import Bm25, counted
from index.store.char_forward_index import Spelling
from index.store.char_ngrams import Characters
from index.store.forward_index import Forward
from index.store.impact_postings import Impact
from index.store.vector_index import Nearest
from index.store.vectors import Vectors

EXHAUSTIVE = 20_000  # passages of an index that are all looked at: beyond, candidates are quicker (measured, see docs/growth.md)
SCANNED = 1_000  # passages, in a larger index, of the editions asked for: so many are all looked at
NEAREST = 200  # candidates by vectors, and as many by words


class Unreachable(RegulaError, RuntimeError):
    """A store on another machine that does not answer, or not as it should; the message is one line."""


class Store(Protocol):
    """Where an index has its passages, numbered from 0 in the order of the library.

    Scores are of the passages ``where`` is looked, in their order, shape (len(where.numbers),). Words and characters are
    ranked by BM25, so that a passage without any of the terms has 0; vectors by inner product. ``waits`` says whether what is
    asked is worked out on another machine, which may raise `Unreachable`.
    """

    waits: ClassVar[bool]

    def candidates(self, terms: Sequence[str], vectors: NDArray[np.float32], where: Where) -> NDArray[np.int64] | None:
        """The numbers of the passages that come into question, ascending; None where all ``where`` is looked do.

        ``terms`` are those of the question in every language, ``vectors``, shape (m, dimensions), those of it and its parts.
        """

    def words(self, queries: Sequence[Sequence[str]], where: Where) -> Sequence[NDArray[np.float32]]:
        """How much of the terms of each of ``queries`` each passage has, one array for each."""

    def characters(self, words: Sequence[str], where: Where) -> NDArray[np.float32]:
        """How much of the character n-grams of a question's folded ``words`` each passage has."""

    def vectors(self, vectors: NDArray[np.float32], where: Where) -> NDArray[np.float32]:
        """How near each passage is to each of ``vectors``, shape (m, len(where.numbers))."""

    def phrasings(self, vector: NDArray[np.float32], numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How near the nearest phrasing of each of the passages ``numbers`` is to ``vector``, 0 for those without any."""


class _Mapped:
    """What stores in files have alike: vectors mapped into memory."""

    waits: ClassVar[bool] = False

    def __init__(self, vectors: Vectors):
        self._vectors = vectors

    def vectors(self, vectors: NDArray[np.float32], where: Where) -> NDArray[np.float32]:
        """See `Store`."""
        return self._vectors.passages(vectors, where.numbers)

    def phrasings(self, vector: NDArray[np.float32], numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """See `Store`."""
        return self._vectors.phrasings(vector, numbers)


class Exhaustive(_Mapped):
    """A store for up to `EXHAUSTIVE` passages: everything is looked at, by postings and matrix products."""

    def __init__(self, words: Bm25, characters: Characters, vectors: Vectors):
        super().__init__(vectors)
        self._words, self._characters = words, characters

    def candidates(self, terms: Sequence[str], vectors: NDArray[np.float32], where: Where) -> None:
        """All passages come into question."""

    def words(self, queries: Sequence[Sequence[str]], where: Where) -> list[NDArray[np.float32]]:
        """See `Store`."""
        return [self._words.scores(terms, where.runs) for terms in queries]

    def characters(self, words: Sequence[str], where: Where) -> NDArray[np.float32]:
        """See `Store`."""
        return self._characters.scores(words, where.runs)


class Sampled(_Mapped):
    """A store for more: the nearest by words and by vectors are found first, and only these are looked at.

    Characters find no candidates, since a question has some two hundred n-grams that each are in a tenth of all passages: of
    the candidates every n-gram is looked up. Vectors are made of n-grams too and find what is misspelt.
    """

    def __init__(self, words: Forward, impact: Impact, characters: Spelling, vectors: Vectors, nearest: Nearest):
        super().__init__(vectors)
        self._words, self._impact, self._characters, self._nearest = words, impact, characters, nearest

    def candidates(self, terms: Sequence[str], vectors: NDArray[np.float32], where: Where) -> NDArray[np.int64] | None:
        """See `Store`."""
        if len(where.numbers) <= SCANNED:
            return None
        allowed = None if len(where.numbers) == len(self._words) else where.numbers
        named = self._impact.best(self._words.numbers(terms), NEAREST, allowed)
        if len(where.numbers) <= EXHAUSTIVE:
            near = [where.numbers[_best(row)] for row in self._vectors.passages(vectors, where.numbers)]
        else:
            near = [self._nearest.best(vector, NEAREST, allowed) for vector in vectors]
        return np.unique(np.concatenate([named, *near]))

    def words(self, queries: Sequence[Sequence[str]], where: Where) -> list[NDArray[np.float32]]:
        """See `Store`."""
        return list(self._words.scores(queries, where.numbers))

    def characters(self, words: Sequence[str], where: Where) -> NDArray[np.float32]:
        """See `Store`."""
        return self._characters.scores(words, where.numbers)


def _best(near: NDArray[np.float32]) -> NDArray[np.int64]:
    """Where the `NEAREST` greatest stand, in no order."""
    return np.argpartition(-near, min(NEAREST, len(near)) - 1)[:NEAREST]


def keep_vectors(folder: Path, vectors: Vectors, limit: int = EXHAUSTIVE) -> None:
    """Keep in ``folder`` what a store needs of the ``vectors`` of passages: up to ``limit`` of these all are looked at."""
    vectors.save(folder / "vectors")
    if len(vectors.matrix) > limit:
        Nearest.build(vectors.matrix).save(folder / "nearest")


def keep_words(
    folder: Path, terms: Iterable[Sequence[str]], words: Iterable[Sequence[str]], bounds: Sequence[int], limit: int = EXHAUSTIVE
) -> None:
    """Keep in ``folder`` what a store needs of the words of passages: up to ``limit`` of these all are looked at.

    ``terms`` are the index terms of each passage, ``words`` its folded words, whose n-grams are indexed. Passages of edition i
    are those from ``bounds[i]`` up to ``bounds[i + 1]``.
    """
    if bounds[-1] <= limit:
        Bm25.build(counted(terms), bounds).save(folder / "words")
        Characters.build(words, bounds).save(folder / "characters")
        return
    forward = Forward.build(terms)
    forward.save(folder / "words")
    Impact.of(forward).save(folder / "impact")
    Spelling.build(words).save(folder / "characters")


def load(folder: Path, elsewhere: Mapping[str, str] | None = None, token: str = "") -> Store:
    """The store kept in ``folder``, or ``elsewhere``: at an ``address``, in a ``collection``, where ``token`` lets in.

    Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged, `Unreachable` where it does not answer.
    """
    if elsewhere:
        from index.store.milvus_store import Milvus  # brings its client, which nobody else needs

        return Milvus.load(folder, elsewhere["address"], elsewhere["collection"], token)
    vectors = Vectors.load(folder / "vectors")
    if not (folder / "nearest").is_dir():
        return Exhaustive(Bm25.load(folder / "words"), Characters.load(folder / "characters"), vectors)
    words, characters = Forward.load(folder / "words"), Spelling.load(folder / "characters")
    return Sampled(words, Impact.load(folder / "impact"), characters, vectors, Nearest.load(folder / "nearest"))
