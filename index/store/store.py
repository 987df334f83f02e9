"""The store of passages in the files of a snapshot, and a function that opens any store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.questions.prepared import SearchScope
from index.store.bm25 import EXHAUSTIVE_LIMIT, Bm25, FewGramScores, GramScores
from index.store.protocol import CANDIDATES_PER_SIGNAL, Store
from index.store.vectors import NearestVectors, PassageVectors

SCANNED = 1_000  # passages of a scope that are all scored, even in an index with candidates


class FileStore:
    """A store in files mapped into memory.

    Without ``nearest`` all passages are scored. With it, the best by words and by vectors are found
    first, and only these candidates are scored. Character n-grams find no candidates, since a
    question has some two hundred of them, each in a tenth of all passages. ``first`` is the number
    of the first passage in the store.
    """

    waits: ClassVar[bool] = False

    def __init__(
        self,
        words: Bm25,
        characters: GramScores | FewGramScores,
        vectors: PassageVectors,
        nearest: NearestVectors | None = None,
        first: int = 0,
    ):
        self._words, self._characters, self._vectors = words, characters, vectors
        self._nearest, self._first = nearest, first

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """See `Store`."""
        if self._nearest is None or len(scope.numbers) <= SCANNED:
            return None
        allowed = None if len(scope.numbers) == len(self._vectors.matrix) else scope.numbers
        found = [self._words.best(terms, CANDIDATES_PER_SIGNAL, allowed)]
        if len(scope.numbers) <= EXHAUSTIVE_LIMIT:
            for near in self._vectors.passages(vectors, scope.numbers):
                best = np.argpartition(-near, min(CANDIDATES_PER_SIGNAL, len(near)) - 1)
                found.append(scope.numbers[best[:CANDIDATES_PER_SIGNAL]])
        else:
            found += [self._nearest.best(each, CANDIDATES_PER_SIGNAL, allowed) for each in vectors]
        return np.unique(np.concatenate(found))

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> list[NDArray[np.float32]]:
        """See `Store`."""
        numbers = scope.numbers - self._first
        return [self._words.scores(terms, numbers) for terms in queries]

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._characters.scores(words, scope.numbers - self._first)

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._vectors.passages(vectors, scope.numbers - self._first)

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See `Store`."""
        return self._vectors.phrasings(vector, numbers - self._first)


def save_vectors(folder: Path, vectors: PassageVectors, limit: int = EXHAUSTIVE_LIMIT) -> None:
    """Write ``vectors`` to ``folder``; for more than ``limit`` passages, also an index of them."""
    vectors.save(folder / "vectors")
    if len(vectors.matrix) > limit:
        NearestVectors.build(vectors.matrix).save(folder / "nearest")


def open_store(folder: Path, remote: Mapping[str, str] | None = None, token: str = "") -> Store:
    """Open the store of the snapshot in ``folder``: in its files or, if ``remote`` is given, in its
    ``collection`` at its ``address``, where ``token`` authenticates.

    Raises `OSError`, `ValueError` or `RuntimeError` if files are damaged, `StoreUnreachable` if the
    other machine does not answer.
    """
    if remote:
        from index.store.milvus import MilvusStore  # imports its client, which nobody else needs

        return MilvusStore.load(folder, remote["address"], remote["collection"], token)
    many = (folder / "nearest").is_dir()
    return FileStore(
        Bm25.load(folder / "words"),
        (FewGramScores if many else GramScores).load(folder / "characters"),
        PassageVectors.load(folder / "vectors"),
        NearestVectors.load(folder / "nearest") if many else None,
    )
