"""Compare the English text of a card with its translation: numbers, symbols, terms, conditions, and
missing translations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from corpus.blocks import Span
from corpus.cards.model import Card, CardFace, CardText, TextKind
from corpus.cards.symbols import SymbolPlace, symbol_places
from corpus.languages import get_language
from corpus.sourced_text import SourcedText
from glossary import normalization
from glossary.comparison.hints import AgreementCounts, ConditionFinder
from glossary.comparison.numbers import number_words
from glossary.concepts import Concept
from glossary.name_finder import NameFinder

_TAG = re.compile(r"<[^<>\n]{0,40}>|&(?:[a-z]{2,8}|#\d{1,5});")
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)\d{1,9}(?!\d|\.\d)"
)  # also "-3ATK", but not "X-23", which is a name
_NEAR = 30  # characters before a number that may limit it
_SHORTEST = 5  # letters of a stem that is looked for within other words


class Feature(StrEnum):
    """The kinds of features that are compared."""

    NUMBER = "number"
    SYMBOL = "symbol"
    TERM = "term"
    CONDITION = "condition"


class FeatureUse(NamedTuple):
    """A word, number or symbol at ``span`` and its meaning; several ``meanings`` if ambiguous."""

    span: Span
    meanings: frozenset[str]


class CardTextFeatures:
    """The features read from ``text``: ``uses`` by kind, and the numbers written in words;
    ``words`` is the text with blanks for markup and symbols.
    """

    def __init__(
        self,
        text: str,
        words: str,
        uses: Mapping[Feature, Sequence[FeatureUse]],
        number_words: Sequence[FeatureUse],
    ):
        self.text, self.uses, self.number_words = text, uses, number_words
        self._remarks = [match.span() for match in re.finditer(r"\([^()]*\)", words)]
        self.folded = normalization.fold_umlauts(words)

    def is_bare_one(self, use: FeatureUse) -> bool:
        """Return whether ``use`` is an unsigned 1."""
        before = self.text[use.span.start - 1 : use.span.start]
        return "1" in use.meanings and before not in tuple("+-−–")

    def outside_remarks(
        self, uses: Iterable[FeatureUse], other: CardTextFeatures
    ) -> list[FeatureUse]:
        """Return ``uses``, without bracketed ones if ``other`` has more or fewer brackets: then one
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
    the other text has neither in figures nor in words.

    Two kinds are reported only if both sides have an unmatched number: a 1 without a sign, since "1
    card" is "the card" in another language, and a number that a translation repeats.
    """
    left, right = _more_often(text, other), _more_often(other, text)
    if left and right:
        return left, right
    known = {
        number
        for use in (*text.uses[Feature.NUMBER], *text.number_words)
        for number in use.meanings
    }
    return (
        [use for use in left if not text.is_bare_one(use)],
        [use for use in right if not (other.is_bare_one(use) or use.meanings <= known)],
    )


def _more_often(text: CardTextFeatures, other: CardTextFeatures) -> list[FeatureUse]:
    """Return the numbers that ``text`` has in figures more often than ``other`` has them in figures
    or words, unsigned ones first.
    """
    there = [use.meanings for use in (*other.uses[Feature.NUMBER], *other.number_words)]
    found = []
    for use in sorted(
        text.outside_remarks(text.uses[Feature.NUMBER], other),
        key=lambda use: (len(use.meanings), text.is_bare_one(use)),
    ):
        same = [meanings for meanings in there if meanings & use.meanings]
        if same:
            there.remove(min(same, key=len))
        else:
            found.append(use)
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
    """Reads the features of card texts of ``game`` in ``language``; its terms are the names of
    ``concepts`` in that language.
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
        """Return the features of ``text``; ``names``, the card's own names, count as no terms."""
        symbols = symbol_places(text, self._game)
        words = nameless = _blanked(text, symbols)
        for name in sorted(filter(None, names), key=len, reverse=True):
            pattern = rf"\b{re.escape(name)}"
            nameless = re.sub(pattern, lambda match: " " * len(match.group()), nameless)
        tokens = normalization.tokenize(nameless)
        uses = {
            Feature.NUMBER: [
                self._number(nameless, Span(*match.span()), int(match.group()))
                for match in _NUMBER.finditer(nameless)
            ],
            Feature.SYMBOL: [
                FeatureUse(Span(each.start, each.end), frozenset([each.symbol.id]))
                for each in symbols
            ],
            Feature.TERM: [
                FeatureUse(
                    Span(tokens[first].start, tokens[last - 1].end),
                    frozenset(concept for concept, _ in concepts),
                )
                for first, last, concepts in self._finder.find(tokens)
            ],
            Feature.CONDITION: [
                FeatureUse(use.span, use.meanings) for use in self._conditions.find(nameless)
            ],
        }
        in_words = [
            self._number(words, span, value) for span, value in number_words(words, self._language)
        ]
        return CardTextFeatures(text, words, uses, in_words)

    def words(self, text: str) -> list[str]:
        """Return the words of ``text``, case-folded, without markup."""
        words = _blanked(text, symbol_places(text, self._game))
        return [normalization.fold(token.text) for token in normalization.tokenize(words)]

    def names(self, text: CardTextFeatures, concepts: Iterable[str]) -> bool:
        """Return whether ``text`` may name one of ``concepts``, even in a compound or inflected."""
        return any(
            stem in text.folded for concept in concepts for stem in self._stems.get(concept, ())
        )

    def _number(self, words: str, span: Span, value: int) -> FeatureUse:
        """Return the number ``value`` at ``span``; "fewer than 5" is also "4 or fewer"."""
        before = words[max(0, span.start - _NEAR) : span.start]
        below, above = (bool(pattern.search(before)) for pattern in self._limits)
        values = (value, *[value - 1] * below, *[value + 1] * above)
        return FeatureUse(span, frozenset(map(str, values)))


