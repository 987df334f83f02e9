"""The names of the cards that rulings are about, by their words, so that a card is known by a part
of its name too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.files.quantized import load_mapped
from index.files.ragged import RaggedArray


class RulingNames:
    """Names of cards as weighed words.

    Row i of ``names`` has the numbers of the names with word i of ``words``, the same row of
    ``weights`` the share of the name that the word is. ``rulings`` has the ruling of each name,
    shape (number of names,).
    """

    def __init__(
        self,
        words: StringTrie,
        names: RaggedArray,
        weights: NDArray[np.float32],
        rulings: NDArray[np.int32],
    ):
        self._words, self._names, self._weights, self._rulings = words, names, weights, rulings

    @classmethod
    def build(cls, named: Iterable[tuple[int, str, Mapping[str, float]]]) -> RulingNames:
        """The names ``named``: of each the number of its ruling, its game, and the weight of each
        of its words.
        """
        rulings: list[int] = []
        postings: list[tuple[str, int, float]] = []
        for ruling, game, weights in named:
            whole = sum(weights.values())
            if whole > 0:
                postings += [
                    (_key(game, word), len(rulings), weight / whole)
                    for word, weight in weights.items()
                ]
                rulings.append(ruling)
        words = StringTrie(word for word, _, _ in postings)
        owners = np.array([words.number(word) for word, _, _ in postings], dtype=np.int64)
        names = RaggedArray.from_owners(owners, [name for _, name, _ in postings], len(words))
        weights_in_order = np.array([weight for _, _, weight in postings], dtype=np.float32)[
            np.argsort(owners, kind="stable")
        ]
        return cls(words, names, weights_in_order, np.array(rulings, dtype=np.int32))

    def shares(
        self, game: str, words: Iterable[str], first: int, count: int
    ) -> NDArray[np.float64]:
        """The share of the name of its card, from 0 to 1, that is among ``words``, for each of
        ``count`` rulings on ``game``.

        ``first`` is the number of the first of them. Of several names the best counts.
        """
        shares = np.zeros(len(self._rulings))
        for number in {self._words.number(_key(game, word)) for word in words} - {UNKNOWN}:
            start, end = self._names.first.item(number), self._names.first.item(number + 1)
            shares[self._names.values[start:end]] += self._weights[start:end]
        found = np.zeros(count)
        of_game = (self._rulings >= first) & (self._rulings < first + count)
        np.maximum.at(found, self._rulings[of_game] - first, shares[of_game])
        return np.asarray(np.minimum(found, 1.0))

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self._words.save(folder / "words.marisa")
        self._names.save(folder / "names")
        np.save(folder / "weights.npy", self._weights)
        np.save(folder / "rulings.npy", self._rulings)

    @classmethod
    def load(cls, folder: Path) -> RulingNames:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        words, names = StringTrie.load(folder / "words.marisa"), RaggedArray.load(folder / "names")
        return cls(
            words, names, load_mapped(folder / "weights.npy"), load_mapped(folder / "rulings.npy")
        )


def _key(game: str, word: str) -> str:
    return f"{game}\n{word}"
