"""Align the sentences of two corresponding texts in two languages, by word translations learned
from the texts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.languages import get_language
from glossary import normalization
from glossary.normalization import SHORTEST_PART

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SURE = 0.35  # sureness of two words, from which each counts as the translation of the other
UNKNOWN = 0.4  # weight of a word without a known translation, as a share
LEAST_IN_COMMON = 0.2  # likeness that aligned sentences must exceed
JOINED = 0.5  # words in common that each further sentence must gain
UNEVEN = 0.1  # likeness to gain for each time that one side is e times as long as the other
COVERED = 0.4  # share of each of several sentences that their one counterpart must cover
PARTLY = 0.25  # the same if the sentence adds much
MOSTLY = 0.6  # the same if the sentence adds nothing but makes the lengths more alike
MUCH_LONGER = 0.6  # logarithm of how much longer a side may become by the sentence
CROSSING = 0.43  # likeness of sentences in another order or in other rows
LEFT_OVER = 0.39  # the same of two unaligned sentences
MORE_ALIKE = 0.5  # by how much both together are more alike than with their former counterparts
EACH_MORE_ALIKE = 0.07  # the same, each of them
LOST = 0.03  # likeness that the rest may lose, for each to need no greater gain than this
EVENS = 0.2  # by how much more alike a further sentence makes the lengths
GAIN = 0.06  # share of a sentence that another one beside its counterpart must add
FITS = 0.3  # likeness of a sentence to one of several that are aligned with its neighbour
EVEN = 0.5  # logarithm of how much longer one of the two is, at most
USUAL = 0.5  # sureness of a translation that is usual
TELLING = 2.0  # weight of a word that should have its usual translation
OFTEN = 6  # texts with a word, from which its usual translation is sure
FOUND = 0.3  # share of `SURE` from which a word counts as translated
MOST = 3  # sentences of a side that may be aligned with one
ALIKE = 0.5  # likeness of sentences that words are learned from again
_ROUNDS = 6  # of expectation and maximization
_LEAST = 0.05  # sureness of a pair of words that is kept
_SEEN = 2  # pairs of texts that have both words, at least
_NOTHING = 1e-9
_LONG = 3  # letters of a word that translates itself: a name

_Words = NDArray[np.int64]  # the words of a text, as their numbers in a vocabulary
_NO_WORDS = np.zeros(0, dtype=np.int64)
_Span = tuple[int, int]


class Bead(NamedTuple):
    """Sentences that correspond: ``left`` and ``right`` are ranges (first, past the last), one of
    which may be empty.

    ``forth`` is how much of the left side the right one covers, ``back`` the reverse, from 0 to 1.
    ``missing`` is the share of words of both sides whose usual translation is not on the other
    side. ``gaps`` is, for each side, the weight of the longest run of words without a counterpart.
    """

    left: _Span
    right: _Span
    forth: float = 0.0
    back: float = 0.0
    missing: float = 0.0
    gaps: tuple[float, float] = (0.0, 0.0)

    def is_alone(self, side: int) -> bool:
        """Return whether the bead has sentences only on ``side``, left (0) or right (1)."""
        (first, last), (start, end) = self.sides[side], self.sides[1 - side]
        return first < last and start == end

    @property
    def sides(self) -> tuple[_Span, _Span]:
        """The spans of the left and of the right."""
        return self.left, self.right

    @property
    def coverage(self) -> tuple[float, float]:
        """The share of the left that the right covers, and the reverse."""
        return self.forth, self.back

    @property
    def is_sure(self) -> bool:
        """Whether the bead surely aligns one sentence with one."""
        (first, last), (start, end) = self.sides
        return last - first == end - start == 1 and self.likeness >= CROSSING

    @property
    def likeness(self) -> float:
        """The similarity of the sides: the geometric mean of their coverages."""
        return math.sqrt(self.forth * self.back)


class SentenceAligner:
    """Aligns texts in two languages by word translations that it learns from them.

    ``texts`` are pairs of texts that correspond, each a list of sentences.
    """

    def __init__(
        self, texts: Sequence[tuple[Sequence[str], Sequence[str]]], languages: tuple[str, str]
    ):
        self._vocabularies: list[dict[str, int]] = []
        self._readers: list[_WordReader] = []
        sides: list[list[list[_Words]]] = []  # the words of each sentence of each text
        self._weights: list[NDArray[np.float64]] = []  # of words, the rarer the heavier
        for side, language in enumerate(languages):
            reader = _WordReader((s for pair in texts for s in pair[side]), language)
            self._readers.append(reader)
            words = [[reader.words(sentence) for sentence in pair[side]] for pair in texts]
            flat = [list(chain.from_iterable(text)) for text in words]
            known = {w: n for n, w in enumerate(dict.fromkeys(chain.from_iterable(flat)))}
            counts = Counter(known[word] for text in flat for word in set(text))
            having = np.array([counts[n] for n in range(len(known))])
            self._weights.append(np.log((len(texts) + 1) / np.maximum(having, 1)))
            self._vocabularies.append(known)
            sides.append([[_numbers(known, sentence) for sentence in text] for text in words])
        self._texts = list(zip(*sides, strict=True))
        self._learn([(_joined(left), _joined(right)) for left, right in self._texts])
        # Sentences are shorter than the texts they are from, and what is learned from them is surer
        # (Varga et al. 2005).
        self._learn(
            [
                (_joined(left[slice(*bead.left)]), _joined(right[slice(*bead.right)]))
                for (left, right), beads in zip(self._texts, self.beads(), strict=True)
                for bead in beads
                if bead.likeness >= ALIKE
            ]
        )

    def align(self, texts: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Iterator[list[Bead]]:
        """Yield the beads of each of ``texts``; every sentence is in one bead, in the order of the
        left. All words have to be known from the texts that were learned from.
        """
        return (self._beads(self._numbered(*text)) for text in texts)

    def together(
        self,
        texts: Sequence[tuple[Sequence[str], Sequence[str]]],
        beads: Iterable[Sequence[Bead]],
    ) -> list[Bead]:
        """Return the ``beads`` of several texts, renumbered through all texts, and align sentences
        across texts if that fits better.
        """
        found: list[Bead] = []
        starts = [0, 0]
        for text, own in zip(texts, beads, strict=True):
            for bead in own:
                spans = [(a + n, b + n) for (a, b), n in zip(bead.sides, starts, strict=True)]
                found.append(bead._replace(left=spans[0], right=spans[1]))
            starts = [n + len(side) for n, side in zip(starts, text, strict=True)]
        left, right = ([sentence for text in texts for sentence in text[side]] for side in (0, 1))
        alignment = self._alignment(self._numbered(left, right))
        return [alignment.measured(bead) for bead in alignment.regrouped(found)]

    def bead(self, left: Sequence[str], right: Sequence[str]) -> Bead:
        """Return sentences of both sides as one bead; all words have to be known as for `align`."""
        alignment = self._alignment(self._numbered(left, right))
        return alignment.measured(alignment.whole())

    def _numbered(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[list[_Words], list[_Words]]:
        here, there = (
            [_numbers(known, reader.words(sentence)) for sentence in side]
            for known, reader, side in zip(
                self._vocabularies, self._readers, (left, right), strict=True
            )
        )
        return here, there

    def beads(self) -> Iterator[list[Bead]]:
        """Yield the beads of each text that was learned from."""
        return map(self._beads, self._texts)

    def _beads(self, text: tuple[list[_Words], list[_Words]]) -> list[Bead]:
        alignment = self._alignment(text)
        return [alignment.measured(bead) for bead in alignment.beads()]

    def _alignment(self, text: tuple[list[_Words], list[_Words]]) -> _Alignment:
        return _Alignment(text, self._sure, self._surest, self._weights)

    def coverage(
        self, left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the share of each text of ``left`` that each text of ``right`` covers, and the
        reverse; a text is a list of sentences.

        Both arrays have the shape (len(left), len(right)) and values from 0 to 1, as `Bead.forth`
        and `Bead.back`.
        """
        from scipy.sparse import csr_matrix  # slow to load, and answering does without

        counts = []
        for reader, known, texts in zip(
            self._readers, self._vocabularies, (left, right), strict=True
        ):
            words = [
                [known[w] for s in text for w in reader.words(s) if w in known] for text in texts
            ]
            starts = np.cumsum([0, *map(len, words)])
            flat = np.array([*chain.from_iterable(words)], dtype=np.int64)
            shape = len(texts), len(known)
            counts.append(csr_matrix((np.ones(len(flat)), flat, starts), shape=shape))
            counts[-1].sum_duplicates()
        found = []
        for side, sure in ((0, self._sure), (1, self._sure.T)):
            covered = csr_matrix(counts[1 - side] @ csr_matrix(sure).T)
            covered.data = np.minimum(covered.data / SURE, 1.0)
            factors = np.where(self._surest[side] > 0, 1.0, UNKNOWN)
            own = csr_matrix(counts[side].multiply(self._weights[side] * factors))
            whole = np.maximum(np.asarray(own.sum(axis=1)).ravel(), _NOTHING)
            found.append((own @ covered.T).toarray() / whole[:, None])
        return found[0], found[1].T

    @cached_property
    def _translations(self) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
        """The possible translations of the words of either side, as word numbers."""
        found: tuple[dict[int, set[int]], dict[int, set[int]]] = defaultdict(set), defaultdict(set)
        sure = self._sure.tocoo()
        for left, right, value in zip(sure.row, sure.col, sure.data, strict=True):
            if value >= FOUND * SURE:
                found[0][int(left)].add(int(right))
                found[1][int(right)].add(int(left))
        return found

    def links(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[NDArray[np.float64], tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Return how surely each word of the left translates each of the right, from 0 to 1, shape
        (words of the left, words of the right), and for either side which words lack their usual
        translation.
        """
        parts = [
            [_numbers(known, [w for w in reader.words(word) if w in known]) for word in words]
            for known, reader, words in zip(
                self._vocabularies, self._readers, (left, right), strict=True
            )
        ]
        flat = [_joined(side) for side in parts]
        of_word = [np.repeat(np.arange(len(side)), [len(own) for own in side]) for side in parts]
        sure = np.minimum(self._sure[flat[0]][:, flat[1]].toarray() / SURE, 1.0)
        strength = np.zeros((len(left), len(right)))
        np.maximum.at(strength, (of_word[0][:, None], of_word[1][None, :]), sure)
        missed = np.zeros(len(left), dtype=bool), np.zeros(len(right), dtype=bool)
        for side in (0, 1):
            weights = self._weights[side][flat[side]]
            often = weights <= math.log((len(self._texts) + 1) / OFTEN)
            usual = self._surest[side][flat[side]] >= USUAL
            expected = usual & often & (weights >= TELLING)
            missed[side][of_word[side][expected]] = True
            missed[side][strength.max(axis=1 - side, initial=0.0) >= FOUND] = False
        return strength, missed

    def weightiest_alone(self, words: str, other: str, side: int) -> bool:
        """Return whether the heaviest of the ``words`` of the left (``side`` 0) or right (1) has no
        translation in the ``other`` text.
        """
        known, reader = self._vocabularies[side], self._readers[side]
        own = [known[word] for word in reader.words(words) if word in known]
        known, reader = self._vocabularies[1 - side], self._readers[1 - side]
        there = [known[word] for word in reader.words(other) if word in known]
        if not own or not there:
            return True
        number = max(own, key=lambda word: float(self._weights[side][word]))
        return self._translations[side][number].isdisjoint(there)

    def longest_gap(self, texts: tuple[str, str], side: int) -> str:
        """Return the heaviest run of words in the left (``side`` 0) or right text without a
        translation in the other text.
        """
        own, other = (
            [
                (token, [known[w] for w in reader.words(token.text) if w in known])
                for token in normalization.tokenize(text)
            ]
            for text, known, reader in zip(texts, self._vocabularies, self._readers, strict=True)
        )
        if side == 1:
            own, other = other, own
        there = {number for _, numbers in other for number in numbers}
        runs: list[tuple[float, int, int]] = [(0.0, 0, 0)]
        weight, start = 0.0, 0
        for token, numbers in own:
            if any(not self._translations[side][n].isdisjoint(there) for n in numbers):
                weight = 0.0
                continue
            start = start if weight else token.start
            weight += sum(self._weights[side][number] for number in numbers) + _NOTHING
            runs.append((weight, start, token.end))
        _, start, end = max(runs)
        return texts[side][start:end]

    def _learn(self, pairs: Sequence[tuple[_Words, _Words]]) -> None:
        """Learn from ``pairs`` of texts how surely words translate each other, shape (words of the
        left, words of the right), from 0 to 1.

        IBM Model 1 (Brown et al. 1993) in both directions. The value of a pair is the geometric
        mean of the two probabilities, which is high if each word is the other's usual translation.
        Names and numbers translate themselves.
        """
        from scipy.sparse import csr_matrix  # slow to load, and answering does without

        left, right = self._vocabularies
        shape = len(left), len(right)
        cells, rows, columns = [_NO_WORDS], [_NO_WORDS], [_NO_WORDS]
        start = [0, 0]
        for here, there in pairs:
            cells.append(np.repeat(here, len(there)) * shape[1] + np.tile(there, len(here)))
            rows.append(np.repeat(np.arange(len(here)), len(there)) + start[0])
            columns.append(np.tile(np.arange(len(there)), len(here)) + start[1])
            start = [start[0] + len(here), start[1] + len(there)]
        known, cell, seen = np.unique(
            np.concatenate(cells), return_inverse=True, return_counts=True
        )
        one, other = known // shape[1], known % shape[1]
        sure = np.sqrt(
            _model_1(cell, np.concatenate(columns), one)
            * _model_1(cell, np.concatenate(rows), other)
        )
        accepted = (sure >= _LEAST) & (seen >= _SEEN)
        found = csr_matrix((sure[accepted], (one[accepted], other[accepted])), shape=shape)
        same = sorted(w for w in left.keys() & right if w.isdigit() or len(w) >= _LONG)
        itself = csr_matrix(
            (np.ones(len(same)), (_numbers(left, same), _numbers(right, same))), shape=shape
        )
        self._sure = found.maximum(itself)
        # Where nothing corresponds, one side has no words, and a matrix without rows or columns has
        # no largest value.
        self._surest = [
            self._sure.max(axis=axis).toarray().ravel() if all(shape) else np.zeros(shape[1 - axis])
            for axis in (1, 0)
        ]


def _numbers(vocabulary: dict[str, int], words: Sequence[str]) -> _Words:
    return np.array([vocabulary[word] for word in words], dtype=np.int64)


def _joined(sentences: Sequence[_Words]) -> _Words:
    return np.concatenate([_NO_WORDS, *sentences])


def _model_1(cell: _Words, place: _Words, source: _Words) -> NDArray[np.float64]:
    """Return the probability of each pair of words given its ``source``: the count of each target
    position is shared among the words that may have produced it.
    """
    chance = np.ones(len(source))
    for _ in range(_ROUNDS if len(source) else 0):
        weight = chance[cell]
        shares = weight / np.bincount(place, weights=weight)[place]
        counts = np.bincount(cell, weights=shares, minlength=len(source))
        chance = counts / np.bincount(source, weights=counts)[source]
    return chance


class _WordReader:
    """Splits texts in one language into stems; accents stay, as "si" and "sì" are two words.

    A compound ("Ressourcenfähigkeit") counts as its two parts if the texts have both parts as words
    of their own: other languages have a word for each part, and most compounds are too rare to
    learn from (Koehn and Knight 2003).
    """

    def __init__(self, texts: Iterable[str], language: str):
        self._stem = normalization.get_stemmer(language)
        self._links = get_language(language).forms.links
        self._counts = Counter(
            token.text.lower() for text in texts for token in normalization.tokenize(text)
        )
        self._parts: dict[str, tuple[str, ...]] = {}

    def words(self, text: str) -> list[str]:
        """Return the stems of ``text``."""
        found: list[str] = []
        for word in (token.text.lower() for token in normalization.tokenize(text)):
            if word not in self._parts:
                self._parts[word] = self._divided(word)
            found += map(self._stem, self._parts[word])
        return found

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


class _Limits(NamedTuple):
    """The likeness that sentences must exceed, and how much of each of several sentences their
    counterpart must cover.
    """

    in_common: float
    covered: float


_STRICT = _Limits(LEAST_IN_COMMON, COVERED)
_LOOSE = _Limits(0.1, 0.2)  # of unaligned sentences in the same place


def _without(span: _Span, one: _Span) -> _Span | None:
    """Return ``span`` without ``one`` of its sentences; None unless this is the first or last
    one.
    """
    (first, last), (start, end) = span, one
    return (end, last) if start == first else (first, start) if end == last else None


class _Alignment:
    """Finds alignments of the sentences of two texts.

    Args:
        text: The words of each sentence of either side.
        sure: How surely words of the left translate words of the right.
        surest: For each word, the value of its surest translation.
        weights: The weight of each word.
    """

    def __init__(
        self,
        text: Sequence[Sequence[_Words]],
        sure: csr_matrix,
        surest: Sequence[NDArray[np.float64]],
        weights: Sequence[NDArray[np.float64]],
    ):
        self._text = text
        words = [_joined(side) for side in text]
        self._sure = np.minimum(sure[words[0]][:, words[1]].toarray() / SURE, 1.0)
        known = [its[own] for its, own in zip(surest, words, strict=True)]
        full = [its[own] for its, own in zip(weights, words, strict=True)]
        self._expected = [
            (its >= USUAL) & (weight >= TELLING) for its, weight in zip(known, full, strict=True)
        ]
        self._weights = [
            weight * np.where(its > 0, 1.0, UNKNOWN)
            for its, weight in zip(known, full, strict=True)
        ]
        self._starts = [np.cumsum([0, *(len(sentence) for sentence in side)]) for side in text]

    def beads(self) -> list[Bead]:
        """Return the alignment with the highest total score; every sentence is in one bead.

        Dynamic programming over beads of one sentence to up to `MOST` (Gale and Church 1993),
        scored by words that translate each other (as Moore 2002 and Varga et al. 2005) above
        `LEAST_IN_COMMON`, and weighted by length.
        """
        whole = self.whole()
        if whole.sides == ((0, 1), (0, 1)):
            return [whole]
        return self._completed(self._best(whole.sides, _STRICT))

    def whole(self) -> Bead:
        """Return all sentences as one bead."""
        return self._bead((0, len(self._text[0])), (0, len(self._text[1])))

    def _best(self, whole: tuple[_Span, _Span], limits: _Limits) -> list[Bead]:
        """Return the best alignment of the sentence spans ``whole``, within ``limits``."""
        (first, last), (start, end) = whole
        several = range(2, MOST + 1)
        steps = [(1, 0), (0, 1), (1, 1), *((n, 1) for n in several), *((1, n) for n in several)]
        steps.sort(key=max)
        best: dict[_Span, tuple[float, Bead | None]] = {(first, start): (0.0, None)}
        for i in range(first, last + 1):
            for j in range(start, end + 1):
                for a, b in steps:
                    if a <= i - first and b <= j - start:
                        bead = self._bead((i - a, i), (j - b, j))
                        value = best[i - a, j - b][0] + self._value(bead, limits)
                        if (i, j) not in best or value > best[i, j][0]:
                            best[i, j] = value, bead
        found: list[Bead] = []
        bead_before = best[last, end][1]
        while bead_before is not None:
            found.append(bead_before)
            bead_before = best[bead_before.left[0], bead_before.right[0]][1]
        return found[::-1]

    def _completed(self, beads: Iterable[Bead]) -> list[Bead]:
        """Return ``beads`` with counterparts for unaligned sentences: first between the same
        neighbours, then in another order, then beside an aligned sentence whose counterpart covers
        them.
        """
        found = self._between(self.regrouped(self._between(beads)))
        joined = True
        while joined:  # a joined sentence may make others adjacent
            joined = False
            for side in (0, 1):
                for bead in [b for b in found if b.is_alone(side)]:
                    hosts = [
                        (new.coverage[1 - side] - host.coverage[1 - side], place, new)
                        for place, host in enumerate(found)
                        if (new := self._beside(bead, host, side))
                    ]
                    if hosts:
                        _, place, new = max(hosts)
                        found[place] = new
                        found.remove(bead)
                        joined = True
        for side in (0, 1):
            for bead in [b for b in found if b.is_alone(side)]:
                for place, host in enumerate(found):
                    if parted := self._parted(bead, host, side):
                        found[place : place + 1] = parted
                        found.remove(bead)
                        break
        return found

    def _between(self, beads: Iterable[Bead]) -> list[Bead]:
        """Return ``beads`` with unaligned sentences aligned if they are between the same neighbours
        on both sides.
        """
        found: list[Bead] = []
        for is_alone, run in groupby(beads, lambda b: b.is_alone(0) or b.is_alone(1)):
            own = list(run)
            lefts, rights = ([b.sides[side] for b in own if b.is_alone(side)] for side in (0, 1))
            if is_alone and lefts and rights:
                whole = (lefts[0][0], lefts[-1][1]), (rights[0][0], rights[-1][1])
                own = self._best(whole, _LOOSE)
                if len(lefts) == len(rights) == 1 and self._unevenness(self._bead(*whole)) < 1:
                    own = [self._bead(*whole)]
            found += own
        return found

    def regrouped(self, beads: Sequence[Bead]) -> list[Bead]:
        """Return ``beads`` with single sentences of two different beads aligned, in any order, if
        both are more similar to each other than to their former counterparts.
        """
        found = list(beads)
        alike = [
            new
            for i in range(len(self._text[0]))
            for j in range(len(self._text[1]))
            if (new := self._bead((i, i + 1), (j, j + 1))).likeness >= LEFT_OVER
            and self._unevenness(new) < 1
        ]
        while True:
            at = [
                {n: place for place, b in enumerate(found) for n in range(*b.sides[side])}
                for side in (0, 1)
            ]
            best: tuple[float, list[Bead]] = MORE_ALIKE, []
            for new in alike:
                one, other = found[at[0][new.left[0]]], found[at[1][new.right[0]]]
                left, right = _without(one.left, new.left), _without(other.right, new.right)
                alone = one.is_alone(0) and other.is_alone(1)
                likely = alone or new.likeness >= CROSSING
                if one is other or not (left and right and likely):
                    continue
                now = self._bead(new.left, one.right), self._bead(other.left, new.right)
                gains = [new.likeness - bead.likeness for bead in now]
                rests = self._bead(left, one.right), self._bead(other.left, right)
                # Less is enough if the remaining sentences are as similar without them.
                lost = max(one.likeness - rests[0].likeness, other.likeness - rests[1].likeness)
                if min(gains) >= (EACH_MORE_ALIKE if lost > LOST else LOST):
                    best = max(best, (sum(gains), [new, *rests, one, other]))
            if not best[1]:
                return found
            new, one, other, *former = best[1]
            both = [one, new] if one.left[0] < new.left[0] else [new, one]
            found[found.index(former[1])] = other
            found[(place := found.index(former[0])) : place + 1] = both
            found = [b for b in found if any(first < last for first, last in b.sides)]

    def _beside(self, alone: Bead, host: Bead, side: int) -> Bead | None:
        """Return ``host`` extended by the sentence ``alone`` of ``side``; None if it is not next to
        the host's sentences or the other side covers too little of it.
        """
        if host.is_alone(0) or host.is_alone(1):
            return None
        (start, end), (first, last) = alone.sides[side], host.sides[side]
        if (start != last and first != end) or last - first == MOST:
            return None
        others = host.sides[1 - side]
        covered = self._facing(alone.sides[side], others, side).coverage[side]
        new = self._facing((min(start, first), max(end, last)), others, side)
        gain = new.coverage[1 - side] - host.coverage[1 - side]
        before, now = self._unevenness(host), self._unevenness(new)
        evens = now <= before - EVENS
        enough = (
            (covered >= COVERED and gain >= GAIN)
            or (covered >= PARTLY and gain >= 2 * GAIN)
            or (covered >= PARTLY and gain >= GAIN and evens)
            or (covered >= MOSTLY and evens)
        )
        return new if enough and now - before < MUCH_LONGER else None

    def _parted(self, alone: Bead, host: Bead, side: int) -> list[Bead]:
        """Split ``host``: align the sentence ``alone`` of ``side`` next to it with the first or
        last of the sentences on the other side of ``host``. Return an empty list if that fits
        worse.
        """
        (start, end), (first, last) = alone.sides[side], host.sides[side]
        before, (near, past) = end == first, host.sides[1 - side]
        if first == last or past - near < 2 or not (before or start == last):
            return []
        cut = near + 1 if before else past - 1
        one, others = ((near, cut), (cut, past)) if before else ((cut, past), (near, cut))
        new = self._facing(alone.sides[side], one, side)
        rest = self._facing((first, last), others, side)
        lost = host.coverage[side] - rest.coverage[side]
        fits = lost < _NOTHING or (new.likeness >= FITS and new.coverage[side] > lost)
        if not fits or rest.likeness < CROSSING or self._unevenness(new) >= EVEN:
            return []
        return [new, rest] if before else [rest, new]

    def _unevenness(self, bead: Bead) -> float:
        """Return the absolute logarithm of the ratio of the word counts of both sides."""
        left, right = (max(its.stop - its.start, 1) for its in self._words(bead))
        return abs(math.log(left / right))

    def measured(self, bead: Bead) -> Bead:
        """Return ``bead`` with its ``missing`` and ``gaps`` computed."""
        left, right = self._words(bead)
        sure = self._sure[left, right]
        if not sure.size:
            return bead
        missing, gaps = 0, []
        for side, words, found in (
            (0, left, sure.max(axis=1) >= FOUND),
            (1, right, sure.max(axis=0) >= FOUND),
        ):
            missing += int((self._expected[side][words] & ~found).sum())
            run = gap = 0.0
            for weight, its in zip(self._weights[side][words].tolist(), found, strict=True):
                run = 0.0 if its else run + weight
                gap = max(gap, run)
            gaps.append(gap)
        return bead._replace(missing=missing / sum(sure.shape), gaps=(gaps[0], gaps[1]))

    def _words(self, bead: Bead) -> tuple[slice, slice]:
        """Return the word spans of the sentences of ``bead``, left and right."""
        left, right = (
            slice(int(starts[first]), int(starts[last]))
            for starts, (first, last) in zip(self._starts, (bead.left, bead.right), strict=True)
        )
        return left, right

    def _facing(self, own: _Span, others: _Span, side: int) -> Bead:
        """Return the sentences ``own`` of ``side`` and ``others`` of the other side as one bead."""
        return self._bead(own, others) if side == 0 else self._bead(others, own)

    def _bead(self, left: _Span, right: _Span) -> Bead:
        bead = Bead(left, right)
        here, there = self._words(bead)
        sure = self._sure[here, there]
        if not sure.size:
            return bead
        weights = self._weights[0][here], self._weights[1][there]
        forth, back = (
            float(its @ best / max(its.sum(), 1e-9))
            for its, best in zip(weights, (sure.max(axis=1), sure.max(axis=0)), strict=True)
        )
        return bead._replace(forth=forth, back=back)

    def _value(self, bead: Bead, limits: _Limits) -> float:
        sentences = [last - first for first, last in (bead.left, bead.right)]
        if not all(sentences):
            return 0.0
        if sum(sentences) > 2 and not self._each_covered(bead, limits.covered):
            return -math.inf
        words = [its.stop - its.start for its in self._words(bead)]
        if not all(words):
            return 0.0
        uneven = abs(math.log(words[0] / words[1]))
        gain = (bead.likeness - limits.in_common - UNEVEN * uneven) * sum(words)
        return float(gain - JOINED * (sum(sentences) - 2))

    def _each_covered(self, bead: Bead, least: float) -> bool:
        """Return whether the single sentence of one side covers enough of each of the several
        sentences of the other, and none of these is a duplicate.
        """
        side = 0 if bead.left[1] - bead.left[0] > 1 else 1
        one, several = (bead.right, bead.left) if side == 0 else (bead.left, bead.right)
        unlike = {tuple(sentence) for sentence in self._text[side][slice(*several)]}
        if len(unlike) < several[1] - several[0]:
            return False
        for n in range(*several):
            if self._facing((n, n + 1), one, side).coverage[side] < least:
                return False
        return True
