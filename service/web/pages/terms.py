"""The term list of a game: what each term is called in every language, and the entries that define it."""

from __future__ import annotations

from flask import Response

from corpus.model import Edition
from index.analysis import plain
from service.core.jobs.queue import run_job
from service.core.problems import Problem
from service.editions.term_list import listed as listed_terms
from service.web.pages.layout import games_with_editions, page, pages
from service.web.pages.pagination import address_with, requested_page, search_words
from service.web.request_context import current_snapshot

LENGTH = 100  # terms on one page


@pages.get("/terms/<game>")
def terms(game: str) -> Response:
    """The terms of a game that have one of the words sought in a name, by pages."""
    snapshot = current_snapshot()
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    location = snapshot.location
    listed = snapshot.cache.get(("searchable terms", game), lambda: run_job(location, listed_terms, game), most=8)
    words = plain(search_words()).split()
    found = [term for term, names in zip(listed.terms.terms, listed.names, strict=True) if all(word in names for word in words)]
    return page(
        "terms.html",
        snapshot,
        scope=game,
        game=next(scope for scope in games_with_editions(snapshot.library) if scope.game == game),
        listed=requested_page(found, LENGTH),
        languages=listed.terms.languages,
        label=_label,
        words=search_words(),
        address_with=address_with,
    )


def _label(edition: Edition) -> str:
    return f"{edition.language} {edition.version}".strip()
