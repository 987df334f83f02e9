"""Similarity of vectors: for passages, for their phrasings, and a search of very many by FAISS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.files.arrays import QuantizedVectors, concatenated_ranges, load_mapped

_CLOSE = 4  # passages from the first to the last per wanted one, up to which all are compared
_LEARNED_FROM = 40  # vectors for each cluster that clusters are learned from
_ADDED = 50_000  # vectors added at once
_PROBED = 256  # clusters looked at: of 400 thousand vectors a fifth, for a recall at 10 of 0.98
_NEAREST = "nearest.faiss"


class PassageVectors:
    """Inner products of a question's vector with passages and with their phrasings.

    A passage's vector is the mean of its own vector and the centre of itself and its phrasings, so
    that the rulebook's wording and the players' count alike; ``matrix``, shape (n, d), has these
    means. Phrasings, shape (m, d), are in the order of their passages; those of passage i are the
    rows from ``first[i]`` up to ``first[i + 1]``.
    """

    def __init__(
        self, matrix: NDArray[np.float32], phrasings: QuantizedVectors, first: NDArray[np.int64]
    ):
        self.matrix, self._phrasings, self.first = matrix, phrasings, first

    @classmethod
    def build(
        cls,
        passages: NDArray[np.float32],
        phrasings: NDArray[np.float32],
        owners: NDArray[np.int32],
    ) -> PassageVectors:
        """Index unit vectors of passages and of phrasings; ``owners``, ascending, are the passages
        of the phrasings.
        """
        centres = passages.copy()
        np.add.at(centres, owners, phrasings)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        centres += passages  # in place: in a large index these are gigabytes
        centres /= 2
        first = np.searchsorted(owners, np.arange(len(passages) + 1))
        return cls(centres, QuantizedVectors.quantize(phrasings), first)

    def phrasing_rows(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some phrasings, shape (len(rows), d)."""
        return self._phrasings.rows(rows)

    def passages(
        self, vectors: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Compare ``vectors``, shape (m, d), with the passages ``numbers``, which ascend.

        The result has the shape (m, len(numbers)).
        """
        if not len(numbers):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        start, stop = int(numbers[0]), int(numbers[-1]) + 1
        # To compare the passages in between too is cheaper than to leave them out.
        close = stop - start <= _CLOSE * len(numbers)
        near = self.matrix[start:stop] if close else self.matrix[numbers]
        found = np.empty((len(vectors), len(near)), dtype=np.float32)
        for row, vector in zip(found, vectors, strict=True):
            np.dot(near, vector, out=row)  # quicker than one product with few columns
        return found[:, numbers - start] if close and len(near) > len(numbers) else found

    def phrasings(
        self, vector: NDArray[np.float32], wanted: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the similarity of ``vector`` to each passage's nearest phrasing; 0 without any."""
        begins, ends = self.first[wanted], self.first[wanted + 1]
        found = np.zeros(len(wanted), dtype=np.float32)
        some = begins < ends
        if some.any():
            near = self._phrasings.products(concatenated_ranges(begins, ends), vector)
            starts = np.cumsum(ends - begins) - (ends - begins)
            found[some] = np.maximum.reduceat(near, starts[some])
        return np.maximum(found, 0.0)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "passages.npy", self.matrix)
        self._phrasings.save(folder / "phrasings")
        np.save(folder / "first.npy", self.first)

    @classmethod
    def load(cls, folder: Path) -> PassageVectors:
        """Map what `save` wrote to ``folder``. Raises `OSError` or `ValueError`."""
        return cls(
            load_mapped(folder / "passages.npy"),
            QuantizedVectors.load(folder / "phrasings"),
            load_mapped(folder / "first.npy"),
        )


class NearestVectors:
    """The nearest of very many vectors by FAISS: clusters, and vectors in few bytes (Jégou, Douze
    and Schmid 2011).

    The search is approximate, so ask for more than are wanted and compare these exactly.
    """

    def __init__(self, index: Any):
        self._index = index

    @classmethod
    def build(cls, vectors: NDArray[np.float32]) -> NearestVectors:
        """Index ``vectors``, shape (n, dimensions)."""
        count, dimensions = vectors.shape
        faiss = _faiss()
        clusters = max(int(2 * count**0.5), 16)
        kind = f"IVF{clusters},PQ{dimensions // 4}"
        index = faiss.index_factory(dimensions, kind, faiss.METRIC_INNER_PRODUCT)
        index.cp.niter = 10
        # It orders codes for a search that is not used here, and takes most of the time.
        index.do_polysemous_training = False
        index.train(vectors[:: max(count // (clusters * _LEARNED_FROM), 1)])
        for start in range(0, count, _ADDED):
            index.add(np.ascontiguousarray(vectors[start : start + _ADDED]))
        return cls(index)

    def best(
        self, vector: NDArray[np.float32], count: int, allowed: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Find about the ``count`` vectors nearest to ``vector``, of ``allowed`` if it is given."""
        faiss = _faiss()
        selector, more = None, 1
        if allowed is not None:
            known = np.zeros(self._index.ntotal, dtype=np.bool_)
            known[allowed] = True
            selector = faiss.IDSelectorBitmap(np.packbits(known, bitorder="little"))
            more = -(-self._index.ntotal // max(len(allowed), 1))
        probed = min(_PROBED * more, self._index.nlist)
        settings = faiss.SearchParametersIVF(sel=selector, nprobe=probed)
        found = self._index.search(vector[None], count, params=settings)[1][0]
        return np.asarray(found[found >= 0], dtype=np.int64)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        _faiss().write_index(self._index, str(folder / _NEAREST))

    @classmethod
    def load(cls, folder: Path) -> NearestVectors:
        """Load what `save` wrote to ``folder``. Raises `RuntimeError` if it is damaged."""
        faiss = _faiss()
        faiss.omp_set_num_threads(1)  # a single question has nothing to parallelize
        return cls(faiss.read_index(str(folder / _NEAREST)))


def _faiss() -> Any:
    """Import FAISS, which only a large index needs; type checkers do not know it."""
    import faiss

    return faiss
