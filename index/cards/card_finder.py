"""Finds cards by what people type of their names: with slips, without umlauts, in part, shortened,
by number, with type or product.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from index.cards.card_name_tables import CardNameTables, NameForm
from index.cards.name_forms import codes_in, compared_words, grams

LONGEST_QUERY = 200  # characters that are looked at; no name is half as long
_MOST_WORDS = 16
_CANDIDATES = 150  # names that are compared word by word
_LEAST_ALIKE = 0.65  # similarity of words that may be one
_LEAST_SCORE = 0.45
_SHORTENED = 0.8  # how like a shortened word is to the whole: "Dr.", "Capt."
_BEGUN = 0.85
_LETTER = 0.6  # "B. Panther"
_CONTEXT = 0.95  # what a word counts that tells a card from others of its name
_CONTEXT_ALIKE = 0.75  # the same for a word that is like one, or begins it
_LEAST_CONTEXT = 0.8  # similarity of words beside names
_SHORTEST_LIKE = 4  # letters of such a word
_CODE_WEIGHT = 12.0  # of a number that is a card's own, beside words of names, which weigh up to 11
_FEW_OF_A_NUMBER = 20  # cards that may share a number, one in each product
_SHARED = 0.9, 0.5  # how sure a number is that few cards share, or many
_INITIALS = 0.8
_VOWELS = frozenset("aeiou")


class CardMatch(NamedTuple):
    """A card by its number, how like a name of it is, from 0 to 1, and that name; None where its
    number alone is asked for.
    """

    card: int
    score: float
    form: NameForm | None


class CardFinder:
    """Finds cards by name in ``tables``."""

    def __init__(self, tables: CardNameTables):
        self._tables = tables
        self._context = _ContextWords(
            [tables.context_words.string(number) for number in range(len(tables.context_words))]
        )

    def find(
        self, text: str, cards: Container[int], language: str | None, k: int
    ) -> list[CardMatch]:
        """The ``k`` of ``cards`` that ``text`` is most likely meant for, the best first; of equal
        ones those named in ``language``.
        """
        text = text[:LONGEST_QUERY]
        words = compared_words(text)[:_MOST_WORDS]
        if not words:
            return []
        query = _Query(words, self._tables, self._context)
        found: dict[int, CardMatch] = {}
        for match in (*self._by_name(query, cards), *self._by_code(text, query, cards)):
            known = found.get(match.card)
            if known is None or _order(match, language) < _order(known, language):
                found[match.card] = match
        best = sorted(found.values(), key=lambda match: (*_order(match, language), match.card))
        return [match for match in best[:k] if match.score >= _LEAST_SCORE]

    def called(self, name: str) -> list[int]:
        """The cards whose whole name ``name`` is, ascending."""
        words = compared_words(name[:LONGEST_QUERY])
        forms = (
            self._tables.forms[number]
            for number in self._tables.joined.numbers("".join(words)).tolist()
        )
        return sorted({card for form in forms if form.words == words for card in form.cards})

    def numbered(self, code: str) -> list[int]:
        """The cards that have this ``code`` or number, ascending."""
        return self._tables.codes.numbers(code).tolist()  # type: ignore[no-any-return]

    def _by_name(self, query: _Query, cards: Container[int]) -> Iterator[CardMatch]:
        tables = self._tables
        joined = "".join(query.words)
        short = set(tables.initials.numbers(joined).tolist())
        numbers = dict.fromkeys(
            [*tables.joined.numbers(joined).tolist(), *short, *self._alike(query.words)]
        )
        for number in numbers:
            form = tables.forms[number]
            compared = query.compare(form)
            alike = fuzz.ratio(joined, "".join(form.words)) / 100
            least = max(alike * alike, _INITIALS if number in short else 0.0)
            for card in form.cards:
                if card in cards:
                    score = max(compared.score(query.context_likeness(card)), least)
                    yield CardMatch(card, round(score, 4), form)

    def _alike(self, words: tuple[str, ...]) -> list[int]:
        """The names that have most n-grams of ``words``, by the cosine of the weighed n-grams."""
        tables = self._tables
        sums = np.zeros(len(tables.lengths), dtype=np.float32)
        for gram in grams(words):
            if len(numbers := tables.grams.numbers(gram)):
                sums[numbers] += tables.gram_weight(len(numbers)) ** 2
        sums /= np.maximum(tables.lengths, 1e-6)
        few = (
            np.argpartition(-sums, _CANDIDATES)[:_CANDIDATES]
            if len(sums) > _CANDIDATES
            else np.arange(len(sums))
        )
        best = few[np.argsort(-sums[few], kind="stable")]
        return best[sums[best] > 0].tolist()  # type: ignore[no-any-return]

    def _by_code(self, text: str, query: _Query, cards: Container[int]) -> Iterator[CardMatch]:
        for code in codes_in(text):
            having = [card for card in self._tables.codes.numbers(code).tolist() if card in cards]
            if not having:
                continue
            sure = 1.0 if len(having) == 1 else _SHARED[len(having) > _FEW_OF_A_NUMBER]
            own = set(compared_words(code))
            for card in having:
                context = query.context_likeness(card)
                others = [
                    (weight, like)
                    for word, weight, like in zip(query.words, query.weights, context, strict=True)
                    if word not in own
                ]
                told = _CODE_WEIGHT + sum(weight * like for weight, like in others)
                yield CardMatch(
                    card,
                    round(sure * told / (_CODE_WEIGHT + sum(weight for weight, _ in others)), 4),
                    None,
                )


class _Compared(NamedTuple):
    """How the words of a query and those of a name go together: likeness of each word of the query,
    and how much of the name is there.
    """

    weights: list[float]
    likeness: list[float]
    covered: float
    exact: bool

    def score(self, context: list[float]) -> float:
        """From 0 to 1; ``context`` is how like each word of the query is to one beside the name."""
        likeness = [max(pair) for pair in zip(self.likeness, context, strict=True)]
        asked = sum(w * like for w, like in zip(self.weights, likeness, strict=True)) / (
            sum(self.weights) or 1.0
        )
        return asked * (0.5 + 0.5 * self.covered) * (1.0 if self.exact else 0.99)


class _Query:
    """The words of a query, compared with names and with what stands beside them."""

    def __init__(self, words: tuple[str, ...], tables: CardNameTables, context: _ContextWords):
        self.words = words
        self.weights = [tables.word_weight(word) for word in words]
        self._tables = tables
        self._beside: list[Mapping[int, float]] = [context.like(word) for word in words]

    def context_likeness(self, card: int) -> list[float]:
        """How like each word is to one that stands beside the name of ``card``."""
        if not any(self._beside):
            return [0.0] * len(self.words)
        own = self._tables.context.row(card).tolist()
        return [
            max((like[number] for number in own if number in like), default=0.0)
            for like in self._beside
        ]

    def compare(self, form: NameForm) -> _Compared:
        """Pair the words of the query with those of ``form``, the most alike first."""
        pairs = [
            (likeness(word, other), i, j)
            for i, word in enumerate(self.words)
            for j, other in enumerate(form.words)
        ]
        mine, theirs = [0.0] * len(self.words), [0.0] * len(form.words)
        for like, i, j in sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]))):
            if like and not mine[i] and not theirs[j]:
                mine[i] = theirs[j] = like
        weights = [self._tables.word_weight(word) for word in form.words]
        covered = sum(w * like for w, like in zip(weights, theirs, strict=True)) / sum(weights)
        return _Compared(self.weights, mine, covered, self.words[: len(form.words)] == form.words)


def likeness(word: str, other: str) -> float:
    """How like ``word``, as somebody has typed it, is to the ``other`` one of a name, from 0 to
    1.
    """
    if word == other:
        return 1.0
    if other.startswith(word):
        return (
            _LETTER
            if len(word) == 1
            else _BEGUN
            if len(word) > 2 or _is_shortened(word, other)
            else 0.0
        )
    alike = OSA.normalized_similarity(word, other, score_cutoff=_LEAST_ALIKE)
    return alike or (_SHORTENED if _is_shortened(word, other) else 0.0)


def _is_shortened(word: str, other: str) -> bool:
    """Whether ``word`` is the first and last letters of a longer one, without vowels: "Dr",
    "Mr".
    """
    return (
        1 < len(word) <= 3 < len(other)
        and word[0] == other[0]
        and word[-1] == other[-1]
        and _VOWELS.isdisjoint(word)
    )


class _ContextWords:
    """The words beside names, ``words`` by number, looked up by what people type of them."""

    def __init__(self, words: list[str]):
        self._words = words
        self._sorted = sorted((word, number) for number, word in enumerate(words))

    def like(self, word: str) -> dict[int, float]:
        """The numbers of the words that ``word`` may be, and how sure that is; a number is only
        itself.
        """
        found: dict[int, float] = {}
        if len(word) >= _SHORTEST_LIKE and not word.isdigit():
            alike = process.extract(
                word,
                self._words,
                scorer=OSA.normalized_similarity,
                score_cutoff=_LEAST_CONTEXT,
                limit=None,
            )
            found = dict.fromkeys((number for _, _, number in alike), _CONTEXT_ALIKE)
        for other, number in self._sorted[bisect_left(self._sorted, (word, -1)) :]:
            if other == word:
                found[number] = _CONTEXT
            elif len(word) >= _SHORTEST_LIKE and not word.isdigit() and other.startswith(word):
                found[number] = _CONTEXT_ALIKE
            else:
                break
        return found


def _order(match: CardMatch, language: str | None) -> tuple[float, bool]:
    return -match.score, match.form is None or match.form.language != language
