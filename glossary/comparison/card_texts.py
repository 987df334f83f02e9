"""What differs between the English text of a card and its translation: numbers, symbols, terms, conditions, and what is not translated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from corpus.cards.model import Card, CardFace, CardText, TextKind
from corpus.sourced_text import SourcedText
from corpus.spans import Span
from glossary.comparison.agreement import Agreement
from glossary.comparison.card_text_features import (
    CardTextFeatures,
    CardTextReader,
    Feature,
    FeatureUse,
    unmatched_numbers,
    unmatched_symbols,
)
from glossary.concepts import Concept

ORIGINAL = "en"  # the language that cards are translated from
DOUBT = 40  # texts that are taken to agree before any is read: a few texts tell nothing of idiom
MOST_SHARED = 0.6  # share of the words of a translation that are words of the English text
FEWEST_WORDS = 3  # that both have, for a text to be taken for an English one

# Share of texts with a word for something whose counterpart has one too, for its absence to be a finding.
_LEAST_AGREEMENT = {Feature.TERM: 0.985, Feature.CONDITION: 0.98}
_Pair = tuple[CardTextFeatures, CardTextFeatures]


class CardDifference(StrEnum):
    """In what a card differs from its English print."""

    CARD = "card"  # has no name in the language
    FACE = "face"  # one of its faces has none
    TEXT = "text"  # a text is missing
    UNTRANSLATED = "untranslated"  # a text is the English one
    NUMBERS = "numbers"
    SYMBOLS = "symbols"
    TERMS = "terms"
    CONDITIONS = "conditions"


class TextSide(NamedTuple):
    """A text of a card, and the ``spans`` of it that the other side has nothing for."""

    quoted: SourcedText
    spans: tuple[Span, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What stands at the spans."""
        return tuple(self.quoted.text[start:end] for start, end in self.spans)


class CardFinding(NamedTuple):
    """A difference between a card and its translation; ``face`` counts from 0. A side is None where there is no text."""

    card: Card
    face: int
    language: str
    kind: CardDifference
    original: TextSide | None = None
    translation: TextSide | None = None

    @property
    def name(self) -> str:
        """What the face is called in English."""
        return self.card.faces[self.face].names[ORIGINAL]

    @property
    def translated_name(self) -> str | None:
        """What the face is called in the language, None where it has no name there."""
        return self.card.faces[self.face].names.get(self.language)


class CardTextComparison:
    """The ``cards`` of ``game`` compared with their translation into ``language``.

    Terms are those of ``concepts``. Whether a term or a condition is a finding where only one side has it is decided by how often that
    is so in all texts: what translators say in other words now and then is idiom.
    """

    def __init__(self, game: str, cards: Iterable[Card], language: str, concepts: Sequence[Concept] = ()):
        self.game = game
        self.language = language
        self.cards = tuple(cards)
        self._readers = {code: CardTextReader(game, code, concepts) for code in (ORIGINAL, language)}

    @cached_property
    def findings(self) -> tuple[CardFinding, ...]:
        """What differs, card by card."""
        missing, texts = self._paired()
        pairs = [self._read(*each) for each in texts]
        agreement = _Agreement(pairs, (self._readers[ORIGINAL], self._readers[self.language]))
        found = list(missing)
        for (card, face, one, other), pair in zip(texts, pairs, strict=True):
            for kind, spans, others in _differences(pair, agreement):
                found.append(CardFinding(card, face, self.language, kind, TextSide(one.quoted, spans), TextSide(other.quoted, others)))
        place = {id(card): n for n, card in enumerate(self.cards)}
        return tuple(sorted(found, key=lambda finding: (place[id(finding.card)], finding.face)))

    def _read(self, card: Card, face: int, one: CardText, other: CardText) -> _Pair:
        names = [[each.names.get(code, "") for each in card.faces] for code in (ORIGINAL, self.language)]
        return (
            self._readers[ORIGINAL].read(one.quoted.text, names[0]),
            self._readers[self.language].read(other.quoted.text, names[1]),
        )

    def _paired(self) -> tuple[list[CardFinding], list[tuple[Card, int, CardText, CardText]]]:
        """What is missing, and the texts that are translated, each with its translation."""
        missing: list[CardFinding] = []
        pairs = []
        for card in self.cards:
            if ORIGINAL in card.faces[0].names and self.language not in card.languages:
                missing.append(CardFinding(card, 0, self.language, CardDifference.CARD))
                continue
            for number, face in enumerate(card.faces):
                if ORIGINAL not in face.names:
                    continue
                if self.language not in face.names:
                    missing.append(CardFinding(card, number, self.language, CardDifference.FACE))
                    continue
                for one, other in _facing_texts(face, self.language):
                    if other is None:
                        missing.append(CardFinding(card, number, self.language, CardDifference.TEXT, TextSide(one.quoted)))
                    elif self._is_translated(one, other):
                        pairs.append((card, number, one, other))
                    else:
                        sides = TextSide(one.quoted), TextSide(other.quoted)
                        missing.append(CardFinding(card, number, self.language, CardDifference.UNTRANSLATED, *sides))
        return missing, pairs

    def _is_translated(self, one: CardText, other: CardText) -> bool:
        """Whether ``other`` is neither the English text, whole or in part, nor has most of its words from there.

        Of a few words all may be the same in both languages.
        """
        english, words = (self._readers[ORIGINAL].words(text.quoted.text) for text in (one, other))
        same = (Counter(english) & Counter(words)).total()
        if same == len(words):
            return len(words) == len(english) < FEWEST_WORDS
        return same < max(len(words) * MOST_SHARED, FEWEST_WORDS)


