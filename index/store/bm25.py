"""Ranking by words and by character n-grams: BM25 as bm25s computes it, kept so that only what is looked at is added up."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary.strings import UNKNOWN, Strings
from index.files.compact import mapped
from index.files.ragged import ranges
from index.questions.asked import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Counts(NamedTuple):
    """How often each of the ``terms`` is in each text: ``times``, a sparse array of shape (number of texts, number of terms)."""

    terms: Sequence[str]
    times: csr_array


def counted(texts: Iterable[Sequence[str]]) -> Counts:
    """The counts of texts given as lists of terms."""
    from scipy.sparse import csr_array  # only building needs it

    number: defaultdict[str, int] = defaultdict(itertools.count().__next__)  # a new term gets the next number
    numbers: list[int] = []
    ends = [0]
    for terms in texts:
        numbers += map(number.__getitem__, terms)
        ends.append(len(numbers))
    times = csr_array(
        (np.ones(len(numbers), dtype=np.int64), np.array(numbers, dtype=np.int64), np.array(ends)), (len(ends) - 1, len(number))
    )
    return Counts(list(number), times)


def divided(words: Counts, pieces: Callable[[str], Sequence[str]]) -> Counts:
    """The counts of the ``pieces`` of words, each word divided once."""
    found = counted(map(pieces, words.terms))
    return Counts(found.terms, words.times @ found.times)


_MOST = 65535
_KEPT = ("rows", "dense", "cuts", "texts", "weights")
_FREQUENT = 0.25  # share of the texts of a block that have a term whose weights are kept for all of them: hardly more room, far quicker
_AT_ONCE = 1 << 18  # weights: what is added up at once stays in the cache of a processor


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) over texts given as the counts of their terms; k1 and b as in Lucene.

    Texts are in blocks, one after the other; block i begins at text ``bounds[i]``, the last bound is the number of texts. What
    a term is worth in a text is kept as a multiple of ``step`` (off by one in a hundred thousand of the greatest). A term that
    is frequent in a block has a row with its worth in every text there: its number among the rows of the block is in ``rows``,
    shape (number of terms, number of blocks), -1 where the term is rare; ``dense`` are the rows of all blocks one after the
    other. Of the rare ones ``weights`` is the worth in the texts ``texts``, term by term and text by text; those of term t in
    block i are the places from ``cuts[t, i]`` up to ``cuts[t, i + 1]``.
    """

    def __init__(
        self,
        known: Strings,
        bounds: Sequence[int],
        rows: NDArray[np.int32],
        dense: NDArray[np.uint16],
        cuts: NDArray[np.unsignedinteger],
        texts: NDArray[np.unsignedinteger],
        weights: NDArray[np.uint16],
        step: float,
    ):
        self._known, self._rows, self._dense = known, rows, dense
        self._cuts, self._texts, self._weights = cuts, texts, weights
        self._bounds, self._step, self._count = list(bounds), step, bounds[-1]
        sizes = np.diff(self._bounds)
        ends = np.cumsum((rows.max(axis=0, initial=-1).astype(np.int64) + 1) * sizes)
        self._blocks = [
            dense[end - length : end].reshape(-1, max(size, 1))
            for end, length, size in zip(ends.tolist(), np.diff(ends, prepend=0).tolist(), sizes.tolist(), strict=True)
        ]
        self._number = lru_cache(maxsize=20_000)(known.number)

    @classmethod
    def build(cls, texts: Counts, bounds: Sequence[int] | None = None, k1: float = 1.2, b: float = 0.6) -> Bm25:
        """Index ``texts``; text number i gets score number i. Block i is the texts from ``bounds[i]`` up to ``bounds[i + 1]``."""
        terms, counts = texts
        count = counts.shape[0]
        bounds = bounds if bounds is not None else (0, count)
        known = Strings(terms)
        number = np.array([known.number(term) for term in terms], dtype=np.int64)
        counts.sum_duplicates()
        found = np.repeat(np.arange(count), np.diff(counts.indptr))
        owners = number[counts.indices]
        times = counts.data.astype(np.float64)
        lengths = np.bincount(found, times, count)
        holders = np.bincount(owners, minlength=len(known))
        rarity = np.log(1 + (count - holders + 0.5) / (holders + 0.5))
        scale = k1 * (1 - b + b * lengths / max(lengths.mean() if count else 0.0, 1e-12))
        weights = rarity[owners] * times / (times + scale[found])
        order = np.lexsort((found, owners))
        owners, found, weights = owners[order], found[order], weights[order]
        step = float(weights.max(initial=0.0)) / _MOST or 1.0
        worth = np.rint(weights / step).astype(np.uint16)

        sizes = np.diff(bounds)
        blocks = np.searchsorted(bounds, found, side="right") - 1
        places = owners * len(sizes) + blocks  # of the term in the block, among all terms in all blocks
        often = np.bincount(places, minlength=len(known) * len(sizes)).reshape(-1, len(sizes)) >= np.maximum(_FREQUENT * sizes, 1)
        rows = np.where(often, np.cumsum(often, axis=0) - 1, UNKNOWN).astype(np.int32)
        begins = np.cumsum([0, *(often.sum(axis=0) * sizes)])
        dense = np.zeros(begins[-1], dtype=np.uint16)
        frequent = often.ravel()[places]
        here = blocks[frequent]
        dense[begins[here] + rows.ravel()[places[frequent]] * sizes[here] + found[frequent] - np.asarray(bounds)[here]] = worth[frequent]

        rare = ~frequent
        places = owners[rare] * count + found[rare]
        cuts = np.searchsorted(places, (np.arange(len(known)) * count)[:, None] + np.asarray(bounds)[None, :])
        return cls(
            known,
            bounds,
            rows,
            dense,
            cuts.astype(np.min_scalar_type(len(places))),
            found[rare].astype(np.min_scalar_type(count)),
            worth[rare],
            step,
        )

    def scores(self, terms: Sequence[str], runs: Sequence[Run]) -> NDArray[np.float32]:
        """The score for ``terms`` of the texts of some ``runs`` of blocks (first, last + 1), in their order."""
        numbers = [number for number in map(self._number, terms) if number != UNKNOWN]
        cuts, rows = self._cuts[numbers].astype(np.int64), self._rows[numbers]
        found = [self._of_run(first, end, cuts, rows) for first, end in runs]
        return found[0] if len(found) == 1 else np.concatenate([np.empty(0, dtype=np.float32), *found])

    def _of_run(self, first: int, end: int, cuts: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """The score of the texts of the blocks from ``first`` up to ``end``, for terms with these ``cuts`` and ``rows``."""
        start = self._bounds[first]
        places = ranges(cuts[:, first], cuts[:, end])
        # As `bincount` wants them, which by itself takes longer to turn them into that than to add them up.
        texts, worth = self._texts[places].astype(np.intp), self._weights[places].astype(np.float64)
        texts -= start
        found: NDArray[np.float64] = np.bincount(texts, worth, self._bounds[end] - start).astype(np.float64, copy=False)
        for block in range(first, end):
            here = rows[:, block]
            self._add_frequent(here[here != UNKNOWN], block, found[self._bounds[block] - start : self._bounds[block + 1] - start])
        return (found * self._step).astype(np.float32)

    def _add_frequent(self, rows: NDArray[np.int32], block: int, found: NDArray[np.float64]) -> None:
        """Add to ``found``, the multiples of ``step`` of the texts in ``block``, those of some ``rows`` of it."""
        kept = self._blocks[block]
        some = max(_AT_ONCE // kept.shape[1], 1)
        for start in range(0, len(rows), some):
            found += np.add.reduce(kept.take(rows[start : start + some], axis=0), axis=0, dtype=np.uint32)

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        self._known.save(folder / "known.marisa")
        for name in _KEPT:
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        np.save(folder / "bounds.npy", np.array(self._bounds))
        np.save(folder / "step.npy", np.float64(self._step))

    @classmethod
    def load(cls, folder: Path) -> Bm25:
        """What is kept in ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        known, bounds = Strings.load(folder / "known.marisa"), np.load(folder / "bounds.npy").tolist()
        rows, dense, cuts, texts, weights = (mapped(folder / f"{name}.npy") for name in _KEPT)
        return cls(known, bounds, rows, dense, cuts, texts, weights, float(np.load(folder / "step.npy")))
