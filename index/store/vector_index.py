"""Finds the nearest of very many vectors, by an index of FAISS whose type depends on their number."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

GRAPH = 100_000  # vectors up to which a graph is quicker and its size does not matter
_LINKS = 32  # of a vector to others in the graph
_EF_SEARCH = 400  # vectors of the graph that are compared
_LEARNED_FROM = 40  # vectors for each cluster that clusters are learned from
_PROBED = 256  # clusters looked at: of 400 thousand vectors a fifth, for a recall at 10 of 0.98


class FaissType(StrEnum):
    """The kinds of index that FAISS has for so many vectors."""

    HNSW = "hnsw"  # a graph of neighbours (Malkov and Yashunin 2020)
    IVFPQ = "ivf-pq"  # clusters, and vectors in 64 bytes (Jégou, Douze and Schmid 2011)


def faiss_type(count: int) -> FaissType:
    """The type of index for ``count`` vectors."""
    return FaissType.HNSW if count <= GRAPH else FaissType.IVFPQ


class VectorIndex:
    """Nearest neighbours by inner product; not always the exact ones, so ask for more than are wanted and compare these."""

    def __init__(self, index: Any, type: FaissType):
        self._index = index
        self.type = type

    @classmethod
    def build(cls, vectors: NDArray[np.float32], type: FaissType | None = None) -> VectorIndex:
        """Index ``vectors``, shape (n, dimensions), as their number wants it or as a given ``type``."""
        faiss = _faiss()
        type = type or faiss_type(len(vectors))
        count, dimensions = vectors.shape
        if type is FaissType.HNSW:
            index = faiss.index_factory(dimensions, f"HNSW{_LINKS}_SQ8", faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = 160
            index.train(vectors[:: max(count // 50_000, 1)])
        else:
            clusters = max(int(2 * count**0.5), 16)
            index = faiss.index_factory(dimensions, f"IVF{clusters},PQ{dimensions // 4}", faiss.METRIC_INNER_PRODUCT)
            index.cp.niter = 10
            index.do_polysemous_training = False  # orders codes for a search that is not used here, and takes most of the time
            index.train(vectors[:: max(count // (clusters * _LEARNED_FROM), 1)])
        for start in range(0, count, 50_000):
            index.add(np.ascontiguousarray(vectors[start : start + 50_000]))
        return cls(index, type)

    def best(self, vector: NDArray[np.float32], count: int, allowed: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """About the ``count`` vectors nearest to ``vector``, shape (dimensions,), by number; of those ``allowed``, None for all."""
        faiss = _faiss()
        selector = None
        more = 1
        if allowed is not None:
            known = np.zeros(self._index.ntotal, dtype=np.bool_)
            known[allowed] = True
            bits = np.packbits(known, bitorder="little")
            selector = faiss.IDSelectorBitmap(bits)
            more = -(-self._index.ntotal // max(len(allowed), 1))
        if self.type is FaissType.HNSW:
            settings = faiss.SearchParametersHNSW(sel=selector, efSearch=max(_EF_SEARCH * min(more, 4), count))
        else:
            settings = faiss.SearchParametersIVF(sel=selector, nprobe=min(_PROBED * more, self._index.nlist))
        _, found = self._index.search(vector[None], count, params=settings)
        return np.asarray(found[0][found[0] >= 0], dtype=np.int64)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        _faiss().write_index(self._index, str(folder / f"{self.type}.faiss"))

    @classmethod
    def load(cls, folder: Path) -> VectorIndex:
        """What `save` wrote to ``folder``. Raises `OSError` or `RuntimeError` where it is damaged."""
        faiss = _faiss()
        faiss.omp_set_num_threads(1)  # one question at a time has nothing to share out
        path = next((p for t in FaissType if (p := folder / f"{t}.faiss").exists()), None)
        if path is None:
            raise OSError(f"{folder}: no index of vectors in it")
        return cls(faiss.read_index(str(path)), FaissType(path.stem))


def _faiss() -> Any:
    """FAISS, which only a large index needs; much of it is made when it is loaded, unknown to those who check types."""
    import faiss

    return faiss