def translated_languages(cards: Iterable[Card]) -> tuple[str, ...]:
    """The languages other than English that ``cards`` have rules texts in, sorted; none where no text is English."""
    languages = {text.quoted.language for card in cards for text in card.texts() if text.kind is TextKind.RULES}
    return tuple(sorted(languages - {ORIGINAL})) if ORIGINAL in languages else ()


def _facing_texts(face: CardFace, language: str) -> Iterator[tuple[CardText, CardText | None]]:
    """The English rules texts of ``face``, each with its translation: of the field of the same name, else in the same place."""
    here, there = ([t for t in face.texts if t.kind is TextKind.RULES and t.quoted.language == code] for code in (ORIGINAL, language))
    if len(here) == len(there):
        yield from zip(here, there, strict=True)
        return
    by_field = {_field(text): text for text in there}
    for text in here:
        yield text, by_field.get(_field(text))


def _field(text: CardText) -> str:
    """The last part of the pointer that says what it is: "/12/text" and "/abilities/0/fullText" give "text" and "abilities/0/fullText"."""
    parts = text.quoted.source.pointer.split("/")
    first = next((n for n in range(len(parts) - 1, 0, -1) if parts[n].isdigit() and parts[n - 1] in ("", "cards")), 0)
    return "/".join(parts[first + 1 :])


class _Agreement:
    """How often the counterpart of a text with a word for something has one too, by what it is and the side with the word."""

    def __init__(self, pairs: Iterable[_Pair], readers: tuple[CardTextReader, CardTextReader]):
        self._readers = readers
        self._seen = Agreement(DOUBT, DOUBT)
        for pair in pairs:
            for side, feature in ((side, feature) for side in (0, 1) for feature in _LEAST_AGREEMENT):
                alone = {use.meanings for use in self._unmatched(pair, side, feature)}
                for meanings in {use.meanings for use in pair[side].uses[feature]}:
                    self._seen.add((side, feature, meanings), meanings not in alone)

    def telling(self, pair: _Pair, side: int, feature: Feature) -> list[FeatureUse]:
        """The words on one ``side`` of ``pair`` that the other has none for, unless texts too often have them on that side alone."""
        alone = self._unmatched(pair, side, feature)
        return [use for use in alone if self._seen.share((side, feature, use.meanings)) >= _LEAST_AGREEMENT[feature]]

    def _unmatched(self, pair: _Pair, side: int, feature: Feature) -> list[FeatureUse]:
        other = pair[1 - side]
        there = {meaning for use in other.uses[feature] for meaning in use.meanings}
        alone = [use for use in pair[side].uses[feature] if there.isdisjoint(use.meanings)]
        if feature is Feature.TERM:
            alone = [use for use in alone if not self._readers[1 - side].names(other, use.meanings)]
        return alone


def _differences(pair: _Pair, agreement: _Agreement) -> Iterator[tuple[CardDifference, tuple[Span, ...], tuple[Span, ...]]]:
    """In what two texts differ, with the places on either side."""
    left, right = pair
    found = {
        CardDifference.NUMBERS: unmatched_numbers(left, right),
        CardDifference.SYMBOLS: (unmatched_symbols(left, right), unmatched_symbols(right, left)),
        CardDifference.TERMS: (agreement.telling(pair, 0, Feature.TERM), agreement.telling(pair, 1, Feature.TERM)),
        CardDifference.CONDITIONS: (agreement.telling(pair, 0, Feature.CONDITION), agreement.telling(pair, 1, Feature.CONDITION)),
    }
    for kind, (one, other) in found.items():
        sides = [tuple(use.span for use in uses) for uses in (left.outside_remarks(one, right), right.outside_remarks(other, left))]
        if any(sides):
            yield kind, sides[0], sides[1]
