"""Which sentences of two texts that correspond say the same, in the order of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary import normalization
from glossary.comparison.word_translations import Vocabulary, Words, learn_translations

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SURE = 0.35  # sureness of two words, from which each counts as the translation of the other
UNKNOWN = 0.4  # what a word counts that nothing is known to translate
LEAST_IN_COMMON = 0.2  # likeness that sentences must have more than, to be worth aligning
JOINED = 0.5  # words in common that each further sentence must gain
UNEVEN = 0.1  # likeness that sentences must gain for each time that one side is e times as long as the other
COVERED = 0.4  # how much of each of several sentences that face one this must have, at least
KNOWN = 0.25  # sureness of the surest translation of a word that is known to be translated
FEWEST = 2  # of such words, to say how much of them is covered
USUAL = 0.8  # how much of them is in a translation
FOUND = 0.3  # sureness, as a share of `SURE`, from which the other side has something for a word
MOST = 3  # sentences of a side that may face one
ALIKE = 0.5  # likeness of sentences that words are learned from again

_Span = tuple[int, int]


class Bead(NamedTuple):
    """Sentences ``left`` and ``right``, as numbers (first, past the last), that correspond; one of the two may be empty.

    ``forth`` and ``back`` say, from 0 to 1, how much of the left the right has, and of the right the left. ``known`` is the same of
    the side that is covered less, of words alone that are known to be translated, and ``gap`` the weight of the longest run of words
    of a side that the other has nothing for, a rare word counting up to seven.
    """

    left: _Span
    right: _Span
    forth: float = 0.0
    back: float = 0.0
    known: float = 0.0
    gap: float = 0.0

    @property
    def likeness(self) -> float:
        """How alike the two are: the geometric mean."""
        return math.sqrt(self.forth * self.back)


class SentenceAligner:
    """Aligns texts of two languages by what their words are translated as, which it learns from them.

    ``texts`` are pairs of texts that correspond, each a list of sentences.
    """

    def __init__(self, texts: Sequence[tuple[Sequence[str], Sequence[str]]], languages: tuple[str, str]):
        words = [[[_words(s, language) for s in side] for side, language in zip(pair, languages, strict=True)] for pair in texts]
        flat = [[[word for sentence in pair[side] for word in sentence] for pair in words] for side in (0, 1)]
        left, right = (Vocabulary(side) for side in flat)
        self._texts = [_Text([left.numbers(s) for s in here], [right.numbers(s) for s in there]) for here, there in words]
        # As usual, a word counts the more the fewer texts have it.
        self._weights = tuple(np.log((len(texts) + 1) / np.maximum(side.counts, 1)) for side in (left, right))
        self._learn([(left.numbers(a), right.numbers(b)) for a, b in zip(*flat, strict=True)], left, right)
        # Sentences are shorter than the texts they are from, and what is learned from them is surer (Varga et al. 2005).
        found = [(t, bead) for t, beads in zip(self._texts, self.beads(), strict=True) for bead in beads if bead.likeness >= ALIKE]
        self._learn([text.words(bead.left, bead.right) for text, bead in found], left, right)

    def _learn(self, pairs: Sequence[tuple[Words, Words]], left: Vocabulary, right: Vocabulary) -> None:
        translations = learn_translations(pairs, left, right)
        surest = translations.max(axis=1).toarray().ravel(), translations.max(axis=0).toarray().ravel()
        self._known = _KnownWords(translations, surest, self._weights)

    def beads(self) -> Iterator[list[Bead]]:
        """For each text what corresponds in it: every sentence in one bead, in order."""
        for text in self._texts:
            alignment = _Alignment(text, self._known)
            yield [alignment.measured(bead) for bead in alignment.beads()]


def _words(text: str, language: str) -> list[str]:
    """The words of ``text`` without endings; accents stay, as "si" and "sì" are two words."""
    return [normalization.get_stemmer(language)(token.text.lower()) for token in normalization.tokenize(text)]


class _KnownWords(NamedTuple):
    """What is known of the words of both sides: translations, the sureness of each word's surest one, and what it counts."""

    translations: csr_matrix
    surest: tuple[NDArray[np.float64], NDArray[np.float64]]
    weights: tuple[NDArray[np.float64], ...]


class _Text(NamedTuple):
    """Two texts that correspond, as the words of each sentence."""

    left: Sequence[Words]
    right: Sequence[Words]

    def words(self, left: _Span, right: _Span) -> tuple[Words, Words]:
        """The words of some sentences."""
        return np.concatenate(self.left[slice(*left)]), np.concatenate(self.right[slice(*right)])


