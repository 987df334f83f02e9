"""What differs between the English text of a card and its translation: numbers, symbols, terms,
conditions, and what is not translated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from corpus.cards.model import Card, CardFace, CardText, TextKind
from corpus.cards.symbols import SymbolPlace, symbol_places
from corpus.languages import get_language
from corpus.sourced_text import SourcedText
from corpus.spans import Span
from glossary import normalization
from glossary.comparison.hints import Agreement, ConditionFinder
from glossary.comparison.numbers import number_words
from glossary.concepts import Concept
from glossary.name_finder import NameFinder

_TAG = re.compile(r"<[^<>\n]{0,40}>|&(?:[a-z]{2,8}|#\d{1,5});")
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)\d{1,9}(?!\d|\.\d)"
)  # also "-3ATK", but not "X-23", which is a name
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
    """A word, number or symbol at ``span``, and what it means; several ``meanings`` where it is
    ambiguous.
    """

    span: Span
    meanings: frozenset[str]


class CardTextFeatures:
    """What was read in ``text``: ``uses`` by what is compared, and its numbers in words; ``words``
    has blanks for markup and symbols.
    """

    def __init__(
        self,
        text: str,
        words: str,
        uses: Mapping[Feature, tuple[FeatureUse, ...]],
        number_words: tuple[FeatureUse, ...],
    ):
        self.text, self.uses, self.number_words = text, uses, number_words
        self._remarks = [match.span() for match in _REMARK.finditer(words)]
        self.folded = normalization.fold_umlauts(words)

    def is_bare_one(self, use: FeatureUse) -> bool:
        """Return whether ``use`` is a 1 without a sign."""
        return "1" in use.meanings and self.text[use.span.start - 1 : use.span.start] not in tuple(
            _SIGNED
        )

    def outside_remarks(
        self, uses: Iterable[FeatureUse], other: CardTextFeatures
    ) -> list[FeatureUse]:
        """Return ``uses`` without those in brackets where ``other`` has not as many brackets: one
        of the editions prints reminders.
        """
        remarks = self._remarks if len(self._remarks) != len(other._remarks) else ()
        return [
            use for use in uses if not any(start <= use.span.start < end for start, end in remarks)
        ]


def unmatched_numbers(
    text: CardTextFeatures, other: CardTextFeatures
) -> tuple[list[FeatureUse], list[FeatureUse]]:
    """Return the numbers in figures of an English ``text`` and of its translation ``other`` that
    the other one has not even in words.

    Two things tell something only together, one on either side: a 1 without a sign, since "1 card"
    is "the card" in another language, and a number that a translation repeats.
    """
    alone = _more_often(text, other), _more_often(other, text)
    known = {
        number
        for use in (*text.uses[Feature.NUMBER], *text.number_words)
        for number in use.meanings
    }
    weak = (
        [use for use in alone[0] if text.is_bare_one(use)],
        [use for use in alone[1] if other.is_bare_one(use) or use.meanings <= known],
    )
    if all(alone):
        return alone
    return [use for use in alone[0] if use not in weak[0]], [
        use for use in alone[1] if use not in weak[1]
    ]


def _more_often(text: CardTextFeatures, other: CardTextFeatures) -> list[FeatureUse]:
    """Return the numbers that ``text`` has in figures more often than ``other`` has them in figures
    or words, bare ones first.
    """
    left = [use.meanings for use in (*other.uses[Feature.NUMBER], *other.number_words)]
    found = []
    for use in sorted(
        text.outside_remarks(text.uses[Feature.NUMBER], other),
        key=lambda use: (len(use.meanings), text.is_bare_one(use)),
    ):
        counterpart = next(
            (meanings for meanings in sorted(left, key=len) if meanings & use.meanings), None
        )
        if counterpart is None:
            found.append(use)
        else:
            left.remove(counterpart)
    return sorted(found)


def unmatched_symbols(text: CardTextFeatures, other: CardTextFeatures) -> list[FeatureUse]:
    """Return the symbols that ``text`` has more often than ``other``."""
    there = Counter(use.meanings for use in other.uses[Feature.SYMBOL])
    found = []
    for use in text.uses[Feature.SYMBOL]:
        there[use.meanings] -= 1
        if there[use.meanings] < 0:
            found.append(use)
    return found


class CardTextReader:
    """Reads texts of cards of ``game`` in ``language``, with the terms that ``concepts`` have
    there.
    """

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
        self._limits = tuple(
            re.compile(rf"(?:{'|'.join(each) or '(?!)'})\s$", re.IGNORECASE)
            for each in (numbers.below, numbers.above)
        )
        self._conditions = ConditionFinder(language)

    def read(self, text: str, names: Iterable[str] = ()) -> CardTextFeatures:
        """Return what ``text`` says; in ``names``, those of the card itself, no terms are read."""
        symbols = symbol_places(text, self._game)
        words = _blanked(text, symbols)
        nameless = words
        for name in sorted(filter(None, names), key=len, reverse=True):
            nameless = re.sub(
                rf"\b{re.escape(name)}", lambda match: " " * len(match.group()), nameless
            )
        uses = {
            Feature.NUMBER: tuple(
                self._number(nameless, m.start(), m.end(), int(m.group()))
                for m in _NUMBER.finditer(nameless)
            ),
            Feature.SYMBOL: tuple(
                FeatureUse(Span(each.start, each.end), frozenset([each.symbol.id]))
                for each in symbols
            ),
            Feature.TERM: tuple(self._terms(nameless)),
            Feature.CONDITION: tuple(
                FeatureUse(use.span, use.meanings) for use in self._conditions.find(nameless)
            ),
        }
        in_words = (
            self._number(words, start, end, value)
            for (start, end), value in number_words(words, self._language)
        )
        return CardTextFeatures(text, words, uses, tuple(in_words))

    def words(self, text: str) -> list[str]:
        """Return the words of ``text``, folded, without markup."""
        return [
            normalization.fold(token.text)
            for token in normalization.tokenize(_blanked(text, symbol_places(text, self._game)))
        ]

    def names(self, text: CardTextFeatures, concepts: Iterable[str]) -> bool:
        """Return whether any of ``concepts`` may be meant in ``text``, in a compound or another
        form of the word.
        """
        return any(
            stem in text.folded for concept in concepts for stem in self._stems.get(concept, ())
        )

    def _number(self, words: str, start: int, end: int, value: int) -> FeatureUse:
        """Return the number ``value`` at a place: "fewer than 5" is "4 or fewer" too."""
        before = words[max(0, start - _NEAR) : start]
        below, above = (pattern.search(before) is not None for pattern in self._limits)
        return FeatureUse(
            Span(start, end),
            frozenset(str(each) for each in (value, *[value - 1] * below, *[value + 1] * above)),
        )

    def _terms(self, words: str) -> Iterator[FeatureUse]:
        tokens = normalization.tokenize(words)
        for first, last, concepts in self._finder.find(tokens):
            yield FeatureUse(
                Span(tokens[first].start, tokens[last - 1].end), frozenset(id for id, _ in concepts)
            )


def _blanked(text: str, symbols: Iterable[SymbolPlace]) -> str:
    """Return ``text`` with blanks for markup and ``symbols``."""
    for start, end, _ in symbols:
        text = text[:start] + " " * (end - start) + text[end:]
    return _TAG.sub(lambda match: " " * len(match.group()), text)


ORIGINAL = "en"  # the language that cards are translated from
DOUBT = 40  # texts that are taken to agree before any is read: a few texts tell nothing of idiom
MOST_SHARED = 0.6  # share of the words of a translation that are words of the English text
FEWEST_WORDS = 3  # that both have, for a text to be taken for an English one

# Share of texts with a word for something whose counterpart has one too, for its absence to be a
# finding.
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
    """A difference between a card and its translation; ``face`` counts from 0. A side is None where
    there is no text.
    """

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

    Terms are those of ``concepts``. Whether a term or a condition is a finding where only one side
    has it is decided by how often that is so in all texts: what translators say in other words now
    and then is idiom.
    """

    def __init__(
        self, game: str, cards: Iterable[Card], language: str, concepts: Sequence[Concept] = ()
    ):
        self.game = game
        self.language = language
        self.cards = tuple(cards)
        self._readers = {
            code: CardTextReader(game, code, concepts) for code in (ORIGINAL, language)
        }

    @cached_property
    def findings(self) -> tuple[CardFinding, ...]:
        """What differs, card by card."""
        missing, texts = self._paired()
        pairs = [self._read(*each) for each in texts]
        agreement = _Agreement(pairs, (self._readers[ORIGINAL], self._readers[self.language]))
        found = list(missing)
        for (card, face, one, other), pair in zip(texts, pairs, strict=True):
            for kind, spans, others in _differences(pair, agreement):
                found.append(
                    CardFinding(
                        card,
                        face,
                        self.language,
                        kind,
                        TextSide(one.quoted, spans),
                        TextSide(other.quoted, others),
                    )
                )
        place = {id(card): n for n, card in enumerate(self.cards)}
        return tuple(sorted(found, key=lambda finding: (place[id(finding.card)], finding.face)))

    def _read(self, card: Card, face: int, one: CardText, other: CardText) -> _Pair:
        names = [
            [each.names.get(code, "") for each in card.faces] for code in (ORIGINAL, self.language)
        ]
        return (
            self._readers[ORIGINAL].read(one.quoted.text, names[0]),
            self._readers[self.language].read(other.quoted.text, names[1]),
        )

    def _paired(self) -> tuple[list[CardFinding], list[tuple[Card, int, CardText, CardText]]]:
        """Return what is missing, and the texts that are translated, each with its translation."""
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
                        missing.append(
                            CardFinding(
                                card,
                                number,
                                self.language,
                                CardDifference.TEXT,
                                TextSide(one.quoted),
                            )
                        )
                    elif self._is_translated(one, other):
                        pairs.append((card, number, one, other))
                    else:
                        sides = TextSide(one.quoted), TextSide(other.quoted)
                        missing.append(
                            CardFinding(
                                card, number, self.language, CardDifference.UNTRANSLATED, *sides
                            )
                        )
        return missing, pairs

    def _is_translated(self, one: CardText, other: CardText) -> bool:
        """Return whether ``other`` is neither the English text, whole or in part, nor has most of
        its words from there.

        Of a few words all may be the same in both languages.
        """
        english, words = (self._readers[ORIGINAL].words(text.quoted.text) for text in (one, other))
        same = (Counter(english) & Counter(words)).total()
        if same == len(words):
            return len(words) == len(english) < FEWEST_WORDS
        return same < max(len(words) * MOST_SHARED, FEWEST_WORDS)