def _blanked(text: str, symbols: Iterable[SymbolPlace]) -> str:
    """Return ``text`` with blanks for markup and ``symbols``."""
    for start, end, _ in symbols:
        text = text[:start] + " " * (end - start) + text[end:]
    return _TAG.sub(lambda match: " " * len(match.group()), text)


ORIGINAL = "en"  # the language that cards are translated from
DOUBT = 40  # texts that are taken to agree before any is read: a few texts tell nothing of idiom
MOST_SHARED = 0.6  # share of the words of a translation that are words of the English text
FEWEST_WORDS = 3  # that both have, for a translation to be taken for English

# Share of texts with a term or condition whose counterpart has it too, for its absence to be a
# finding.
_LEAST_AGREEMENT = {Feature.TERM: 0.985, Feature.CONDITION: 0.98}
_Pair = tuple[CardTextFeatures, CardTextFeatures]


class CardDifference(StrEnum):
    """The ways in which a card can differ from its English print."""

    CARD = "card"  # has no name in the language
    FACE = "face"  # one of its faces has no name in the language
    TEXT = "text"  # a text is missing
    UNTRANSLATED = "untranslated"  # a text is the English one
    NUMBERS = "numbers"
    SYMBOLS = "symbols"
    TERMS = "terms"
    CONDITIONS = "conditions"


