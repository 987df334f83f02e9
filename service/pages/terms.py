"""The term list of a game: what each term is called in every language, and the entries that define it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response

from corpus.model import Edition
from glossary.terminology import Term, TermList
from index.analysis import plain
from service.desk import desk
from service.keeping import Kept
from service.pages.layout import page, pages, scopes
from service.pages.listing import here, sheet, words
from service.problems import Problem
from service.snapshot import Snapshot
from service.terms import terms_of

LENGTH = 100  # terms on one page


@dataclass(frozen=True)
class _Listed:
    terms: TermList
    names: tuple[str, ...]  # of each term all its names, as search compares them


_KEPT: Kept[_Listed] = Kept(most=8)


@pages.get("/terms/<game>")
def terms(game: str) -> Response:
    """The terms of a game that have one of the words sought in a name, by pages."""
    snapshot = desk().snapshot()
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    listed = _KEPT.get((snapshot.id, game), lambda: _listed(snapshot, game))
    sought = plain(words()).split()
    found = [term for term, names in zip(listed.terms.terms, listed.names, strict=True) if all(word in names for word in sought)]
    return page(
        "terms.html",
        snapshot,
        scope=game,
        game=next(scope for scope in scopes(snapshot.library) if scope.game == game),
        sheet=sheet(found, LENGTH),
        languages=listed.terms.languages,
        label=_label,
        sought=words(),
        here=here,
    )


def _label(edition: Edition) -> str:
    return f"{edition.language} {edition.version}".strip()


def _listed(snapshot: Snapshot, game: str) -> _Listed:
    found = terms_of(snapshot.library, game)
    return _Listed(found, tuple(plain(" ".join(_names(term))) for term in found.terms))


def _names(term: Term) -> list[str]:
    wordings = term.wordings.values()
    names = [name for w in wordings for name in (w.name or "", *w.further, *w.abbreviations, *w.slang)]
    return [*names, *term.symbols, *(source.heading for source in term.sources)]
