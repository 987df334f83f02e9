"""BM25 by postings: the scores of all texts of some editions for the terms of a question."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.files.quantized import load_mapped
from index.questions.prepared import EditionRun
from index.store.bm25_formula import inverse_document_frequency, length_norms

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class TermCounts(NamedTuple):
    """How often each of ``terms`` is in each text: ``times``, a sparse array of shape (number of
    texts, number of terms).
    """

    terms: Sequence[str]
    times: csr_array


def count_terms(texts: Iterable[Sequence[str]]) -> TermCounts:
    """The counts of texts given as lists of terms."""
    from scipy.sparse import csr_array  # only building needs it

    number: defaultdict[str, int] = defaultdict(
        itertools.count().__next__
    )  # a new term gets the next number
    numbers: list[int] = []
    ends = [0]
    for terms in texts:
        numbers += map(number.__getitem__, terms)
        ends.append(len(numbers))
    times = csr_array(
        (np.ones(len(numbers), dtype=np.int64), np.array(numbers, dtype=np.int64), np.array(ends)),
        (len(ends) - 1, len(number)),
    )
    return TermCounts(list(number), times)


def count_pieces(words: TermCounts, pieces: Callable[[str], Sequence[str]]) -> TermCounts:
    """The counts of the ``pieces`` of ``words``; each word is divided once."""
    found = count_terms(map(pieces, words.terms))
    return TermCounts(found.terms, words.times @ found.times)


FREQUENT = 1_200  # terms whose weights are stored for every text, a row of memory each; the others are in few texts
MAX_CELLS = 50_000_000  # weights stored in such rows, at most

_MOST = 65535
_KEPT = ("rows", "dense", "cuts", "texts", "weights")
_CHUNK = 1 << 18  # weights added up at once: they fit into the cache of a processor


class Bm25:
    """BM25 over texts given as the counts of their terms (see `index.store.bm25_formula`).

    Texts are in consecutive blocks; block i begins at text ``bounds[i]``, the last bound is the
    number of texts. The weight of a term in a text is stored as a multiple of ``step`` (an error of
    at most 1/100,000 of the greatest). A frequent term has its weights in all texts in a row of
    ``dense``, shape (n, number of texts); ``rows``, shape (number of terms,), has the number of its
    row, -1 for a rare term. Postings of the rare terms are ``texts`` with their ``weights``; those
    of term t in block i are at ``cuts[t, i]`` up to ``cuts[t, i + 1]``.
    """

    def __init__(
        self,
        known: StringTrie,
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
        self._bounds, self._step = list(bounds), step

    @classmethod
    def build(
        cls, texts: TermCounts, bounds: Sequence[int] | None = None, frequent: int = FREQUENT
    ) -> Bm25:
        """Index ``texts``; text number i gets score number i. Block i is the texts from
        ``bounds[i]`` up to ``bounds[i + 1]``.

        The terms that most texts have are the ``frequent`` ones, as far as there is `MAX_CELLS`.
        """
        terms, counts = texts
        count = counts.shape[0]
        bounds = bounds if bounds is not None else (0, count)
        known = StringTrie(terms)
        number = np.array([known.number(term) for term in terms], dtype=np.int64)
        counts.sum_duplicates()
        by_term = counts.tocsc()[
            :, np.argsort(number)
        ]  # term by term in the order of their numbers, text by text
        holders = np.diff(by_term.indptr)
        owners, found, times = (
            np.repeat(np.arange(len(known)), holders),
            by_term.indices,
            by_term.data.astype(np.float64),
        )
        lengths = np.bincount(found, times, count)
        weights = (
            inverse_document_frequency(holders, count)[owners]
            * times
            / (times + length_norms(lengths)[found])
        )
        step = float(weights.max(initial=0.0)) / _MOST or 1.0
        worth = np.rint(weights / step).astype(np.uint16)

        often = np.sort(
            np.argsort(-holders, kind="stable")[: min(frequent, MAX_CELLS // max(count, 1))]
        )
        rows = np.full(len(known), UNKNOWN, dtype=np.int32)
        rows[often] = np.arange(len(often))
        dense = np.zeros((len(often), count), dtype=np.uint16)
        whole = rows[owners] != UNKNOWN
        dense[rows[owners[whole]], found[whole]] = worth[whole]

        rare = ~whole
        places = owners[rare] * count + found[rare]
        cuts = np.searchsorted(
            places, (np.arange(len(known)) * count)[:, None] + np.asarray(bounds)[None, :]
        )
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

    def scores(self, terms: Sequence[str], runs: Sequence[EditionRun]) -> NDArray[np.float32]:
        """The score for ``terms`` of the texts of some ``runs`` of blocks (first, last + 1), in
        their order.
        """
        frequent: list[int] = []
        rare: list[int] = []
        for number in map(self._known.number, terms):
            if number != UNKNOWN:
                if (row := self._rows.item(number)) == UNKNOWN:
                    rare.append(number)
                else:
                    frequent.append(row)
        found = [self._of_run(run, frequent, rare) for run in runs]
        return (
            found[0] if len(found) == 1 else np.concatenate([np.empty(0, dtype=np.float32), *found])
        )

    def greatest(self, terms: Iterable[str]) -> list[float]:
        """The greatest weight of each of ``terms`` in any text; 0.0 for one that no text has."""
        return [
            self._greatest(number) * self._step if number != UNKNOWN else 0.0
            for number in map(self._known.number, terms)
        ]

    def _held(self, term: int) -> int:
        if (row := self._rows.item(term)) != UNKNOWN:
            return int(np.count_nonzero(self._dense[row]))
        return self._cuts.item(term, -1) - self._cuts.item(term, 0)

    def _greatest(self, term: int) -> int:
        if (row := self._rows.item(term)) != UNKNOWN:
            return int(self._dense[row].max(initial=0))
        return int(
            self._weights[self._cuts.item(term, 0) : self._cuts.item(term, -1)].max(initial=0)
        )

    def span(self, run: EditionRun) -> tuple[int, int]:
        """The first text of a run of blocks, and the one behind its last."""
        return self._bounds[run[0]], self._bounds[run[1]]

    def _of_run(
        self, run: EditionRun, frequent: Sequence[int], rare: Sequence[int]
    ) -> NDArray[np.float32]:
        """The scores of the texts of a ``run`` of blocks for ``frequent`` terms, by row, and
        ``rare`` ones, by number.
        """
        start, stop = self.span(run)
        found: NDArray[Any] = sum_rows(self._dense, frequent, start, stop)
        if rare:
            places = [
                slice(self._cuts.item(term, run[0]), self._cuts.item(term, run[1])) for term in rare
            ]
            texts = np.concatenate(
                [self._texts[place] for place in places], dtype=np.intp
            )  # as `bincount` wants them
            texts -= start
            found = found + np.bincount(
                texts, np.concatenate([self._weights[place] for place in places]), stop - start
            )
        return (found * self._step).astype(np.float32)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self._known.save(folder / "known.marisa")
        for name in _KEPT:
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        np.save(folder / "bounds.npy", np.array(self._bounds))
        np.save(folder / "step.npy", np.float64(self._step))

    @classmethod
    def load(cls, folder: Path) -> Bm25:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        known, bounds = (
            StringTrie.load(folder / "known.marisa"),
            np.load(folder / "bounds.npy").tolist(),
        )
        rows, dense, cuts, texts, weights = (load_mapped(folder / f"{name}.npy") for name in _KEPT)
        return cls(
            known, bounds, rows, dense, cuts, texts, weights, float(np.load(folder / "step.npy"))
        )


def sum_rows(
    table: NDArray[np.uint16], rows: Sequence[int], start: int, stop: int
) -> NDArray[np.uint32]:
    """The sum of some ``rows`` of ``table`` between two columns, shape (stop - start,)."""
    found = np.zeros(stop - start, dtype=np.uint32)
    some = max(_CHUNK // max(stop - start, 1), 1)
    for first in range(0, len(rows), some):
        found += np.add.reduce(
            table[rows[first : first + some], start:stop], axis=0, dtype=np.uint32
        )
    return found