class TextSide(NamedTuple):
    """A text of a card, with the ``spans`` that have no counterpart on the other side."""

    quoted: SourcedText
    spans: tuple[Span, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words at the spans."""
        return tuple(self.quoted.text[start:end] for start, end in self.spans)


class CardFinding(NamedTuple):
    """A difference between a card and its translation; ``face`` counts from 0. A side is None if it
    has no text.
    """

    card: Card
    face: int
    language: str
    kind: CardDifference
    original: TextSide | None = None
    translation: TextSide | None = None

    @property
    def name(self) -> str:
        """The English name of the face."""
        return self.card.faces[self.face].names[ORIGINAL]

    @property
    def translated_name(self) -> str | None:
        """The name of the face in the language; None if it has none."""
        return self.card.faces[self.face].names.get(self.language)


class CardTextComparison:
    """Compares the ``cards`` of ``game`` with their translation into ``language``.

    Terms are the names of ``concepts``. A term or condition on one side only is a finding if that
    is rare across all texts: what translators often paraphrase is idiom.
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
        """The differences, card by card."""
        found: list[CardFinding] = []
        texts: list[tuple[CardFinding, _Pair]] = []  # that are translated
        for finding in self._compared_faces():
            one, other = finding.original, finding.translation
            if one is None or other is None:
                found.append(finding)
            elif not self._is_translated(one.quoted.text, other.quoted.text):
                found.append(finding._replace(kind=CardDifference.UNTRANSLATED))
            else:
                faces = finding.card.faces
                left, right = (
                    reader.read(side.quoted.text, [face.names.get(code, "") for face in faces])
                    for (code, reader), side in zip(
                        self._readers.items(), (one, other), strict=True
                    )
                )
                texts.append((finding, (left, right)))
        agreement = _Agreement([pair for _, pair in texts], tuple(self._readers.values()))
        for finding, (left, right) in texts:
            for kind, alone in agreement.differences((left, right)).items():
                sides = [
                    side and side._replace(spans=tuple(use.span for use in uses))
                    for side, uses in zip(
                        (finding.original, finding.translation), alone, strict=True
                    )
                ]
                if any(alone):
                    found.append(
                        finding._replace(kind=kind, original=sides[0], translation=sides[1])
                    )
        place = {id(card): n for n, card in enumerate(self.cards)}
        return tuple(sorted(found, key=lambda finding: (place[id(finding.card)], finding.face)))

    def _compared_faces(self) -> Iterator[CardFinding]:
        """Yield a finding for each missing name or text, and for each translated text."""
        for card in self.cards:
            if ORIGINAL in card.faces[0].names and self.language not in card.languages:
                yield CardFinding(card, 0, self.language, CardDifference.CARD)
                continue
            for number, face in enumerate(card.faces):
                if ORIGINAL not in face.names:
                    continue
                if self.language not in face.names:
                    yield CardFinding(card, number, self.language, CardDifference.FACE)
                    continue
                for one, other in _facing_texts(face, self.language):
                    sides = TextSide(one.quoted), TextSide(other.quoted) if other else None
                    yield CardFinding(card, number, self.language, CardDifference.TEXT, *sides)

    def _is_translated(self, one: str, other: str) -> bool:
        """Return whether ``other`` is a translation: not the English text ``one`` or a part of it,
        and not made mostly of its words.

        A text of only a few words may be the same in both languages.
        """
        english, words = (self._readers[ORIGINAL].words(text) for text in (one, other))
        same = (Counter(english) & Counter(words)).total()
        if same == len(words):
            return len(words) == len(english) < FEWEST_WORDS
        return same < max(len(words) * MOST_SHARED, FEWEST_WORDS)


def translated_languages(cards: Iterable[Card]) -> tuple[str, ...]:
    """Return the languages other than English that ``cards`` have rules texts in, sorted; none if
    no text is English.
    """
    languages = {
        text.quoted.language
        for card in cards
        for text in card.texts()
        if text.kind is TextKind.RULES
    }
    return tuple(sorted(languages - {ORIGINAL})) if ORIGINAL in languages else ()


def _facing_texts(face: CardFace, language: str) -> Iterator[tuple[CardText, CardText | None]]:
    """Yield each English rules text of ``face`` with its translation: the text at the same position
    if there are equally many, else the text of the field of the same name, or None.
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
    """Return the part of the pointer that names the field: "text" for "/12/text"."""
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
    """Counts how often the counterpart of a text with a feature has it too, by feature and side."""

    def __init__(self, pairs: Sequence[_Pair], readers: Sequence[CardTextReader]):
        self._readers = readers
        self._seen = AgreementCounts(DOUBT, DOUBT)
        for pair in pairs:
            for side in (0, 1):
                for feature in _LEAST_AGREEMENT:
                    alone = {use.meanings for use in self._unmatched(pair, side, feature)}
                    for meanings in {use.meanings for use in pair[side].uses[feature]}:
                        self._seen.add((side, feature, meanings), meanings not in alone)

    def differences(
        self, pair: _Pair
    ) -> dict[CardDifference, tuple[list[FeatureUse], list[FeatureUse]]]:
        """Return, by kind, the features that only one of two texts has; for terms and conditions
        only if texts seldom have them on that side alone.
        """
        left, right = pair
        symbols = unmatched_symbols(left, right), unmatched_symbols(right, left)
        found = {
            CardDifference.NUMBERS: unmatched_numbers(left, right),
            CardDifference.SYMBOLS: symbols,
            CardDifference.TERMS: self._telling(pair, Feature.TERM),
            CardDifference.CONDITIONS: self._telling(pair, Feature.CONDITION),
        }
        return {
            kind: (left.outside_remarks(one, right), right.outside_remarks(other, left))
            for kind, (one, other) in found.items()
        }

    def _telling(self, pair: _Pair, feature: Feature) -> tuple[list[FeatureUse], list[FeatureUse]]:
        least = _LEAST_AGREEMENT[feature]
        left, right = (
            [
                use
                for use in self._unmatched(pair, side, feature)
                if self._seen.share((side, feature, use.meanings)) >= least
            ]
            for side in (0, 1)
        )
        return left, right

    def _unmatched(self, pair: _Pair, side: int, feature: Feature) -> list[FeatureUse]:
        other = pair[1 - side]
        there = {meaning for use in other.uses[feature] for meaning in use.meanings}
        alone = [use for use in pair[side].uses[feature] if there.isdisjoint(use.meanings)]
        if feature is Feature.TERM:
            alone = [use for use in alone if not self._readers[1 - side].names(other, use.meanings)]
        return alone
