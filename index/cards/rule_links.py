"""Ties the texts of cards to the rules that they touch: keywords, timing words, icons, types and other terms of the game."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, TypeAdapter

from corpus.cards.model import Card, TextKind
from corpus.cards.symbols import symbol_places
from corpus.data_files import load
from corpus.languages import get_language
from corpus.model import Entry, Kind
from corpus.rulings.model import Ruling
from corpus.sourced_text import SourcedText
from corpus.spans import Span
from corpus.versions import version_key
from glossary.concepts import Concept
from glossary.name_finder import NameFinder, NameUse
from glossary.normalization import Token, fold, tokenize
from index.cards.card_store import CardStore
from index.cards.model import CardNamed
from index.library.library import Library

_HOMONYMS = Path(__file__).with_name("homonyms.yaml")
_MARKUP = re.compile(r"<[^<>]{0,60}>")
_TRAIT = re.compile(r"\[\[[^\[\]]{0,60}\]\]")  # names cards and no rule
_QUOTED = re.compile(r"[\"„“«»][^\"„“”«»\n]{1,60}[\"“”«»]")  # names a card or an ability
_BEST = {kind: place for place, kind in enumerate((Kind.TERM, Kind.RULE, Kind.SUBSECTION, Kind.SECTION))}
_SURE = 0.7  # certainty of a card named in a text, whose name is no term there
_SYMBOL_LANGUAGE = "en"  # what symbols are called in every game


class CardRule(NamedTuple):
    """A rule that a card touches: the ``entry`` by its id, of a ``concept``, where ``text`` names it at ``span`` with the ``term``.

    ``text`` is None, and the span empty, where the type of the card, as the database calls it, is the term.
    """

    entry: str
    concept: str
    term: str
    text: SourcedText | None
    span: Span


class RuleLinker:
    """Finds the rules that cards of one ``game`` touch, among the entries of its editions."""

    def __init__(self, library: Library, game: str, concepts: Iterable[Concept], cards: CardStore):
        self._game, self._cards = game, cards
        self._concepts = {concept.id: concept for concept in concepts if not concept.ordinary}
        self._finders: dict[str, NameFinder] = {}
        self._entries: Mapping[str, dict[str, Entry]] = _entries(library, game)

    def rules(self, card: Card, language: str) -> list[CardRule]:
        """The rules that ``card`` touches, each once, in the order of its texts in ``language``, or in another where it has none.

        Entries are those of the newest edition in ``language`` where it has the rule, else of one in the language of the text, else
        of any.
        """
        spoken = text_language(card, language)
        found = self._named((text.quoted for text in card.texts(spoken) if text.kind is TextKind.RULES), language)
        for concept, name in self._types(card):
            if (entry := self._entry(concept, (language, spoken))) is not None:
                found.setdefault(entry, CardRule(entry, concept, name, None, Span(0, 0)))
        return list(found.values())

    def rules_of_ruling(self, ruling: Ruling, language: str) -> list[CardRule]:
        """The rules that question and answer of ``ruling`` name, each once, in their order; entries as in `rules`."""
        return list(self._named((text for text in (ruling.question, ruling.answer) if text is not None), language).values())

    def _named(self, texts: Iterable[SourcedText], language: str) -> dict[str, CardRule]:
        """The rules that ``texts`` name, by their entries."""
        found: dict[str, CardRule] = {}
        for text in texts:
            for concept, span in self.places(text):
                if (entry := self._entry(concept, (language, text.language))) is not None:
                    found.setdefault(entry, CardRule(entry, concept, text.text[span.start : span.end], text, span))
        return found

    def places(self, quoted: SourcedText) -> Iterator[tuple[str, Span]]:
        """The concepts that a text names and where, in its exact string; of several that a word may name, none."""
        plain = _blanked(quoted.text, (_MARKUP, _TRAIT, _QUOTED))
        mentioned = self._cards.mentions(plain, [self._game], quoted.language)
        named = [Span(each.start, each.end) for each in mentioned if _is_name(plain, each)]
        symbols = [(place.symbol, Span(place.start, place.end)) for place in symbol_places(quoted.text, self._game)]
        taken = [*named, *(span for _, span in symbols)]
        tokens = tokenize(plain)
        finder = self._finder(quoted.language)
        found: list[tuple[str, Span]] = []
        for use in finder.find(tokens):
            span = Span(tokens[use.first].start, tokens[use.last - 1].end)
            concept = self._meant(use, tokens, plain, quoted.language)
            if concept and not any(_overlap(span, other) for other in (*taken, *self._homonyms(concept, quoted))):
                found.append((concept, span))
        for symbol, span in symbols:
            if concept := self._of_symbol(symbol.name(_SYMBOL_LANGUAGE), quoted.text[span.start : span.end]):
                found.append((concept, span))
        yield from sorted(found, key=lambda pair: pair[1])

    def _finder(self, language: str) -> NameFinder:
        if language not in self._finders:
            self._finders[language] = NameFinder(self._concepts.values(), language)
        return self._finders[language]

    def _meant(self, use: NameUse, tokens: Sequence[Token], text: str, language: str) -> str | None:
        """The concept that is named; None where several may be, or where a noun is written as another word."""
        written = text[tokens[use.first].start : tokens[use.last - 1].end]
        found = {id for id, name in use.concepts if not _is_other_word(written, name, language)}
        return found.pop() if len(found) == 1 else None

    def _homonyms(self, concept: str, quoted: SourcedText) -> Iterator[Span]:
        """Where words of a text are something else than ``concept``."""
        for pattern in _homonyms().get(self._game, {}).get(quoted.language, {}).get(concept, ()):
            yield from (Span(*match.span()) for match in pattern.finditer(quoted.text))

    def _of_symbol(self, name: str, written: str) -> str | None:
        """The concept of a symbol: the one that has it, or the only one that is called as it is."""
        uses = self._finder(_SYMBOL_LANGUAGE).find(tokenize(name))
        found = {id for id, concept in self._concepts.items() if written in concept.symbols}
        found = found or ({id for id, _ in uses[0].concepts} if len(uses) == 1 else set())
        return found.pop() if len(found) == 1 else None

    def _types(self, card: Card) -> Iterator[tuple[str, str]]:
        """The concepts of the types of the faces of ``card``, by their English names."""
        for type in dict.fromkeys(face.type for face in card.faces):
            words = fold(type.replace("_", " "))
            for id, concept in self._concepts.items():
                if words in map(fold, concept.names.get("en", ())):
                    yield id, type

    def _entry(self, concept: str, languages: Sequence[str]) -> str | None:
        """The entry of ``concept`` in the first of ``languages`` that has one, else in any; None where no edition has it."""
        entries = self._entries.get(concept, {})
        found = next((entries[language] for language in languages if language in entries), None) or next(iter(entries.values()), None)
        return found.id if found else None


@cache
def _homonyms() -> dict[str, dict[str, dict[str, list[re.Pattern[str]]]]]:
    """Where words of card texts are no names of a concept, by game, language and concept."""
    return load(_HOMONYMS, TypeAdapter(dict[str, dict[str, dict[str, list[Annotated[re.Pattern[str], AfterValidator(_ignoring_case)]]]]]))


def _ignoring_case(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(pattern.pattern, re.IGNORECASE)


def text_language(card: Card, language: str) -> str:
    """The language to show the texts of ``card`` in to who reads ``language``: that, else English, else any that it has."""
    known = list(dict.fromkeys(text.quoted.language for text in card.texts()))
    return next((each for each in (language, "en") if each in known), known[0] if known else language)


def _entries(library: Library, game: str) -> dict[str, dict[str, Entry]]:
    """The entry of each concept of ``game`` in each language: that of the newest edition which has one with a text of its own."""
    found: dict[str, dict[str, Entry]] = defaultdict(dict)
    editions = sorted(library.filter_editions(game=game), key=lambda edition: version_key(edition.version))
    for edition in editions:
        own: dict[str, Entry] = {}
        for entry in library.entries_of(edition.id):
            concept = library.concepts.get(entry.id, "").partition("/")[2]
            if concept and entry.kind in _BEST and library.passages_of.get(entry.id):
                known = own.get(concept)
                if known is None or _BEST[entry.kind] < _BEST[known.kind]:
                    own[concept] = entry
        for concept, entry in own.items():
            found[concept][edition.language] = entry
    return found


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _blanked(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """``text`` with blanks in the place of what ``patterns`` find, so that offsets stay."""
    for pattern in patterns:
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


def _is_name(text: str, place: CardNamed) -> bool:
    """Whether the card named there is named for sure: by several words, with capitals."""
    words = tokenize(text[place.start : place.end])
    return place.certainty >= _SURE and len(words) > 1 and all(word.text[0].isupper() for word in (words[0], words[-1]))


def _is_other_word(written: str, name: str, language: str) -> bool:
    """Whether a noun, as ``name`` has it, is ``written`` as another word: German "stern" is no "Stern"."""
    return get_language(language).capitalised_nouns and name[0].isupper() and written[0].islower()