def translated_languages(cards: Iterable[Card]) -> tuple[str, ...]:
    """Return the languages other than English that ``cards`` have rules texts in, sorted; none
    where no text is English.
    """
    languages = {
        text.quoted.language
        for card in cards
        for text in card.texts()
        if text.kind is TextKind.RULES
    }
    return tuple(sorted(languages - {ORIGINAL})) if ORIGINAL in languages else ()


def _facing_texts(face: CardFace, language: str) -> Iterator[tuple[CardText, CardText | None]]:
    """Yield the English rules texts of ``face``, each with its translation: of the field of the
    same name, else in the same place.
    """
    here, there = (
        [t for t in face.texts if t.kind is TextKind.RULES and t.quoted.language == code]
        for code in (ORIGINAL, language)
    )
    if len(here) == len(there):
        yield from zip(here, there, strict=True)
        return
    by_field = {_field(text): text for text in there}
    for text in here:
        yield text, by_field.get(_field(text))


def _field(text: CardText) -> str:
    """Return the part of the pointer that names the field: "/12/text" gives "text"."""
    parts = text.quoted.source.pointer.split("/")
    first = next(
        (
            n
            for n in range(len(parts) - 1, 0, -1)
            if parts[n].isdigit() and parts[n - 1] in ("", "cards")
        ),
        0,
    )
    return "/".join(parts[first + 1 :])