class _Alignment:
    """How the sentences of two texts may be aligned."""

    def __init__(self, text: _Text, known: _KnownWords):
        self._sides = text
        left, right = (np.concatenate([np.zeros(0, np.int64), *side]) for side in text)
        self._sure = np.minimum(known.translations[left][:, right].toarray() / SURE, 1.0)
        surest = [known.surest[side][words] for side, words in enumerate((left, right))]
        self._known = [its >= KNOWN for its in surest]
        self._weights = [known.weights[side][words] * np.where(surest[side] > 0, 1.0, UNKNOWN) for side, words in enumerate((left, right))]
        self._starts = [np.concatenate([[0], np.cumsum([len(sentence) for sentence in side], dtype=np.int64)]) for side in text]

    def beads(self) -> list[Bead]:
        """The alignment of the greatest total, every sentence in one bead.

        Dynamic programming over beads of one sentence to up to `MOST` (Gale and Church 1993), valued by words that translate each
        other (as Moore 2002 and Varga et al. 2005) above `LEAST_IN_COMMON`, and weighted by length.
        """
        lengths = len(self._sides.left), len(self._sides.right)
        best: dict[_Span, tuple[float, Bead | None]] = {(0, 0): (0.0, None)}
        for i in range(lengths[0] + 1):
            for j in range(lengths[1] + 1):
                for a, b in _steps(i, j):
                    bead = self._bead((i - a, i), (j - b, j))
                    value = best[i - a, j - b][0] + self._value(bead)
                    if (i, j) not in best or value > best[i, j][0]:
                        best[i, j] = value, bead
        found: list[Bead] = []
        last = best[lengths][1]
        while last is not None:
            found.append(last)
            last = best[last.left[0], last.right[0]][1]
        return found[::-1]

    def measured(self, bead: Bead) -> Bead:
        """``bead`` with all that it says of its sentences."""
        (a, b), (c, d) = self._words(bead.left, bead.right)
        if a == b or c == d:
            return bead
        sure = self._sure[a:b, c:d]
        sides = [
            (self._weights[side][first:last], self._known[side][first:last], sure.max(axis=1 - side))
            for side, (first, last) in enumerate(((a, b), (c, d)))
        ]
        return bead._replace(
            known=min(_coverage(weights * known, its) if known.sum() >= FEWEST else USUAL for weights, known, its in sides),
            gap=max(_longest_run(weights, its) for weights, _, its in sides),
        )

    def _words(self, left: _Span, right: _Span) -> tuple[_Span, _Span]:
        """The places of the words of some sentences."""
        here, there = ((int(starts[a]), int(starts[b])) for starts, (a, b) in zip(self._starts, (left, right), strict=True))
        return here, there

    def _bead(self, left: _Span, right: _Span) -> Bead:
        (a, b), (c, d) = self._words(left, right)
        if a == b or c == d:
            return Bead(left, right)
        sure = self._sure[a:b, c:d]
        here, there = self._weights[0][a:b], self._weights[1][c:d]
        return Bead(left, right, _coverage(here, sure.max(axis=1)), _coverage(there, sure.max(axis=0)))

    def _value(self, bead: Bead) -> float:
        sentences = [b - a for a, b in (bead.left, bead.right)]
        if not all(sentences):
            return 0.0
        if sum(sentences) > 2 and not self._each_covered(bead):
            return -math.inf
        words = [b - a for a, b in self._words(bead.left, bead.right)]
        if not all(words):
            return 0.0
        uneven = abs(math.log(words[0] / words[1]))
        return (bead.likeness - LEAST_IN_COMMON - UNEVEN * uneven) * sum(words) - JOINED * (sum(sentences) - 2)

    def _each_covered(self, bead: Bead) -> bool:
        """Whether each sentence of the side that has several has enough in common with that of the other."""
        side = 0 if bead.left[1] - bead.left[0] > 1 else 1
        one, several = (bead.right, bead.left) if side == 0 else (bead.left, bead.right)
        for n in range(*several):
            alone = self._bead((n, n + 1), one) if side == 0 else self._bead(one, (n, n + 1))
            if (alone.forth, alone.back)[side] < COVERED:
                return False
        return True


def _coverage(weights: NDArray[np.float64], sure: NDArray[np.float64]) -> float:
    return float(weights @ sure / max(weights.sum(), 1e-9))


def _longest_run(weights: NDArray[np.float64], sure: NDArray[np.float64]) -> float:
    longest = run = 0.0
    for weight, its in zip(weights.tolist(), sure.tolist(), strict=True):
        run = run + weight if its < FOUND else 0.0
        longest = max(longest, run)
    return longest


def _steps(i: int, j: int) -> Iterator[tuple[int, int]]:
    """How many sentences of either side the last bead of the first ``i`` and ``j`` may have."""
    yield from ((a, b) for a, b in ((1, 0), (0, 1), (1, 1)) if a <= i and b <= j)
    for n in range(2, MOST + 1):
        if n <= i and j:
            yield n, 1
        if n <= j and i:
            yield 1, n
