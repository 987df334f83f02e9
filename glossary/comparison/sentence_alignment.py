"""Which sentences of two texts that correspond say the same, in the order of both, by words learned
to translate each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.languages import get_language
from glossary import normalization
from glossary.normalization import SHORTEST_PART

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROUNDS = 6  # of expectation and maximization
_LEAST = 0.05  # sureness of a pair of words that is known
_SEEN = 2  # pairs of texts that have both words, at least
_LONG = 3  # letters of a word that stands for itself in another language: a name

Words = NDArray[np.int64]
"""The words of a text, as their numbers in a vocabulary."""


class Vocabulary:
    """The words of one side, numbered, and how many of ``texts`` have each."""

    def __init__(self, texts: Sequence[Sequence[str]]):
        self.words = list(dict.fromkeys(chain.from_iterable(texts)))
        self._number = {word: n for n, word in enumerate(self.words)}
        self.counts = np.bincount(
            np.concatenate(
                [self.numbers(sorted(set(text))) for text in texts] or [self.numbers(())]
            ),
            minlength=len(self.words),
        )

    def numbers(self, text: Sequence[str]) -> Words:
        """Return the numbers of the words of a text, all of which are known."""
        return np.array([self._number[word] for word in text], dtype=np.int64)


def learn_translations(
    pairs: Sequence[tuple[Words, Words]], left: Vocabulary, right: Vocabulary
) -> csr_matrix:
    """Return how surely words translate each other, shape (words of ``left``, words of ``right``),
    from 0 to 1.

    IBM Model 1 (Brown et al. 1993) in both directions; a pair is as sure as the geometric mean of
    the two chances, which is high where each is what the other is mostly translated as. Names and
    numbers translate themselves.
    """
    from scipy.sparse import csr_matrix  # slow to load, and answering does without

    shape = len(left.words), len(right.words)
    cells, places = _cells(pairs, shape[1])
    known, cell, seen = np.unique(cells, return_inverse=True, return_counts=True)
    rows, columns = known // shape[1], known % shape[1]
    sure = np.sqrt(_model_1(cell, places[1], rows) * _model_1(cell, places[0], columns))
    accepted = (sure >= _LEAST) & (seen >= _SEEN)
    found = csr_matrix((sure[accepted], (rows[accepted], columns[accepted])), shape=shape)
    return found.maximum(_same_words(left, right))


def _cells(pairs: Sequence[tuple[Words, Words]], width: int) -> tuple[Words, tuple[Words, Words]]:
    """Return the number of each pair of a word on the left and one on the right, and the places
    where the two stand.
    """
    cells, places, start = [], ([], []), [0, 0]  # type: ignore[var-annotated]
    for left, right in pairs:
        cells.append(np.repeat(left, len(right)) * width + np.tile(right, len(left)))
        places[0].append(np.repeat(np.arange(len(left)), len(right)) + start[0])
        places[1].append(np.tile(np.arange(len(right)), len(left)) + start[1])
        start = [start[0] + len(left), start[1] + len(right)]
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *cells]), (
        np.concatenate([nothing, *places[0]]),
        np.concatenate([nothing, *places[1]]),
    )


def _model_1(cell: Words, place: Words, source: Words) -> NDArray[np.float64]:
    """Return the chance of each pair of words, given its ``source``: each place is shared out among
    the words that may have given it.
    """
    chance = np.ones(len(source))
    for _ in range(_ROUNDS if len(source) else 0):
        weight = chance[cell]
        counts = np.bincount(
            cell, weights=weight / np.bincount(place, weights=weight)[place], minlength=len(source)
        )
        chance = counts / np.bincount(source, weights=counts)[source]
    return chance


def _same_words(left: Vocabulary, right: Vocabulary) -> csr_matrix:
    from scipy.sparse import csr_matrix

    both = sorted(
        word for word in set(left.words) & set(right.words) if word.isdigit() or len(word) >= _LONG
    )
    return csr_matrix(
        (np.ones(len(both)), (left.numbers(both), right.numbers(both))),
        shape=(len(left.words), len(right.words)),
    )


SURE = 0.35  # sureness of two words, from which each counts as the translation of the other
UNKNOWN = 0.4  # what a word counts that nothing is known to translate
LEAST_IN_COMMON = 0.2  # likeness that sentences must have more than, to be worth aligning
JOINED = 0.5  # words in common that each further sentence must gain
UNEVEN = 0.1  # likeness that sentences must gain for each time that one side is e times as long as the other
COVERED = 0.4  # how much of each of several sentences that face one this must have, at least
USUAL = 0.5  # sureness of a translation that is usual
TELLING = 2.0  # weight of a word whose translation is missed
FOUND = 0.3  # share of `SURE` from which the other side has something for a word
MOST = 3  # sentences of a side that may face one
ALIKE = 0.5  # likeness of sentences that words are learned from again

_Span = tuple[int, int]


class Bead(NamedTuple):
    """Sentences ``left`` and ``right``, as numbers (first, past the last), that correspond; one of
    the two may be empty.

    ``forth`` and ``back`` say, from 0 to 1, how much of the left the right has, and of the right
    the left. ``missing`` is the share of words, of both sides, whose usual translation is not on
    the other, and ``gap`` the weight of the longest run of words of a side that the other has
    nothing for.
    """

    left: _Span
    right: _Span
    forth: float = 0.0
    back: float = 0.0
    missing: float = 0.0
    gap: float = 0.0

    @property
    def likeness(self) -> float:
        """How alike the two are: the geometric mean."""
        return math.sqrt(self.forth * self.back)


class SentenceAligner:
    """Aligns texts of two languages by what their words are translated as, which it learns from
    them.

    ``texts`` are pairs of texts that correspond, each a list of sentences.
    """

    def __init__(
        self, texts: Sequence[tuple[Sequence[str], Sequence[str]]], languages: tuple[str, str]
    ):
        readers = [
            _WordReader((s for pair in texts for s in pair[side]), language)
            for side, language in enumerate(languages)
        ]
        words = [
            [[reader.words(s) for s in side] for side, reader in zip(pair, readers, strict=True)]
            for pair in texts
        ]
        flat = [
            [[word for sentence in pair[side] for word in sentence] for pair in words]
            for side in (0, 1)
        ]
        left, right = (Vocabulary(side) for side in flat)
        self._texts = [
            _Text([left.numbers(s) for s in here], [right.numbers(s) for s in there])
            for here, there in words
        ]
        # As usual, a word counts the more the fewer texts have it.
        self._weights = tuple(
            np.log((len(texts) + 1) / np.maximum(side.counts, 1)) for side in (left, right)
        )
        self._learn(
            [(left.numbers(a), right.numbers(b)) for a, b in zip(*flat, strict=True)], left, right
        )
        # Sentences are shorter than the texts they are from, and what is learned from them is surer
        # (Varga et al. 2005).
        found = [
            (t, bead)
            for t, beads in zip(self._texts, self.beads(), strict=True)
            for bead in beads
            if bead.likeness >= ALIKE
        ]
        self._learn([text.words(bead.left, bead.right) for text, bead in found], left, right)

    def _learn(
        self, pairs: Sequence[tuple[Words, Words]], left: Vocabulary, right: Vocabulary
    ) -> None:
        translations = learn_translations(pairs, left, right)
        # Where nothing corresponds, one side has no words, and a matrix without rows or columns has
        # no largest value.
        by_left, by_right = (
            translations.max(axis=axis).toarray().ravel()
            if all(translations.shape)
            else np.zeros(translations.shape[1 - axis])
            for axis in (1, 0)
        )
        surest = by_left, by_right
        self._known = _KnownWords(translations, surest, self._weights)

    def beads(self) -> Iterator[list[Bead]]:
        """Yield for each text what corresponds in it: every sentence in one bead, in order."""
        for text in self._texts:
            alignment = _Alignment(text, self._known)
            yield [alignment.measured(bead) for bead in alignment.beads()]


class _WordReader:
    """The words of texts in one language, without endings; accents stay, as "si" and "sì" are two
    words.

    A compound is its two parts where the texts have both of them by themselves
    ("Ressourcenfähigkeit"), since other languages have a word for each, and most compounds are too
    rare to learn anything of (Koehn and Knight 2003).
    """

    def __init__(self, texts: Iterable[str], language: str):
        self._stem = normalization.get_stemmer(language)
        self._links = get_language(language).forms.links
        self._counts = Counter(
            token.text.lower() for text in texts for token in normalization.tokenize(text)
        )
        self._known: dict[str, tuple[str, ...]] = {}

    def words(self, text: str) -> list[str]:
        """Return the words of ``text``."""
        return [
            self._stem(part)
            for token in normalization.tokenize(text)
            for part in self._parts(token.text.lower())
        ]

    def _parts(self, word: str) -> tuple[str, ...]:
        if word not in self._known:
            self._known[word] = self._divided(word) if len(word) >= 2 * SHORTEST_PART else (word,)
        return self._known[word]

    def _divided(self, word: str) -> tuple[str, ...]:
        found: list[tuple[int, tuple[str, ...]]] = []
        for place in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            head, tail = word[:place], word[place:]
            for link in self._links:
                whole = head.removesuffix(link)
                if head.endswith(link) and len(whole) >= SHORTEST_PART:
                    found.append((min(self._counts[whole], self._counts[tail]), (whole, tail)))
        count, parts = max(found, default=(0, (word,)))
        return parts if count else (word,)


class _KnownWords(NamedTuple):
    """What is known of the words of both sides: translations, the sureness of each word's surest
    one, and what it counts.
    """

    translations: csr_matrix
    surest: tuple[NDArray[np.float64], NDArray[np.float64]]
    weights: tuple[NDArray[np.float64], ...]


class _Text(NamedTuple):
    """Two texts that correspond, as the words of each sentence."""

    left: Sequence[Words]
    right: Sequence[Words]

    def words(self, left: _Span, right: _Span) -> tuple[Words, Words]:
        """Return the words of some sentences."""
        return np.concatenate(self.left[slice(*left)]), np.concatenate(self.right[slice(*right)])


class _Alignment:
    """How the sentences of two texts may be aligned."""

    def __init__(self, text: _Text, known: _KnownWords):
        self._sides = text
        left, right = (np.concatenate([np.zeros(0, np.int64), *side]) for side in text)
        self._sure = np.minimum(known.translations[left][:, right].toarray() / SURE, 1.0)
        surest = [known.surest[side][words] for side, words in enumerate((left, right))]
        weights = [known.weights[side][words] for side, words in enumerate((left, right))]
        self._expected = [
            (its >= USUAL) & (weight >= TELLING)
            for its, weight in zip(surest, weights, strict=True)
        ]
        self._weights = [
            known.weights[side][words] * np.where(surest[side] > 0, 1.0, UNKNOWN)
            for side, words in enumerate((left, right))
        ]
        self._starts = [
            np.concatenate([[0], np.cumsum([len(sentence) for sentence in side], dtype=np.int64)])
            for side in text
        ]

    def beads(self) -> list[Bead]:
        """Return the alignment of the greatest total, every sentence in one bead.

        Dynamic programming over beads of one sentence to up to `MOST` (Gale and Church 1993),
        valued by words that translate each other (as Moore 2002 and Varga et al. 2005) above
        `LEAST_IN_COMMON`, and weighted by length.
        """
        lengths = len(self._sides.left), len(self._sides.right)
        if lengths == (1, 1):
            return [self._bead((0, 1), (0, 1))]
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
        """Return ``bead`` with all that it says of its sentences."""
        (a, b), (c, d) = self._words(bead.left, bead.right)
        if a == b or c == d:
            return bead
        sure = self._sure[a:b, c:d]
        covered = sure.max(axis=1) >= FOUND, sure.max(axis=0) >= FOUND
        expected = self._expected[0][a:b], self._expected[1][c:d]
        weights = self._weights[0][a:b], self._weights[1][c:d]
        return bead._replace(
            missing=sum(
                int((its & ~found).sum()) for its, found in zip(expected, covered, strict=True)
            )
            / sum(sure.shape),
            gap=max(_longest_run(its, found) for its, found in zip(weights, covered, strict=True)),
        )

    def _words(self, left: _Span, right: _Span) -> tuple[_Span, _Span]:
        """Return the places of the words of some sentences."""
        here, there = (
            (int(starts[a]), int(starts[b]))
            for starts, (a, b) in zip(self._starts, (left, right), strict=True)
        )
        return here, there

    def _bead(self, left: _Span, right: _Span) -> Bead:
        (a, b), (c, d) = self._words(left, right)
        if a == b or c == d:
            return Bead(left, right)
        sure = self._sure[a:b, c:d]
        here, there = self._weights[0][a:b], self._weights[1][c:d]
        return Bead(
            left, right, _coverage(here, sure.max(axis=1)), _coverage(there, sure.max(axis=0))
        )

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
        return (bead.likeness - LEAST_IN_COMMON - UNEVEN * uneven) * sum(words) - JOINED * (
            sum(sentences) - 2
        )

    def _each_covered(self, bead: Bead) -> bool:
        """Return whether each sentence of the side that has several has enough in common with that
        of the other.
        """
        side = 0 if bead.left[1] - bead.left[0] > 1 else 1
        one, several = (bead.right, bead.left) if side == 0 else (bead.left, bead.right)
        if (
            len({tuple(sentence) for sentence in self._sides[side][slice(*several)]})
            < several[1] - several[0]
        ):
            return False  # printed twice
        for n in range(*several):
            alone = self._bead((n, n + 1), one) if side == 0 else self._bead(one, (n, n + 1))
            if (alone.forth, alone.back)[side] < COVERED:
                return False
        return True


def _coverage(weights: NDArray[np.float64], sure: NDArray[np.float64]) -> float:
    return float(weights @ sure / max(weights.sum(), 1e-9))


def _longest_run(weights: NDArray[np.float64], found: NDArray[np.bool_]) -> float:
    longest = run = 0.0
    for weight, its in zip(weights.tolist(), found.tolist(), strict=True):
        run = 0.0 if its else run + weight
        longest = max(longest, run)
    return longest


def _steps(i: int, j: int) -> Iterator[tuple[int, int]]:
    """Yield how many sentences of either side the last bead of the first ``i`` and ``j`` may
    have.
    """
    yield from ((a, b) for a, b in ((1, 0), (0, 1), (1, 1)) if a <= i and b <= j)
    for n in range(2, MOST + 1):
        if n <= i and j:
            yield n, 1
        if n <= j and i:
            yield 1, n
