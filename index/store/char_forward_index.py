"""BM25 by character n-grams in a forward index: the words of each text, and the n-grams of each
word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import word_grams
from index.files.quantized import load_mapped
from index.files.ragged import concatenated_ranges, gather_rows
from index.store.bm25_formula import inverse_document_frequency, length_norms
from index.store.forward_index import count_batches

_ARRAYS = ("first", "words", "often", "begin", "grams", "rarity", "norms")


class CharForwardIndex:
    """What `index.store.bm25.Bm25` says of n-grams, for some texts out of very many, in a tenth of
    the room.

    A text has ten times as many n-grams as words. The words of text i are ``words[first[i]:first[i
    + 1]]`` by number, beside them in ``often`` how often it has each; the n-grams of word w are
    ``grams[begin[w]:begin[w + 1]]`` by their number in ``known``. ``rarity`` is what each n-gram is
    worth, ``norms`` the length norm of each text (see `index.store.bm25_formula`).
    """

    def __init__(self, known: StringTrie, **arrays: NDArray[Any]):
        self._known = known
        (
            self._first,
            self._words,
            self._often,
            self._begin,
            self._grams,
            self._rarity,
            self._norms,
        ) = (arrays[n] for n in _ARRAYS)

    @classmethod
    def build(cls, texts: Iterable[Sequence[str]]) -> CharForwardIndex:
        """Index ``texts``, given as lists of folded words and taken one after the other."""
        from scipy.sparse import csr_array  # only building needs it

        numbers: dict[str, int] = {}
        parts = list(count_batches(texts, numbers))
        _, counts, words, often = (np.concatenate(part) for part in zip(*parts, strict=True))
        spelt = [word_grams(word) for word in numbers]
        known = StringTrie(gram for of_word in spelt for gram in of_word)
        grams = np.array(
            [known.number(gram) for of_word in spelt for gram in of_word], dtype=np.uint32
        )
        sizes = np.array([len(of_word) for of_word in spelt], dtype=np.int64)
        begin = np.cumsum(np.r_[0, sizes])
        holders = np.zeros(len(known), dtype=np.int64)
        spelling = csr_array(
            (np.ones(len(grams), dtype=np.int32), grams, begin), shape=(len(spelt), len(known))
        )
        for _, here, some, times in parts:
            texts_here = csr_array(
                (times.astype(np.int32), some, np.cumsum(np.r_[0, here])),
                shape=(len(here), len(spelt)),
            )
            holders += np.bincount((texts_here @ spelling).indices, minlength=len(known))
        owners = np.repeat(np.arange(len(counts)), counts)
        lengths = np.bincount(owners, sizes[words] * often, minlength=len(counts))
        arrays = {
            "first": np.cumsum(np.r_[0, counts]),
            "words": words,
            "often": np.minimum(often, 255).astype(np.uint8),
            "begin": begin,
            "grams": grams,
            "rarity": inverse_document_frequency(holders, len(counts)).astype(np.float32),
            "norms": length_norms(lengths).astype(np.float32),
        }
        return cls(known, **arrays)

    def without_texts(self) -> CharForwardIndex:
        """The same words and the lengths of the texts, but no text; `of` gives it some again."""
        arrays = {name: getattr(self, f"_{name}") for name in _ARRAYS}
        empty = {
            "first": np.zeros(1, dtype=np.int64),
            "words": self._words[:0],
            "often": self._often[:0],
        }
        return CharForwardIndex(self._known, **(arrays | empty))

    def with_texts(
        self,
        texts: NDArray[np.int64],
        first: NDArray[np.int64],
        words: NDArray[np.unsignedinteger],
        often: NDArray[np.uint8],
    ) -> CharForwardIndex:
        """The same for some ``texts`` alone, numbered from 0 in their order, with the words that
        are given.
        """
        arrays = {name: getattr(self, f"_{name}") for name in _ARRAYS}
        return CharForwardIndex(
            self._known,
            **(
                arrays
                | {"first": first, "words": words, "often": often, "norms": self._norms[texts]}
            ),
        )

    def row(self, text: int) -> tuple[NDArray[np.unsignedinteger], NDArray[np.uint8]]:
        """The words of one text by number, and how often it has each."""
        here = slice(int(self._first[text]), int(self._first[text + 1]))
        return self._words[here], self._often[here]

    def scores(self, words: Sequence[str], texts: NDArray[np.int64]) -> NDArray[np.float32]:
        """The score for the n-grams of folded ``words`` of each of ``texts``, shape
        (len(texts),).
        """
        grams = [gram for word in words for gram in word_grams(word)]
        asked, times = np.unique(
            [n for n in map(self._known.number, grams) if n != UNKNOWN], return_counts=True
        )
        (held, often), sizes = gather_rows((self._words, self._often), self._first, texts)
        if not len(asked) or not len(held):
            return np.zeros(len(texts), dtype=np.float32)
        asked = asked.astype(np.int64)
        column = np.full(len(self._known), -1, dtype=np.int16)
        column[asked] = np.arange(len(asked))
        place = np.zeros(
            len(self._begin), dtype=np.int32
        )  # of each word among those that the texts have
        place[held] = 1
        distinct = np.flatnonzero(place)
        place[distinct] = np.arange(len(distinct))
        columns = column[
            self._grams[concatenated_ranges(self._begin[distinct], self._begin[distinct + 1])]
        ]
        here = columns >= 0
        ends = np.cumsum(np.r_[0, here])[
            np.cumsum(np.r_[0, self._begin[distinct + 1] - self._begin[distinct]])
        ]
        word = place[held]
        found = ends[word + 1] - ends[word]
        rows = np.repeat(np.repeat(np.arange(len(texts)), sizes), found)
        cells = rows * len(asked) + columns[here][concatenated_ranges(ends[word], ends[word + 1])]
        had = (
            np.bincount(cells, np.repeat(often, found), len(texts) * len(asked))
            .reshape(len(texts), len(asked))
            .astype(np.float32)
        )
        had /= had + self._norms[texts][:, None]
        return np.asarray(had @ (self._rarity[asked] * times).astype(np.float32))

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self._known.save(folder / "known.marisa")
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))

    @classmethod
    def load(cls, folder: Path) -> CharForwardIndex:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        return cls(
            StringTrie.load(folder / "known.marisa"),
            **{name: load_mapped(folder / f"{name}.npy") for name in _ARRAYS},
        )
