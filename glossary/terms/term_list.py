"""Build the term list of a game: the names of each concept in every language, and the entries that
define it in every edition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from corpus.languages import LANGUAGES
from corpus.model import Edition, Entry, Kind, Passage
from glossary.concepts import Concept, load_concepts
from glossary.model import RulebookView
from glossary.terms.opposites import opposites

_Names = Mapping[str, tuple[str, ...]]  # by language


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
    """The names of a term in one language.

    `glossary.terms.term_description` sets the attributes from ``part_of_speech`` on.

    Attributes:
        name: The official name, None if only players have a word for it.
        variants: Other spellings and inflections of the name.
        abbreviations: Printed in the rulebooks or on cards; the name can itself be one.
        slang: What players say and no translator should write.
        part_of_speech: Empty if unknown.
        inflections: The variants that are forms of another name.
        proposed: Names, variants and abbreviations that no rulebook prints.
        definition: The definition.
    """

    name: str | None
    variants: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    slang: tuple[str, ...] = ()
    part_of_speech: str = ""
    inflections: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    definition: TermDefinition | None = None

    @property
    def status(self) -> TermStatus:
        """The status of the name: printed, proposed, or used by players only."""
        if self.name is None:
            return TermStatus.PLAYERS
        return TermStatus.PROPOSED if self.name in self.proposed else TermStatus.ATTESTED


class TermStatus(StrEnum):
    """Where a name comes from: a loaded rulebook, a proposal, or players."""

    ATTESTED = "attested"
    PROPOSED = "proposed"
    PLAYERS = "player's word"


class TermKind(StrEnum):
    """What a term names: something of the rules, a card, a trait of cards, or a product with cards.
    A candidate is a word of the rules that may be a term.
    """

    RULES = "rules"
    CARD = "card"
    TRAIT = "trait"
    PRODUCT = "product"
    CANDIDATE = "candidate"


@dataclass(frozen=True)
class Term:
    """One term of a game.

    Attributes:
        concept: None for an entry without a concept, of which only the heading is known, and for
            names of cards.
        cards: The ids of the cards with the name.
        structural: Whether it only names a part of the rulebooks.
        sense: The id of the sense of a concept with several; else the id of the concept.
        divided: Whether its concept has other senses.
        passages: The number of passages in which a candidate occurs.
    """

    concept: str | None
    wordings: Mapping[str, TermWording]
    symbols: tuple[str, ...]
    sources: tuple[TermSource, ...]
    kind: TermKind = TermKind.RULES
    cards: tuple[str, ...] = ()
    structural: bool = False
    sense: str | None = None
    divided: bool = False
    passages: int = 0


@dataclass(frozen=True)
class TermList:
    """The terms of a game: first those with a concept, in the order of the concepts, then those
    without, in document order.

    ``source`` is the edition that the others were translated from, if one was asked for.
    """

    game: str
    editions: tuple[Edition, ...]
    terms: tuple[Term, ...]
    source: Edition | None = None

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the terms, that of the source edition first."""
        spoken = {language for term in self.terms for language in term.wordings}
        found = [language for language in LANGUAGES if language in spoken]
        first = self.source.language if self.source else None
        return tuple(sorted(found, key=lambda language: language != first))


def build_term_list(
    game: str, rulebooks: Sequence[RulebookView], by_entry: Mapping[str, str]
) -> TermList:
    """Return the terms of ``game`` with their entries in ``rulebooks``; ``by_entry`` are concept
    ids by entry id.

    Books of other games are skipped. A concept without an entry in these books is listed too: it is
    a term of the game. Languages in which the game has no names are left out: players' words in
    them only serve to read questions.
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
        senses = list(_senses(concept))
        for sense, names in senses:
            own = sense == concept.id
            wordings = {
                code: found for code in named if (found := _wording(concept, code, names, own))
            }
            symbols = concept.symbols if own else ()
            if wordings or own:
                found_in = tuple(sources[concept.id])
                terms.append(
                    Term(
                        concept.id,
                        wordings,
                        symbols,
                        found_in,
                        sense=sense,
                        divided=len(senses) > 1,
                    )
                )
    return TermList(game, tuple(rulebook.edition for rulebook in here), (*terms, *others))


def _senses(concept: Concept) -> Iterator[tuple[str, _Names]]:
    """Yield the senses of ``concept``, each with an id and its names by language: the senses that
    its file defines, each split into names and their opposites.

    The first has the id of the concept.
    """
    elsewhere = {
        (code, name)
        for id, by_language in concept.senses.items()
        for code, names in by_language.items()
        for name in names
        if id != concept.id
    }
    senses: dict[str, _Names] = {
        concept.id: {
            code: tuple(name for name in names if (code, name) not in elsewhere)
            for code, names in concept.names.items()
        }
    }
    senses |= concept.senses
    ids = list(senses)
    if not any(senses[concept.id].values()):
        # All names belong to other senses; the first of these gets the concept's id.
        senses[concept.id] = senses.pop(ids[1])
    for id, names in senses.items():
        reverse = {code: _reverse(each, code) for code, each in names.items()}
        yield (
            id,
            {
                code: tuple(n for n in each if n not in reverse[code])
                for code, each in names.items()
            },
        )
        if any(reverse.values()):
            yield f"{id}-reverse", reverse


def _reverse(names: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the ``names`` that mean the opposite of a name before them."""
    found: list[str] = []
    for one, other in opposites(names, language):
        if one not in found and other not in found:
            found.append(other)
    return tuple(found)


def _wording(concept: Concept, language: str, named: _Names, own: bool) -> TermWording | None:
    """Return the names of ``concept`` in the sense ``named`` in ``language``, None if there are
    none; abbreviations and slang belong to its ``own`` sense.
    """
    abbreviations = concept.abbreviations.get(language, ()) if own else ()
    # The data file writes a heading in capitals as "Ang" where the abbreviation is ANG: the
    # abbreviation is how to spell it.
    spelling = {abbreviation.casefold(): abbreviation for abbreviation in abbreviations}
    names = named.get(language, ())
    official = tuple(spelling.get(name.casefold(), name) for name in names) or abbreviations
    slang = concept.slang.get(language, ()) if own else ()
    slang = tuple(word for word in slang if word not in official)
    if not official and not slang:
        return None
    further = tuple(name for name in official[1:] if name not in abbreviations)
    return TermWording(next(iter(official), None), further, abbreviations, slang)
