"""Finds the texts in which terms have the greatest weights without reading all postings: these are
in the order of weight.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.files.quantized import load_mapped
from index.store.forward_index import ForwardIndex

READ = 4_000  # postings of a term that are read, the greatest weights first: all of rare terms, of others the shortest texts
_FURTHER = 25  # times as many at most, where only some of the texts are asked for


class ImpactPostings:
    """Impact-ordered postings (Anh, de Kretser and Moffat 2001): for each term its texts, those
    with the greatest weight first.

    The texts of term t are ``texts[cuts[t]:cuts[t + 1]]``, its ``weights`` at the same positions.
    ``count`` is the number of texts.
    """

    def __init__(
        self,
        cuts: NDArray[np.int64],
        texts: NDArray[np.unsignedinteger],
        weights: NDArray[np.uint16],
        count: int,
    ):
        self._cuts, self._texts, self._weights, self._count = cuts, texts, weights, count

    @classmethod
    def from_forward(cls, forward: ForwardIndex) -> ImpactPostings:
        """The postings of the texts of a forward index."""
        order = np.lexsort((~forward.weights, forward.terms))
        texts = np.repeat(np.arange(len(forward), dtype=np.uint32), np.diff(forward.first))
        cuts = np.r_[0, np.cumsum(np.bincount(forward.terms, minlength=len(forward.known)))]
        return cls(cuts, texts[order], forward.weights[order], len(forward))

    def best(
        self, terms: Iterable[int], count: int, allowed: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """The ``count`` texts with the greatest sum of weights of ``terms``, by the postings that
        are read; in no order.

        ``allowed`` are the texts that may be among them, ascending, None for all.
        """
        depth = (
            READ
            if allowed is None
            else READ * min(_FURTHER, -(-self._count // max(len(allowed), 1)))
        )
        spans = [
            slice(int(self._cuts[t]), min(int(self._cuts[t + 1]), int(self._cuts[t]) + depth))
            for t in dict.fromkeys(terms)
        ]
        if not spans:
            return np.empty(0, dtype=np.int64)
        pairs = np.concatenate([self._texts[span] for span in spans]).astype(np.int64) << 16
        pairs |= np.concatenate([self._weights[span] for span in spans])
        if allowed is not None:
            known = np.zeros(self._count, dtype=np.bool_)
            known[allowed] = True
            pairs = pairs[known[pairs >> 16]]
        if not len(pairs):
            return np.empty(0, dtype=np.int64)
        pairs.sort()  # far quicker than adding up in an array of all texts, and as quick however many there are
        texts = pairs >> 16
        starts = np.r_[0, np.flatnonzero(np.diff(texts)) + 1]
        found, worth = texts[starts], np.add.reduceat(pairs & 0xFFFF, starts)
        return found if len(found) <= count else found[np.argpartition(-worth, count - 1)[:count]]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for name in ("cuts", "texts", "weights"):
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        np.save(folder / "count.npy", np.int64(self._count))

    @classmethod
    def load(cls, folder: Path) -> ImpactPostings:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError` or `ValueError`
        where it is damaged.
        """
        cuts, texts, weights = (
            load_mapped(folder / f"{name}.npy") for name in ("cuts", "texts", "weights")
        )
        return cls(cuts, texts, weights, int(np.load(folder / "count.npy")))
