"""Which words of two languages translate each other, learned from texts that correspond."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 6  # of expectation and maximization
_LEAST = 0.05  # chance of a translation, at least, for a pair of words to be known
_SEEN = 2  # pairs of texts that have both words, at least


class WordTranslations:
    """How surely words of the left and of the right translate each other, from 0 to 1.

    IBM Model 1 (Brown et al. 1993) in both directions, a pair of words as sure as the geometric mean of the two chances, which is
    high where each is what the other is mostly translated as.
    """

    def __init__(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]):
        forth = _model_1(pairs)
        back = _model_1([(right, left) for left, right in pairs])
        both = Counter((a, b) for left, right in pairs for a in set(left) for b in set(right))
        self._known: dict[str, dict[str, float]] = {}
        for (a, b), chance in forth.items():
            sure = float(np.sqrt(chance * back.get((b, a), 0.0)))
            if sure >= _LEAST and both[a, b] >= _SEEN:
                self._known.setdefault(a, {})[b] = sure

    def of(self, word: str) -> Mapping[str, float]:
        """The translations of ``word`` of the left."""
        return self._known.get(word, {})

    def known(self, side: int) -> frozenset[str]:
        """The words of the left (``side`` 0) or right (1) that have translations."""
        return frozenset(self._known) if side == 0 else frozenset(word for found in self._known.values() for word in found)


def _model_1(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[tuple[str, str], float]:
    """The chance that a word of the left is translated as one of the right: those that are not next to nothing."""
    names: tuple[dict[str, int], dict[str, int]] = ({}, {})
    coded = [
        [np.array([known.setdefault(word, len(known)) for word in side], np.int64) for side, known in zip(pair, names, strict=True)]
        for pair in pairs
    ]
    width = len(names[1])
    if not coded or not width:
        return {}
    cells = np.concatenate([np.repeat(left, len(right)) * width + np.tile(right, len(left)) for left, right in coded])
    # Each place of the right is one group of cells: it is shared out among the words of the left in its text.
    places = np.concatenate(
        [np.tile(np.arange(len(right)), len(left)) + start for (left, right), start in zip(coded, _starts(coded), strict=True)]
    )
    known, cell = np.unique(cells, return_inverse=True)
    source = known // width
    chance = np.ones(len(known))
    for _ in range(_ROUNDS):
        weight = chance[cell]
        shared = weight / np.bincount(places, weights=weight)[places]
        counts = np.bincount(cell, weights=shared, minlength=len(known))
        chance = counts / np.bincount(source, weights=counts)[source]
    words = [list(side) for side in names]
    return {(words[0][k // width], words[1][k % width]): float(p) for k, p in zip(known, chance, strict=True) if p >= _LEAST * _LEAST}


def _starts(coded: Sequence[Sequence[NDArray[np.int64]]]) -> list[int]:
    return [0, *np.cumsum([len(right) for _, right in coded])[:-1].tolist()]
