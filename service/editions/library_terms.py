"""The term lists of a library, of two editions and of rulebooks as read; and a term list to look names up in."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from corpus.model import Edition, Rulebook
from glossary.concepts import load_concepts, tie_entries
from glossary.term_list import Term, TermList, build_term_list
from index.analysis import plain
from index.library.library import Library
from service.core.contents import SnapshotContents


def library_terms(library: Library, game: str) -> TermList:
    """Return the term list of ``game`` in the editions of ``library``."""
    return build_term_list(game, library.rulebooks, _concepts_by_entry(library))


def edition_pair_terms(library: Library, left: Edition, right: Edition) -> TermList:
    """Return the terms with an entry in one of two editions of a game, in the languages of these editions."""
    rulebooks = [book for book in library.rulebooks if book.edition.id in (left.id, right.id)]
    found = build_term_list(left.game, rulebooks, _concepts_by_entry(library))
    return replace(found, terms=tuple(_in_languages(term, {left.language, right.language}) for term in found.terms if term.sources))


def _in_languages(term: Term, languages: AbstractSet[str]) -> Term:
    return replace(term, wordings={language: wording for language, wording in term.wordings.items() if language in languages})


def _concepts_by_entry(library: Library) -> dict[str, str]:
    """Return the id of the concept of each entry, without the game, by entry id."""
    return {entry: concept.partition("/")[2] for entry, concept in library.concepts.items()}


def rulebook_terms(rulebooks: Sequence[Rulebook], game: str) -> TermList:
    """Return the term list of ``game`` in rulebooks as read, without an index."""
    return build_term_list(game, rulebooks, tie_entries(load_concepts(game), rulebooks).by_entry)


@dataclass(frozen=True)
class SearchableTerms:
    """A term list to look names up in; ``names`` has all names of each term in one text, as search compares them."""

    terms: TermList
    names: tuple[str, ...]


def searchable_terms(snapshot: SnapshotContents, game: str) -> SearchableTerms:
    """Return the term list of ``game``, ready to look names up in."""
    terms = library_terms(snapshot.library, game)
    return SearchableTerms(terms, tuple(plain(" ".join(_searchable_names(term))) for term in terms.terms))


def _searchable_names(term: Term) -> list[str]:
    wordings = term.wordings.values()
    names = [name for w in wordings for name in (w.name or "", *w.variants, *w.abbreviations, *w.slang)]
    return [*names, *term.symbols, *(source.heading for source in term.sources)]
