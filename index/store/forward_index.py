"""BM25 by a forward index: for each text its terms and their weights, so that a few texts out of
very many are scored quickly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.files.quantized import load_mapped
from index.files.ragged import gather_rows
from index.store.bm25_formula import inverse_document_frequency, length_norms

_MOST = 65535
_CHUNK = 2_000  # texts


class ForwardIndex:
    """The weights of `index.store.bm25.Bm25` by text instead of by term (a forward index, Zobel and
    Moffat 2006).

    The terms of text i are ``terms[first[i]:first[i + 1]]``, each once, as numbers in ``known``;
    ``weights`` are theirs in it, as multiples of ``step``.
    """

    def __init__(
        self,
        known: StringTrie,
        first: NDArray[np.int64],
        terms: NDArray[np.unsignedinteger],
        weights: NDArray[np.uint16],
        step: float,
    ):
        self.known, self.first, self.terms, self.weights = known, first, terms, weights
        self.step = step
        self._number = lru_cache(maxsize=20_000)(known.number)

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.first) - 1

    @classmethod
    def build(cls, texts: Iterable[Sequence[str]]) -> ForwardIndex:
        """Index ``texts``, given as lists of terms and taken one after the other; text number i
        gets score number i.
        """
        new: dict[str, int] = {}
        parts = list(count_batches(texts, new))
        lengths, counts, terms, often = (np.concatenate(part) for part in zip(*parts, strict=True))
        known = StringTrie(new)
        number = np.array([known.number(term) for term in new], dtype=np.uint32)
        holders = np.bincount(terms, minlength=len(new))
        norms = np.repeat(length_norms(lengths), counts)
        weights = inverse_document_frequency(holders, len(lengths))[terms] * (
            often / (norms + often)
        )
        step = float(weights.max(initial=0.0)) / _MOST or 1.0
        return cls(
            known,
            np.cumsum(np.r_[0, counts]),
            number[terms],
            np.rint(weights / step).astype(np.uint16),
            step,
        )

    def with_texts(
        self,
        first: NDArray[np.int64],
        terms: NDArray[np.unsignedinteger],
        weights: NDArray[np.uint16],
    ) -> ForwardIndex:
        """An index of other texts with the same terms and their weights."""
        return ForwardIndex(self.known, first, terms, weights, self.step)

    def row(self, text: int) -> tuple[NDArray[np.unsignedinteger], NDArray[np.uint16]]:
        """The terms of one text by number, and their weights as multiples of ``step``."""
        here = slice(int(self.first[text]), int(self.first[text + 1]))
        return self.terms[here], self.weights[here]

    def numbers(self, terms: Sequence[str]) -> list[int]:
        """The numbers of those of ``terms`` that any text has."""
        return [number for number in map(self._number, terms) if number != UNKNOWN]

    def scores(
        self, queries: Sequence[Sequence[str]], texts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The score for each of the ``queries``, given as terms, of each of ``texts``, shape
        (len(queries), len(texts)).
        """
        found = np.zeros((len(queries), len(texts)), dtype=np.float32)
        (terms, weights), sizes = gather_rows((self.terms, self.weights), self.first, texts)
        some = sizes > 0
        if not some.any():
            return found
        starts = (np.cumsum(sizes) - sizes)[some]
        for row, query in zip(found, queries, strict=True):
            often = np.zeros(len(self.known), dtype=np.uint8)
            for number in self.numbers(query):
                often[number] += often[number] < 255
            row[some] = (
                np.add.reduceat(
                    np.multiply(often[terms], weights, dtype=np.uint32), starts, dtype=np.int64
                )
                * self.step
            )
        return found

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self.known.save(folder / "known.marisa")
        for name in ("first", "terms", "weights"):
            np.save(folder / f"{name}.npy", getattr(self, name))
        np.save(folder / "step.npy", np.float64(self.step))

    @classmethod
    def load(cls, folder: Path) -> ForwardIndex:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        first, terms, weights = (
            load_mapped(folder / f"{name}.npy") for name in ("first", "terms", "weights")
        )
        return cls(
            StringTrie.load(folder / "known.marisa"),
            first,
            terms,
            weights,
            float(np.load(folder / "step.npy")),
        )


def count_batches(
    texts: Iterable[Sequence[str]], numbers: dict[str, int]
) -> Iterator[tuple[NDArray[np.integer], ...]]:
    """For chunks of ``texts``: their lengths, how many different terms each has, which, and how
    often; new terms get the next number.
    """
    rest = iter(texts)
    while some := list(islice(rest, _CHUNK)):
        lengths = np.array([len(text) for text in some], dtype=np.int64)
        for term in chain.from_iterable(some):
            numbers.setdefault(term, len(numbers))
        found = np.fromiter(
            map(numbers.__getitem__, chain.from_iterable(some)),
            dtype=np.int64,
            count=int(lengths.sum()),
        )
        pairs, often = np.unique(
            (np.repeat(np.arange(len(some)), lengths) << 32) | found, return_counts=True
        )
        yield (
            lengths,
            np.bincount(pairs >> 32, minlength=len(some)),
            (pairs & 0xFFFFFFFF).astype(np.uint32),
            often.astype(np.uint16),
        )
