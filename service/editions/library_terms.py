"""The term lists of a library, of two editions and of rulebooks as read; and a term list to look names up in."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from corpus.model import Edition, Rulebook
from glossary.concepts import load_concepts, tie_entries
from glossary.terms.term_description import describe_terms
from glossary.terms.term_list import Term, TermList, build_term_list
from index.analysis import plain
from index.library.library import Library
from service.core.contents import SnapshotContents
from service.core.jobs.stored_works import Work, stored
from service.editions.source_edition import game_source


def library_terms(library: Library, game: str, source: str | None = None) -> TermList:
    """Return the term list of ``game`` in the editions of ``library``; ``source`` is the edition that others are translated from."""
    found = build_term_list(game, library.rulebooks, _concepts_by_entry(library))
    return describe_terms(replace(found, source=library.edition[source] if source else None), library.rulebooks)


def edition_pair_terms(library: Library, left: Edition, right: Edition, source: Edition | None = None) -> TermList:
    """Return the terms with an entry in one of two editions of a game, in the languages of these editions and of their ``source``."""
    editions = [edition for edition in (left, right, source) if edition]
    rulebooks = [book for book in library.rulebooks if book.edition.id in {edition.id for edition in editions}]
    found = build_term_list(left.game, rulebooks, _concepts_by_entry(library))
    languages = {edition.language for edition in editions}
    here = [term for term in found.terms if any(each.edition in (left.id, right.id) for each in term.sources)]
    return describe_terms(replace(found, terms=tuple(_in_languages(term, languages) for term in here), source=source), rulebooks)


def terms_work(game: str, source: str | None) -> Work[TermList]:
    """Return the work of `library_terms`."""
    return Work(("term list", game, source or ""), _terms_of_game, (game, source), kept=True)


def edition_pair_terms_work(left: str, right: str, source: str | None) -> Work[TermList]:
    """Return the work of `edition_pair_terms`."""
    return Work(("term list", left, right, source or ""), _terms_of_pair, (left, right, source), kept=True)


def _terms_of_game(snapshot: SnapshotContents, game: str, source: str | None) -> TermList:
    return library_terms(snapshot.library, game, source)


def _terms_of_pair(snapshot: SnapshotContents, left: str, right: str, source: str | None) -> TermList:
    editions = snapshot.library.edition
    return edition_pair_terms(snapshot.library, editions[left], editions[right], editions[source] if source else None)


def _in_languages(term: Term, languages: AbstractSet[str]) -> Term:
    return replace(term, wordings={language: wording for language, wording in term.wordings.items() if language in languages})


def _concepts_by_entry(library: Library) -> dict[str, str]:
    """Return the id of the concept of each entry, without the game, by entry id."""
    return {entry: concept.partition("/")[2] for entry, concept in library.concepts.items()}


def rulebook_terms(rulebooks: Sequence[Rulebook], game: str, source: str | None = None) -> TermList:
    """Return the term list of ``game`` in rulebooks as read, without an index; ``source`` as for `library_terms`."""
    found = build_term_list(game, rulebooks, tie_entries(load_concepts(game), rulebooks).by_entry)
    return describe_terms(replace(found, source=next((book.edition for book in rulebooks if book.edition.id == source), None)), rulebooks)


@dataclass(frozen=True)
class SearchableTerms:
    """A term list to look names up in; ``names`` has all names of each term in one text, as search compares them."""

    terms: TermList
    names: tuple[str, ...]


def searchable_terms(snapshot: SnapshotContents, game: str) -> SearchableTerms:
    """Return the term list of ``game``, beside its usual source edition, ready to look names up in; cached.

    Raises as `service.core.jobs.stored_works.stored`.
    """

    def search() -> SearchableTerms:
        terms = stored(snapshot, terms_work(game, game_source(snapshot.library.editions, game)))
        return SearchableTerms(terms, tuple(plain(" ".join(_searchable_names(term))) for term in terms.terms))

    return snapshot.cache.get(("searchable terms", game), search, most=8)


def _searchable_names(term: Term) -> list[str]:
    wordings = term.wordings.values()
    names = [name for w in wordings for name in (w.name or "", *w.variants, *w.abbreviations, *w.slang)]
    return [*names, *term.symbols, *(source.heading for source in term.sources)]
