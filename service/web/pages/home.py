"""The start page: the games to choose from, with questions to try."""

from __future__ import annotations

from flask import Response

from service.browse.example_questions import example_questions
from service.browse.timing import StepLink
from service.core.i18n import LANGUAGES
from service.core.snapshot import Snapshot
from service.web.localization import language
from service.web.pages.layout import page, remembered_scope


def home_page(
    snapshot: Snapshot, scope: str | None, day: str | None, step: tuple[str, StepLink] | None
) -> Response:
    """Return the start page: all games, or the chosen game of ``scope``."""
    library = snapshot.library
    scope = scope or remembered_scope(library)
    chosen = library.edition[scope].game if scope in library.edition else scope
    return page(
        "home.html",
        snapshot,
        scope=scope,
        chosen=chosen if chosen in library.games else None,
        examples=snapshot.cache.get(
            ("example questions", language()),
            lambda: {game: example_questions(snapshot, game, language()) for game in library.games},
            most=len(LANGUAGES),
        ),
        as_of=day,
        step=step,
    )
