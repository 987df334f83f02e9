"""What a card text says that a translation must say too: its numbers, symbols, terms and conditions, each with its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from corpus.cards.symbols import SymbolPlace, symbol_places
from corpus.languages import get_language
from corpus.spans import Span
from glossary import normalization
from glossary.comparison.conditions import ConditionFinder
from glossary.comparison.numbers import number_words
from glossary.concepts import Concept
from glossary.name_finder import NameFinder

_TAG = re.compile(r"<[^<>\n]{0,40}>|&(?:[a-z]{2,8}|#\d{1,5});")
_NUMBER = re.compile(r"(?<![\w.])(?<![^\W\d_]-)\d{1,9}(?!\d|\.\d)")  # also "-3ATK", but not "X-23", which is a name
_SIGNED = "+-−–"
_REMARK = re.compile(r"\([^()]*\)")
_NEAR = 30  # characters before a number that may limit it
_SHORTEST = 5  # letters of a stem that is looked for within other words


class Feature(StrEnum):
    """What is compared."""

    NUMBER = "number"
    SYMBOL = "symbol"
    TERM = "term"
    CONDITION = "condition"


class FeatureUse(NamedTuple):
    """A word, number or symbol at ``span``, and what it means; several ``meanings`` where it is ambiguous."""

    span: Span
    meanings: frozenset[str]


class CardTextFeatures:
    """What was read in ``text``: ``uses`` by what is compared, and its numbers in words; ``words`` has blanks for markup and symbols."""

    def __init__(self, text: str, words: str, uses: Mapping[Feature, tuple[FeatureUse, ...]], number_words: tuple[FeatureUse, ...]):
        self.text, self.uses, self.number_words = text, uses, number_words
        self._remarks = [match.span() for match in _REMARK.finditer(words)]
        self.folded = normalization.fold_umlauts(words)

    def is_bare_one(self, use: FeatureUse) -> bool:
        """Whether ``use`` is a 1 without a sign."""
        return "1" in use.meanings and self.text[use.span.start - 1 : use.span.start] not in tuple(_SIGNED)

    def outside_remarks(self, uses: Iterable[FeatureUse], other: CardTextFeatures) -> list[FeatureUse]:
        """``uses`` without those in brackets where ``other`` has not as many brackets: one of the editions prints reminders."""
        remarks = self._remarks if len(self._remarks) != len(other._remarks) else ()
        return [use for use in uses if not any(start <= use.span.start < end for start, end in remarks)]


def unmatched_numbers(text: CardTextFeatures, other: CardTextFeatures) -> tuple[list[FeatureUse], list[FeatureUse]]:
    """The numbers in figures that either of an English ``text`` and its translation ``other`` has, and the other has not even in words.

    Two things tell something only together, one on either side: a 1 without a sign, since "1 card" is "the card" in another language,
    and a number that a translation repeats.
    """
    alone = _more_often(text, other), _more_often(other, text)
    known = {number for use in (*text.uses[Feature.NUMBER], *text.number_words) for number in use.meanings}
    weak = [use for use in alone[0] if text.is_bare_one(use)], [use for use in alone[1] if other.is_bare_one(use) or use.meanings <= known]
    if all(alone):
        return alone
    return [use for use in alone[0] if use not in weak[0]], [use for use in alone[1] if use not in weak[1]]


def _more_often(text: CardTextFeatures, other: CardTextFeatures) -> list[FeatureUse]:
    """The numbers that ``text`` has in figures more often than ``other`` has them in figures or words, bare ones first."""
    left = [use.meanings for use in (*other.uses[Feature.NUMBER], *other.number_words)]
    found = []
    for use in sorted(text.outside_remarks(text.uses[Feature.NUMBER], other), key=lambda use: (len(use.meanings), text.is_bare_one(use))):
        counterpart = next((meanings for meanings in sorted(left, key=len) if meanings & use.meanings), None)
        if counterpart is None:
            found.append(use)
        else:
            left.remove(counterpart)
    return sorted(found)


def unmatched_symbols(text: CardTextFeatures, other: CardTextFeatures) -> list[FeatureUse]:
    """The symbols that ``text`` has more often than ``other``."""
    there = Counter(use.meanings for use in other.uses[Feature.SYMBOL])
    found = []
    for use in text.uses[Feature.SYMBOL]:
        there[use.meanings] -= 1
        if there[use.meanings] < 0:
            found.append(use)
    return found


class CardTextReader:
    """Reads texts of cards of ``game`` in ``language``, with the terms that ``concepts`` have there."""

    def __init__(self, game: str, language: str, concepts: Sequence[Concept] = ()):
        self._game = game
        self._language = language
        self._finder = NameFinder(concepts, language)
        self._stems = {
            concept.id: [
                stem
                for name in (*concept.names.get(language, ()), *concept.slang.get(language, ()))
                for stem in [normalization.stem(name, language)]
                if len(stem) >= _SHORTEST
            ]
            for concept in concepts
        }
        numbers = get_language(language).numbers
        self._limits = tuple(re.compile(rf"(?:{'|'.join(each) or '(?!)'})\s$", re.IGNORECASE) for each in (numbers.below, numbers.above))
        self._conditions = ConditionFinder(language)

    def read(self, text: str, names: Iterable[str] = ()) -> CardTextFeatures:
        """What ``text`` says; in ``names``, those of the card itself, no terms are read."""
        symbols = symbol_places(text, self._game)
        words = _blanked(text, symbols)
        nameless = words
        for name in sorted(filter(None, names), key=len, reverse=True):
            nameless = re.sub(rf"\b{re.escape(name)}", lambda match: " " * len(match.group()), nameless)
        uses = {
            Feature.NUMBER: tuple(self._number(nameless, m.start(), m.end(), int(m.group())) for m in _NUMBER.finditer(nameless)),
            Feature.SYMBOL: tuple(FeatureUse(Span(each.start, each.end), frozenset([each.symbol.id])) for each in symbols),
            Feature.TERM: tuple(self._terms(nameless)),
            Feature.CONDITION: tuple(FeatureUse(use.span, use.meanings) for use in self._conditions.find(nameless)),
        }
        in_words = (self._number(words, start, end, value) for (start, end), value in number_words(words, self._language))
        return CardTextFeatures(text, words, uses, tuple(in_words))

    def words(self, text: str) -> list[str]:
        """The words of ``text``, folded, without markup."""
        return [normalization.fold(token.text) for token in normalization.tokenize(_blanked(text, symbol_places(text, self._game)))]

    def names(self, text: CardTextFeatures, concepts: Iterable[str]) -> bool:
        """Whether any of ``concepts`` may be meant in ``text``, in a compound or another form of the word."""
        return any(stem in text.folded for concept in concepts for stem in self._stems.get(concept, ()))

    def _number(self, words: str, start: int, end: int, value: int) -> FeatureUse:
        """The number ``value`` at a place: "fewer than 5" is "4 or fewer" too."""
        before = words[max(0, start - _NEAR) : start]
        below, above = (pattern.search(before) is not None for pattern in self._limits)
        return FeatureUse(Span(start, end), frozenset(str(each) for each in (value, *[value - 1] * below, *[value + 1] * above)))

    def _terms(self, words: str) -> Iterator[FeatureUse]:
        tokens = normalization.tokenize(words)
        for first, last, concepts in self._finder.find(tokens):
            yield FeatureUse(Span(tokens[first].start, tokens[last - 1].end), frozenset(id for id, _ in concepts))


def _blanked(text: str, symbols: Iterable[SymbolPlace]) -> str:
    """``text`` with blanks for markup and ``symbols``."""
    for start, end, _ in symbols:
        text = text[:start] + " " * (end - start) + text[end:]
    return _TAG.sub(lambda match: " " * len(match.group()), text)
