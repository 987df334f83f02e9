"""Finds the nearest of very many vectors, by an index of FAISS whose type depends on their
number.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.files.quantized import load_mapped

GRAPH = 100_000  # vectors up to which a graph is quicker and its size does not matter
_LINKS = 32  # of a vector to others in the graph
_EF_SEARCH = 400  # vectors of the graph that are compared
_LEARNED_FROM = 40  # vectors for each cluster that clusters are learned from
_ADDED = 50_000  # vectors that are handed over at once
_CHANGED = 0.1  # share of the vectors of an index that may be added to it, or be gone, before another one is built
_PROBED = 256  # clusters looked at: of 400 thousand vectors a fifth, for a recall at 10 of 0.98
_NUMBERS, _LEARNED = "numbers.npy", "learned.npy"


class FaissType(StrEnum):
    """The kinds of index that FAISS has for so many vectors."""

    HNSW = "hnsw"  # a graph of neighbours (Malkov and Yashunin 2020)
    IVFPQ = "ivf-pq"  # clusters, and vectors in 64 bytes (Jégou, Douze and Schmid 2011)


def faiss_type(count: int) -> FaissType:
    """The type of index for ``count`` vectors."""
    return FaissType.HNSW if count <= GRAPH else FaissType.IVFPQ


class VectorIndex:
    """Nearest neighbours by inner product; not always the exact ones, so ask for more than are
    wanted and compare these.

    ``numbers``, shape (n,), are those of the vectors in the order in which the ``index`` of FAISS
    got them, -1 for one that is not there any more; the first ``learned`` of them are those that it
    was made of, the others were added.
    """

    def __init__(self, index: Any, type: FaissType, numbers: NDArray[np.int64], learned: int):
        self._index = index
        self.type = type
        self._numbers, self._learned = numbers, learned

    @classmethod
    def build(cls, vectors: NDArray[np.float32], type: FaissType | None = None) -> VectorIndex:
        """Index ``vectors``, shape (n, dimensions), as their number wants it or as a given
        ``type``.
        """
        faiss = _faiss()
        type = type or faiss_type(len(vectors))
        count, dimensions = vectors.shape
        if type is FaissType.HNSW:
            index = faiss.index_factory(dimensions, f"HNSW{_LINKS}_SQ8", faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = 160
            index.train(vectors[:: max(count // 50_000, 1)])
        else:
            clusters = max(int(2 * count**0.5), 16)
            index = faiss.index_factory(
                dimensions, f"IVF{clusters},PQ{dimensions // 4}", faiss.METRIC_INNER_PRODUCT
            )
            index.cp.niter = 10
            index.do_polysemous_training = (
                False  # orders codes for a search that is not used here, and takes most of the time
            )
            index.train(vectors[:: max(count // (clusters * _LEARNED_FROM), 1)])
        found = cls(index, type, np.empty(0, dtype=np.int64), count)
        found._add(vectors, np.arange(count))
        return found

    def _add(self, vectors: NDArray[np.float32], numbers: NDArray[np.int64]) -> None:
        """Add those of ``vectors`` with some ``numbers``."""
        for start in range(0, len(numbers), _ADDED):
            self._index.add(np.ascontiguousarray(vectors[numbers[start : start + _ADDED]]))
        self._numbers = np.concatenate([self._numbers, numbers])

    @classmethod
    def renew(
        cls, folder: Path, before: NDArray[np.float32], vectors: NDArray[np.float32]
    ) -> VectorIndex | None:
        """Make the index in ``folder``, which is one of the vectors ``before``, into one of
        ``vectors``, by adding those that are new.

        None where so many are new or gone that another one has to be built. Raises what `load`
        raises.
        """
        numbers, learned = np.load(folder / _NUMBERS), int(np.load(folder / _LEARNED))
        places = _matched(before, vectors)
        here = np.flatnonzero(places >= 0)
        now = np.full(
            len(before) + 1, -1, dtype=np.int64
        )  # the numbers of the vectors before; what was gone, -1, is so still
        now[places[here]] = here
        numbers, new = now[numbers], np.flatnonzero(places < 0)
        changed = max(int((numbers < 0).sum()), len(numbers) + len(new) - learned)
        if (
            changed > _CHANGED * learned
            or not (folder / f"{faiss_type(len(vectors))}.faiss").exists()
        ):
            return None
        found = cls.load(folder)
        found._numbers = numbers
        found._add(vectors, new)
        return found

    def best(
        self, vector: NDArray[np.float32], count: int, allowed: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """About the ``count`` vectors nearest to ``vector``, shape (dimensions,), by number; of
        those ``allowed``, None for all.
        """
        faiss = _faiss()
        selector = None
        more = 1
        if allowed is not None:
            known = np.zeros(
                len(self._numbers) + 1, dtype=np.bool_
            )  # the last one stands for what is gone
            known[allowed] = True
            more = -(-self._index.ntotal // max(len(allowed), 1))
            selector = faiss.IDSelectorBitmap(np.packbits(known[self._numbers], bitorder="little"))
        elif not self._whole:
            selector = faiss.IDSelectorBitmap(np.packbits(self._numbers >= 0, bitorder="little"))
        if self.type is FaissType.HNSW:
            settings = faiss.SearchParametersHNSW(
                sel=selector, efSearch=max(_EF_SEARCH * min(more, 4), count)
            )
        else:
            settings = faiss.SearchParametersIVF(
                sel=selector, nprobe=min(_PROBED * more, self._index.nlist)
            )
        _, found = self._index.search(vector[None], count, params=settings)
        return np.asarray(self._numbers[found[0][found[0] >= 0]], dtype=np.int64)

    @cached_property
    def _whole(self) -> bool:
        """Whether all vectors that FAISS has are there still."""
        return bool((self._numbers >= 0).all())

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        _faiss().write_index(self._index, str(folder / f"{self.type}.faiss"))
        np.save(folder / _NUMBERS, self._numbers)
        np.save(folder / _LEARNED, np.int64(self._learned))

    @classmethod
    def load(cls, folder: Path) -> VectorIndex:
        """What `save` wrote to ``folder``. Raises `OSError`, `ValueError` or `RuntimeError` where
        it is damaged.
        """
        faiss = _faiss()
        faiss.omp_set_num_threads(1)  # one question at a time has nothing to share out
        path = next((p for t in FaissType if (p := folder / f"{t}.faiss").exists()), None)
        if path is None:
            raise OSError(f"{folder}: no index of vectors in it")
        return cls(
            faiss.read_index(str(path)),
            FaissType(path.stem),
            load_mapped(folder / _NUMBERS),
            int(np.load(folder / _LEARNED)),
        )


def _matched(before: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """For each of ``vectors`` the number of an equal one ``before``, each taken once; -1 where
    there is none; shape (len(vectors),).
    """
    places: dict[bytes, list[int]] = {}
    for number in range(len(before) - 1, -1, -1):
        places.setdefault(blake2b(before[number], digest_size=16).digest(), []).append(number)
    found = (places.get(blake2b(vector, digest_size=16).digest()) for vector in vectors)
    return np.array([numbers.pop() if numbers else -1 for numbers in found], dtype=np.int64)


def _faiss() -> Any:
    """FAISS, which only a large index needs; much of it is made when it is loaded, unknown to those
    who check types.
    """
    import faiss

    return faiss