class _Agreement:
    """How often the counterpart of a text with a word for something has one too, by what it is and
    the side with the word.
    """

    def __init__(self, pairs: Iterable[_Pair], readers: tuple[CardTextReader, CardTextReader]):
        self._readers = readers
        self._seen = Agreement(DOUBT, DOUBT)
        for pair in pairs:
            for side, feature in (
                (side, feature) for side in (0, 1) for feature in _LEAST_AGREEMENT
            ):
                alone = {use.meanings for use in self._unmatched(pair, side, feature)}
                for meanings in {use.meanings for use in pair[side].uses[feature]}:
                    self._seen.add((side, feature, meanings), meanings not in alone)

    def telling(self, pair: _Pair, side: int, feature: Feature) -> list[FeatureUse]:
        """Return the words on one ``side`` of ``pair`` that the other has none for, unless texts
        too often have them on that side alone.
        """
        alone = self._unmatched(pair, side, feature)
        return [
            use
            for use in alone
            if self._seen.share((side, feature, use.meanings)) >= _LEAST_AGREEMENT[feature]
        ]

    def _unmatched(self, pair: _Pair, side: int, feature: Feature) -> list[FeatureUse]:
        other = pair[1 - side]
        there = {meaning for use in other.uses[feature] for meaning in use.meanings}
        alone = [use for use in pair[side].uses[feature] if there.isdisjoint(use.meanings)]
        if feature is Feature.TERM:
            alone = [use for use in alone if not self._readers[1 - side].names(other, use.meanings)]
        return alone


def _differences(
    pair: _Pair, agreement: _Agreement
) -> Iterator[tuple[CardDifference, tuple[Span, ...], tuple[Span, ...]]]:
    """Yield in what two texts differ, with the places on either side."""
    left, right = pair
    found = {
        CardDifference.NUMBERS: unmatched_numbers(left, right),
        CardDifference.SYMBOLS: (unmatched_symbols(left, right), unmatched_symbols(right, left)),
        CardDifference.TERMS: (
            agreement.telling(pair, 0, Feature.TERM),
            agreement.telling(pair, 1, Feature.TERM),
        ),
        CardDifference.CONDITIONS: (
            agreement.telling(pair, 0, Feature.CONDITION),
            agreement.telling(pair, 1, Feature.CONDITION),
        ),
    }
    for kind, (one, other) in found.items():
        sides = [
            tuple(use.span for use in uses)
            for uses in (left.outside_remarks(one, right), right.outside_remarks(other, left))
        ]
        if any(sides):
            yield kind, sides[0], sides[1]
