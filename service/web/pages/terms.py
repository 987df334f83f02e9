"""The term list of a game: what each term is called in every language, and the entries that define it."""

from __future__ import annotations

from flask import Response

from index.analysis import plain
from service.core.problems import Problem
from service.editions.comparison_view import short_edition_name
from service.editions.library_terms import searchable_terms
from service.web.pages.layout import games_with_editions, page, pages
from service.web.pages.pagination import address_with, requested_page, search_words
from service.web.request_context import current_snapshot

LENGTH = 100  # terms on one page


@pages.get("/terms/<game>")
def terms(game: str) -> Response:
    """Show the terms of a game that have all words of the filter in their names, by pages."""
    snapshot = current_snapshot()
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    searchable = searchable_terms(snapshot, game)
    words = plain(search_words()).split()
    found = [term for term, names in zip(searchable.terms.terms, searchable.names, strict=True) if all(word in names for word in words)]
    return page(
        "terms.html",
        snapshot,
        scope=game,
        game=next(scope for scope in games_with_editions(snapshot.library) if scope.game == game),
        listed=requested_page(found, LENGTH),
        languages=searchable.terms.languages,
        label=short_edition_name,
        words=search_words(),
        address_with=address_with,
    )
