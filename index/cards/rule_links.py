"""Link the texts of cards to the rules they mention (keywords, timing words, icons, types and other
terms), and decide which rule is meant by a word that names several.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, TypeAdapter

from corpus.blocks import Span
from corpus.cards.model import Card, TextKind
from corpus.cards.symbols import symbol_places
from corpus.data_files import Fields, load
from corpus.languages import get_language
from corpus.model import Entry, Kind, version_key
from corpus.rulings.model import Ruling
from corpus.sourced_text import SourcedText
from glossary.aliases import strip_qualifier
from glossary.concepts import Concept
from glossary.name_finder import NameFinder
from glossary.normalization import fold, tokenize
from index.cards.card_store import CardNamed, CardStore
from index.library.library import Library

# Parts of texts that name no rule: markup, traits, and quoted names of cards and abilities.
_NO_RULES = (
    re.compile(r"<[^<>]{0,60}>"),
    re.compile(r"\[\[[^\[\]]{0,60}\]\]"),
    re.compile(r"[\"„“«»][^\"„“”«»\n]{1,60}[\"“”«»]"),
)
_BEST = {
    kind: place for place, kind in enumerate((Kind.TERM, Kind.RULE, Kind.SUBSECTION, Kind.SECTION))
}
_SURE = 0.7  # certainty from which words name a card and no term
_ORIGINAL = "en"  # the language that cards are translated from, and of the names of symbols
_SENSES = Path(__file__).with_name("word_senses.yaml")
_NUMBER_FOLLOWS = re.compile(r"\s*(?:\d|X\b)")
_PARAMETER = " X"  # ends the name of a rule that is used with a number: "Retaliate X"


class CardRule(NamedTuple):
    """A rule that a card mentions: the ``entry`` of a ``concept``, and the ``term`` for it at
    ``span`` of ``text``.

    ``text`` is None if the term is the card's type, as the database has it.
    """

    entry: str
    concept: str
    term: str
    text: SourcedText | None
    span: Span


class TermPlace(NamedTuple):
    """A place in a text that names a ``concept``."""

    concept: str
    span: Span


class RuleLinker:
    """Finds the entries of rulebooks whose terms the cards of one ``game`` mention."""

    def __init__(self, library: Library, game: str, concepts: Iterable[Concept], cards: CardStore):
        self._game, self._cards = game, cards
        self._concepts = {concept.id: concept for concept in concepts if not concept.ordinary}
        self._readers: dict[str, TermReader] = {}
        self._symbol_names = NameFinder(self._concepts.values(), _ORIGINAL)
        self._entries = _entries(library, game)

    def rules(self, card: Card, language: str) -> list[CardRule]:
        """Return the rules that ``card`` mentions, each once, in the order of its texts. Texts are
        in ``language``, or in another language if there are none.

        Entries are from the newest edition in ``language`` that has the rule, otherwise in the
        language of the text, otherwise in any language.
        """
        spoken = card.text_language(language)
        texts = (text.quoted for text in card.texts(spoken) if text.kind is TextKind.RULES)
        found = {rule.entry: rule for rule in self._named(texts, language)}
        for type in dict.fromkeys(face.type for face in card.faces):
            words = fold(type.replace("_", " "))
            for id, concept in self._concepts.items():
                if words in map(fold, concept.names.get("en", ())):
                    entry = self._entry(id, (language, spoken))
                    if entry is not None:
                        found.setdefault(entry, CardRule(entry, id, type, None, Span(0, 0)))
        return list(found.values())

    def rules_of_ruling(self, ruling: Ruling, language: str) -> list[CardRule]:
        """Return the rules that ``ruling`` mentions, each once, in order; entries as in `rules`."""
        texts = (text for text in (ruling.question, ruling.answer) if text is not None)
        return self._named(texts, language)

    def _named(self, texts: Iterable[SourcedText], language: str) -> list[CardRule]:
        found: dict[str, CardRule] = {}
        for text in texts:
            for concept, span in self.places(text):
                if (entry := self._entry(concept, (language, text.language))) is not None:
                    term = text.text[span.start : span.end]
                    found.setdefault(entry, CardRule(entry, concept, term, text, span))
        return list(found.values())

    def places(self, quoted: SourcedText) -> Iterator[TermPlace]:
        """Yield the concepts that ``quoted`` names, with their spans in its exact string. Words
        that may name several concepts are skipped.
        """
        plain = quoted.text
        for pattern in _NO_RULES:
            plain = pattern.sub(lambda match: " " * len(match.group()), plain)
        mentioned = self._cards.mentions(plain, [self._game], quoted.language)
        symbols = symbol_places(quoted.text, self._game)
        taken = [
            *((each.start, each.end) for each in mentioned if _is_name(plain, each)),
            *((each.start, each.end) for each in symbols),
        ]
        # An untranslated text has the terms of the original language.
        read = [
            list(self._reader(language).places(quoted.text, plain))
            for language in (quoted.language, _ORIGINAL)
        ]
        found = [
            place
            for place in max(read, key=lambda some: sum(p.span.end - p.span.start for p in some))
            if not any(place.span.start < end and start < place.span.end for start, end in taken)
        ]
        for symbol in symbols:
            written = quoted.text[symbol.start : symbol.end]
            if concept := self._of_symbol(symbol.symbol.name(_ORIGINAL), written):
                found.append(TermPlace(concept, Span(symbol.start, symbol.end)))
        yield from sorted(found, key=lambda place: place.span)

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
        """Return the only concept with the symbol ``written``, or else with its ``name``."""
        found = {id for id, concept in self._concepts.items() if written in concept.symbols}
        if not found:
            uses = self._symbol_names.find(tokenize(name))
            found = {id for id, _ in uses[0].concepts} if len(uses) == 1 else set()
        return found.pop() if len(found) == 1 else None

    def _entry(self, concept: str, languages: Sequence[str]) -> str | None:
        """Return the entry of ``concept`` in the first of ``languages`` with one, otherwise in any
        language; None if there is none.
        """
        entries = self._entries.get(concept, {})
        return next((entries[each] for each in (*languages, *entries) if each in entries), None)


def _entries(library: Library, game: str) -> dict[str, dict[str, str]]:
    """Map the concepts of ``game`` and languages to the id of the entry in the newest edition whose
    entry has text.
    """
    found: dict[str, dict[str, str]] = defaultdict(dict)
    editions = library.filter_editions(game=game)
    for edition in sorted(editions, key=lambda edition: version_key(edition.version)):
        own: dict[str, tuple[int, str]] = {}
        for entry in library.entries_of(edition.id):
            concept = library.concepts.get(entry.id, "").partition("/")[2]
            told = _told(library, entry) if concept else None
            if told and (concept not in own or told[0] < own[concept][0]):
                own[concept] = told
        for concept, (_, id) in own.items():
            found[concept][edition.language] = id
    return found


def _told(library: Library, entry: Entry) -> tuple[int, str] | None:
    """Return the id of the entry that explains the subject of ``entry``, and its quality, 0 the
    best: ``entry`` itself, or the only entry that it refers to. None if there is none.

    An entry with its own text is better than an entry whose parts have the text; a mere reference
    comes last.
    """
    if entry.kind in _BEST:
        if library.passages_of.get(entry.id):
            return _BEST[entry.kind], entry.id
        in_parts = bool(library.children_of.get(entry.id))
        return (len(_BEST) + _BEST[entry.kind], entry.id) if in_parts else None
    references = library.references_of.get(entry.id, ()) if entry.kind is Kind.REDIRECT else ()
    targets = {reference.target for reference in references if reference.target}
    target = targets.pop() if len(targets) == 1 else ""
    return (2 * len(_BEST), target) if library.passages_of.get(target) else None


def _is_name(text: str, place: CardNamed) -> bool:
    """Return whether ``place`` surely names a card: several words, with capitals."""
    words = tokenize(text[place.start : place.end])
    capitals = all(word.text[0].isupper() for word in (words[0], words[-1]))
    return place.certainty >= _SURE and len(words) > 1 and capitals


_Patterns = Mapping[
    str,
    list[
        Annotated[
            re.Pattern[str], AfterValidator(lambda found: re.compile(found.pattern, re.IGNORECASE))
        ]
    ],
]


class _Senses(Fields):
    """Patterns of texts by concept: where a word does not mean the concept, and where it does."""

    excluded: _Patterns = Field({}, alias="not")
    meant: _Patterns = Field({})


class TermReader:
    """Finds the terms for ``concepts`` of a ``game`` in card texts in ``language``.

    ``entry_of`` returns the id of a concept's entry, or None. Concepts with the same entry count as
    one.
    """

    def __init__(
        self,
        game: str,
        language: str,
        concepts: Iterable[Concept],
        entry_of: Callable[[str], str | None],
    ):
        self._finder = NameFinder(concepts, language)
        self._senses = _described().get(game, {}).get(language, _Senses())
        self._language, self._entry_of = language, entry_of

    def places(self, text: str, words: str) -> Iterator[TermPlace]:
        """Yield the terms in ``words`` (``text`` with blanks in place of markup and quotations), in
        order, except those that may mean several rules.
        """
        meant, excluded = (
            [
                (concept, match)
                for concept, found in patterns.items()
                for pattern in found
                for match in pattern.finditer(text)
            ]
            for patterns in (self._senses.meant, self._senses.excluded)
        )
        tokens = tokenize(words)
        for first, last, concepts in self._finder.find(tokens):
            span = Span(tokens[first].start, tokens[last - 1].end)
            told = {
                concept
                for concept, match in meant
                if _tells(match, span, any(concept == id for id, _ in concepts))
            }
            barred = {
                concept
                for concept, match in excluded
                if match.start() < span.end and span.start < match.end()
            }
            written = words[span.start : span.end]
            named = [
                (id, name)
                for id, name in concepts
                if id not in barred and not is_other_word(written, name, self._language)
            ]
            numbered = _NUMBER_FOLLOWS.match(words, span.end) is not None
            found = told.pop() if len(told) == 1 else self._likeliest(named, written, numbered)
            if found:
                yield TermPlace(found, span)

    def _likeliest(
        self, named: Sequence[tuple[str, str]], written: str, numbered: bool
    ) -> str | None:
        """Return the concept that ``written`` means; None if several are possible. ``named`` are
        the candidates, each with its name; ``numbered``: a number follows.
        """
        entries = {concept: self._entry_of(concept) for concept, _ in named}
        tests: tuple[Callable[[str, str], bool], ...] = (
            lambda concept, _: entries[concept] is not None,
            lambda _, name: name.endswith(_PARAMETER) == numbered,
            lambda _, name: fold(strip_qualifier(name)) == fold(written),
            lambda _, name: fold(name) == fold(written),
        )
        for test in tests:
            if len({entries[concept] or concept for concept, _ in named}) > 1:
                named = [each for each in named if test(*each)] or named
        told = {entries[concept] or concept for concept, _ in named}
        return named[0][0] if len(told) == 1 else None


def _tells(match: re.Match[str], span: Span, is_named: bool) -> bool:
    """Return whether ``match`` decides the meaning of the word at ``span``: its group ``word``
    covers the word, or the whole match does and the word is a name of the concept (``is_named``).
    """
    has_word = "word" in match.re.groupindex
    start, end = match.span("word" if has_word else 0)
    return start <= span.start and span.end <= end and (is_named or has_word)


def is_other_word(written: str, name: str, language: str) -> bool:
    """Return whether ``written`` is not the word ``name``, by capitals: German "stern" is not
    "Stern", and "MOVING" is a title.

    Verbs and adjectives have a capital only in headings: "betäubt" is "Betäubt".
    """
    if len(written) > 1 and written.isupper():
        return not name.isupper()
    if not get_language(language).capitalised_nouns:
        return False
    ours, theirs = tokenize(written), tokenize(strip_qualifier(name))
    if len(theirs) == 1 and theirs[0].text.endswith(get_language(language).forms.verb_name_endings):
        return False
    first = 1 if len(theirs) > 1 else 0
    return any(
        b.text[0].isupper() and a.text[0].islower()
        for a, b in zip(ours[first:], theirs[first:], strict=False)
    )


@cache
def _described() -> dict[str, dict[str, _Senses]]:
    return load(_SENSES, TypeAdapter(dict[str, dict[str, _Senses]]))
