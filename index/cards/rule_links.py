"""Ties the texts of cards to the rules that they touch: keywords, timing words, icons, types and
other terms of the game.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from corpus.cards.model import Card, TextKind
from corpus.cards.symbols import symbol_places
from corpus.model import Entry, Kind
from corpus.rulings.model import Ruling
from corpus.sourced_text import SourcedText
from corpus.spans import Span
from corpus.versions import version_key
from glossary.concepts import Concept
from glossary.name_finder import NameFinder
from glossary.normalization import fold, tokenize
from index.cards.card_store import CardStore
from index.cards.model import CardNamed
from index.cards.word_senses import TermPlace, TermReader
from index.library.library import Library

_MARKUP = re.compile(r"<[^<>]{0,60}>")
_TRAIT = re.compile(r"\[\[[^\[\]]{0,60}\]\]")  # names cards and no rule
_QUOTED = re.compile(r"[\"„“«»][^\"„“”«»\n]{1,60}[\"“”«»]")  # names a card or an ability
_BEST = {
    kind: place for place, kind in enumerate((Kind.TERM, Kind.RULE, Kind.SUBSECTION, Kind.SECTION))
}
_SURE = 0.7  # certainty of a card named in a text, whose name is no term there
_ORIGINAL = "en"  # the language that cards are translated from, and that symbols are called in


class CardRule(NamedTuple):
    """A rule that a card touches: the ``entry`` by its id, of a ``concept``, where ``text`` names
    it at ``span`` with the ``term``.

    ``text`` is None, and the span empty, where the type of the card, as the database calls it, is
    the term.
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
        self._readers: dict[str, TermReader] = {}
        self._symbol_names = NameFinder(self._concepts.values(), _ORIGINAL)
        self._entries: Mapping[str, dict[str, Entry]] = _entries(library, game)

    def rules(self, card: Card, language: str) -> list[CardRule]:
        """The rules that ``card`` touches, each once, in the order of its texts in ``language``, or
        in another where it has none.

        Entries are those of the newest edition in ``language`` where it has the rule, else of one
        in the language of the text, else of any.
        """
        spoken = text_language(card, language)
        found = self._named(
            (text.quoted for text in card.texts(spoken) if text.kind is TextKind.RULES), language
        )
        for concept, name in self._types(card):
            if (entry := self._entry(concept, (language, spoken))) is not None:
                found.setdefault(entry, CardRule(entry, concept, name, None, Span(0, 0)))
        return list(found.values())

    def rules_of_ruling(self, ruling: Ruling, language: str) -> list[CardRule]:
        """The rules that question and answer of ``ruling`` name, each once, in their order; entries
        as in `rules`.
        """
        return list(
            self._named(
                (text for text in (ruling.question, ruling.answer) if text is not None), language
            ).values()
        )

    def _named(self, texts: Iterable[SourcedText], language: str) -> dict[str, CardRule]:
        """The rules that ``texts`` name, by their entries."""
        found: dict[str, CardRule] = {}
        for text in texts:
            for concept, span in self.places(text):
                if (entry := self._entry(concept, (language, text.language))) is not None:
                    found.setdefault(
                        entry,
                        CardRule(entry, concept, text.text[span.start : span.end], text, span),
                    )
        return found

    def places(self, quoted: SourcedText) -> Iterator[TermPlace]:
        """The concepts that ``quoted`` names and where, in its exact string; of several that a word
        may name, none.
        """
        plain = _blanked(quoted.text, (_MARKUP, _TRAIT, _QUOTED))
        mentioned = self._cards.mentions(plain, [self._game], quoted.language)
        named = [Span(each.start, each.end) for each in mentioned if _is_name(plain, each)]
        symbols = [
            (place.symbol, Span(place.start, place.end))
            for place in symbol_places(quoted.text, self._game)
        ]
        taken = [*named, *(span for _, span in symbols)]
        found = [
            place
            for place in self._terms(quoted, plain)
            if not any(_overlap(place.span, other) for other in taken)
        ]
        for symbol, span in symbols:
            if concept := self._of_symbol(
                symbol.name(_ORIGINAL), quoted.text[span.start : span.end]
            ):
                found.append(TermPlace(concept, span))
        yield from sorted(found, key=lambda place: place.span)

    def _terms(self, quoted: SourcedText, plain: str) -> list[TermPlace]:
        """The terms of a text: those of its language or, where more of it are those of the
        original, of a text that nobody translated.
        """
        read = [
            list(self._reader(language).places(quoted.text, plain))
            for language in (quoted.language, _ORIGINAL)
        ]
        return max(
            read, key=lambda places: sum(place.span.end - place.span.start for place in places)
        )

    def _reader(self, language: str) -> TermReader:
        if language not in self._readers:
            self._readers[language] = TermReader(
                self._game,
                language,
                self._concepts.values(),
                lambda concept: self._entry(concept, (language,)),
            )
        return self._readers[language]

    def _of_symbol(self, name: str, written: str) -> str | None:
        """The concept of a symbol: the one that has it, or the only one that is called as it is."""
        uses = self._symbol_names.find(tokenize(name))
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
        """The entry of ``concept`` in the first of ``languages`` that has one, else in any; None
        where no edition has it.
        """
        entries = self._entries.get(concept, {})
        found = next(
            (entries[language] for language in languages if language in entries), None
        ) or next(iter(entries.values()), None)
        return found.id if found else None


def text_language(card: Card, language: str) -> str:
    """The language to show the texts of ``card`` in to who reads ``language``: that, else English,
    else any that it has.
    """
    known = list(dict.fromkeys(text.quoted.language for text in card.texts()))
    return next(
        (each for each in (language, "en") if each in known), known[0] if known else language
    )


def _entries(library: Library, game: str) -> dict[str, dict[str, Entry]]:
    """The entry of each concept of ``game`` in each language: that of the newest edition which has
    one that says something.
    """
    found: dict[str, dict[str, Entry]] = defaultdict(dict)
    editions = sorted(
        library.filter_editions(game=game), key=lambda edition: version_key(edition.version)
    )
    for edition in editions:
        own: dict[str, tuple[int, Entry]] = {}
        for entry in library.entries_of(edition.id):
            concept = library.concepts.get(entry.id, "").partition("/")[2]
            if (
                concept
                and (told := _told(library, entry)) is not None
                and (concept not in own or told[0] < own[concept][0])
            ):
                own[concept] = told
        for concept, (_, entry) in own.items():
            found[concept][edition.language] = entry
    return found


def _told(library: Library, entry: Entry) -> tuple[int, Entry] | None:
    """The entry that says what ``entry`` is about, and how good it is, 0 the best: itself, or the
    only one that it points to; None if none.

    One with a text of its own is better than one that has it in parts, and that than one which
    points elsewhere.
    """
    if entry.kind in _BEST:
        if library.passages_of.get(entry.id):
            return _BEST[entry.kind], entry
        return (
            (len(_BEST) + _BEST[entry.kind], entry) if library.children_of.get(entry.id) else None
        )
    targets = {
        reference.target
        for reference in library.references_of.get(entry.id, ())
        if reference.target
    }
    if (
        entry.kind is not Kind.REDIRECT
        or len(targets) != 1
        or (target := library.entry.get(targets.pop())) is None
    ):
        return None
    return (2 * len(_BEST), target) if library.passages_of.get(target.id) else None


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
    return (
        place.certainty >= _SURE
        and len(words) > 1
        and all(word.text[0].isupper() for word in (words[0], words[-1]))
    )
