"""The term list of a game: what each term is called in every language, and the entries that define
it.
"""

from __future__ import annotations

from flask import Response

from service.core.problems import Problem
from service.editions.comparison_view import short_edition_name
from service.editions.exported_files import TERM_FORMATS
from service.editions.terms import find_terms
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
    terms, found = find_terms(snapshot, game, search_words())
    return page(
        "terms.html",
        snapshot,
        scope=game,
        game=next(scope for scope in games_with_editions(snapshot.library) if scope.game == game),
        listed=requested_page(found, LENGTH),
        languages=terms.languages,
        label=short_edition_name,
        words=search_words(),
        formats=TERM_FORMATS,
        address_with=address_with,
    )
