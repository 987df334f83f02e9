"""Which sentences of two texts that correspond say the same, in the order of both."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary import normalization
from glossary.comparison.word_translations import WordTranslations

SURE = 0.35  # sureness of two words, from which each counts as the translation of the other
LEAST_IN_COMMON = 0.4  # likeness that sentences must have more than, to be worth aligning
JOINED = 0.04  # likeness that sentences joined to face one must gain
UNKNOWN = 0.4  # what a word counts that nothing is known to translate
MOST = 3  # sentences of a side that may face one


class Bead(NamedTuple):
    """Sentences ``left`` and ``right``, as numbers (first, past the last), that correspond; one of the two may be empty."""

    left: tuple[int, int]
    right: tuple[int, int]


class Likeness(NamedTuple):
    """How much each of two texts has of the other, from 0 to 1, by what their words are known to be translated as."""

    forth: float
    back: float

    @property
    def mean(self) -> float:
        """The geometric mean."""
        return math.sqrt(self.forth * self.back)


class SentenceMatcher:
    """How alike sentences of two languages are, by word translations learned from texts that correspond.

    ``texts`` are these texts, pairs of one in each of the ``languages``. A word counts by its rarity.
    """

    def __init__(self, texts: Sequence[tuple[str, str]], languages: tuple[str, str]):
        self._languages = languages
        words = [(self.words(left, 0), self.words(right, 1)) for left, right in texts]
        self._sure = WordTranslations(words)
        seen: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        for pair in words:
            for side, known in zip(pair, seen, strict=True):
                known.update(set(side))
        self._weight = tuple({word: math.log((len(texts) + 1) / count) for word, count in known.items()} for known in seen)
        self._rarest = math.log(len(texts) + 1)
        self._translated = tuple(self._sure.known(side) for side in (0, 1))

    def words(self, text: str, side: int) -> list[str]:
        """The words of ``text``, a sentence of the left (``side`` 0) or right (1), as they are compared."""
        return [normalization.stem(token.text, self._languages[side]) for token in normalization.tokenize(text)]

    def likeness(self, left: Sequence[str], right: Sequence[str]) -> Likeness:
        """How alike two texts are, given by their `words`."""
        if not left or not right:
            return Likeness(0.0, 0.0)
        here, there = Counter(left), Counter(right)
        sure = np.array([[self._sureness(a, b) for b in there] for a in here])
        return Likeness(self._covered(here, sure.max(axis=1), 0), self._covered(there, sure.max(axis=0), 1))

    def _sureness(self, left: str, right: str) -> float:
        if left == right and (left.isdigit() or len(left) > 2):
            return 1.0
        return min(1.0, self._sure.of(left).get(right, 0.0) / SURE)

    def _covered(self, words: Mapping[str, int], sure: NDArray[np.float64], side: int) -> float:
        weights = np.array([
            count * self._weight[side].get(word, self._rarest) * (1.0 if word in self._translated[side] or known else UNKNOWN)
            for (word, count), known in zip(words.items(), sure, strict=True)
        ])  # fmt: skip
        return float((weights * sure).sum() / max(weights.sum(), 1e-9))


def align_sentences(left: Sequence[str], right: Sequence[str], matcher: SentenceMatcher) -> list[Bead]:
    """Sentences that correspond: in order, each in one bead, those without counterpart in one of their own.

    Dynamic programming over beads of one sentence to up to `MOST` (Gale and Church 1993), valued by words that translate each other
    (as Moore 2002 and Varga et al. 2005), weighted by length: the alignment of the greatest total above `LEAST_IN_COMMON`.
    """
    words = [[matcher.words(text, side) for text in texts] for side, texts in enumerate((left, right))]
    best = np.full((len(left) + 1, len(right) + 1), -np.inf)
    best[0, 0] = 0.0
    came: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            for a, b in _steps(i, j):
                value = best[i - a, j - b] + _value(words, (i - a, i), (j - b, j), matcher)
                if value > best[i, j]:
                    best[i, j], came[i, j] = value, (i - a, j - b)
    beads = []
    at = (len(left), len(right))
    while at != (0, 0):
        before = came[at]
        beads.append(Bead((before[0], at[0]), (before[1], at[1])))
        at = before
    return beads[::-1]


def _steps(i: int, j: int) -> Iterable[tuple[int, int]]:
    yield from ((a, b) for a, b in ((1, 0), (0, 1), (1, 1)) if a <= i and b <= j)
    for n in range(2, MOST + 1):
        if n <= i and j:
            yield n, 1
        if n <= j and i:
            yield 1, n


def _value(words: Sequence[Sequence[Sequence[str]]], left: tuple[int, int], right: tuple[int, int], matcher: SentenceMatcher) -> float:
    here, there = ([word for sentence in side[a:b] for word in sentence] for side, (a, b) in zip(words, (left, right), strict=True))
    if not here or not there:
        return 0.0
    joined = left[1] - left[0] + right[1] - right[0] - 2
    return (matcher.likeness(here, there).mean - LEAST_IN_COMMON - JOINED * joined) * (len(here) + len(there))
