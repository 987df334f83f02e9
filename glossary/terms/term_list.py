"""The term list of a game: what each concept is called in every language, and the entries that
define it in every edition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from corpus.languages import LANGUAGES
from corpus.model import Edition, Entry, Kind, Passage
from glossary.concepts import Concept, load_concepts
from glossary.model import RulebookView


@dataclass(frozen=True)
class TermSource:
    """An entry that a term comes from: its heading as printed, and where it is."""

    edition: str
    language: str
    entry: str
    heading: str
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class TermDefinition:
    """The first sentence of an entry as its ``passage`` displays it."""

    text: str
    entry: Entry
    passage: Passage


@dataclass(frozen=True)
class TermWording:
    """What a term is called in one language.

    ``name`` is the official name, None where players alone have a word for it; ``variants`` are its
    other spellings and inflections. ``abbreviations`` are printed in the rulebooks or on cards, and
    the name can itself be one; ``slang`` is what players say and no translator should write. What
    `glossary.terms.term_description` adds: ``part_of_speech``, empty where nothing at hand tells
    it, ``inflections``, those of the variants that are forms of another name, and ``definition``.
    """

    name: str | None
    variants: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    slang: tuple[str, ...] = ()
    part_of_speech: str = ""
    inflections: tuple[str, ...] = ()
    definition: TermDefinition | None = None


class TermKind(StrEnum):
    """What a term names: something of the rules, or a card, a trait of cards, a product that they
    come in.
    """

    RULES = "rules"
    CARD = "card"
    TRAIT = "trait"
    PRODUCT = "product"


@dataclass(frozen=True)
class Term:
    """One term of a game.

    ``concept`` is None for an entry without a concept, whose heading is all that is known, and for
    names of cards; ``cards`` are the ids of the cards that have the name. ``structural`` says that
    its headings only head parts of the rulebooks.
    """

    concept: str | None
    wordings: Mapping[str, TermWording]
    symbols: tuple[str, ...]
    sources: tuple[TermSource, ...]
    kind: TermKind = TermKind.RULES
    cards: tuple[str, ...] = ()
    structural: bool = False


@dataclass(frozen=True)
class TermList:
    """The terms of a game, those with a concept first, in the order of its concepts; then the
    others in document order.

    ``source`` is the edition that the others were translated from, where one was asked for.
    """

    game: str
    editions: tuple[Edition, ...]
    terms: tuple[Term, ...]
    source: Edition | None = None

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that any term has a word in, that of the source edition first."""
        spoken = {language for term in self.terms for language in term.wordings}
        found = [language for language in LANGUAGES if language in spoken]
        first = self.source.language if self.source else None
        return tuple(sorted(found, key=lambda language: language != first))


def build_term_list(
    game: str, rulebooks: Sequence[RulebookView], by_entry: Mapping[str, str]
) -> TermList:
    """Return the terms of ``game`` with their entries in ``rulebooks``; ``by_entry`` are concept
    ids by entry id.

    Books of other games are passed over. A concept without an entry in these books is listed too:
    it is a term of the game. Languages in which the game has no names are left out: what players
    say in them is there to read questions.
    """
    here = [rulebook for rulebook in rulebooks if rulebook.edition.game == game]
    known = load_concepts(game)
    sources: dict[str, list[TermSource]] = {concept.id: [] for concept in known}
    others: list[Term] = []
    for rulebook in here:
        id, language = rulebook.edition.id, rulebook.edition.language
        for entry in rulebook.entries:
            line = entry.lines.first
            source = TermSource(id, language, entry.id, entry.heading, entry.kind, line)
            if (concept_id := by_entry.get(entry.id, "")) in sources:
                sources[concept_id].append(source)
            elif entry.kind is Kind.TERM:
                others.append(Term(None, {language: TermWording(entry.title)}, (), (source,)))
    named = [code for code in LANGUAGES if any(code in concept.names for concept in known)]
    terms = []
    for concept in known:
        wordings = {code: found for code in named if (found := _wording(concept, code))}
        terms.append(Term(concept.id, wordings, concept.symbols, tuple(sources[concept.id])))
    return TermList(game, tuple(rulebook.edition for rulebook in here), (*terms, *others))


def _wording(concept: Concept, language: str) -> TermWording | None:
    """Return what ``concept`` is called in ``language``, None where it is called nothing there."""
    abbreviations = concept.abbreviations.get(language, ())
    # The data file writes a heading in capitals as "Ang" where the abbreviation is ANG: the
    # abbreviation is how to spell it.
    spelling = {abbreviation.casefold(): abbreviation for abbreviation in abbreviations}
    names = concept.names.get(language, ())
    official = tuple(spelling.get(name.casefold(), name) for name in names) or abbreviations
    slang = tuple(word for word in concept.slang.get(language, ()) if word not in official)
    if not official and not slang:
        return None
    further = tuple(name for name in official[1:] if name not in abbreviations)
    return TermWording(next(iter(official), None), further, abbreviations, slang)
