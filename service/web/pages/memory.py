"""What a reader keeps on the own device: the page that shows it, and what its script compares it
with. Nothing kept is ever sent here.
"""

from __future__ import annotations

from flask import Response, jsonify

from corpus.cards.model import Card
from corpus.model import Entry, Passage
from corpus.rulings.model import Ruling
from service.browse.bookmarks import BookmarkTarget, bookmark_target, fingerprints
from service.core.problems import Problem
from service.web.localization import language
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot

_FINGERPRINTS = "/memory/fingerprints/"


@pages.get("/memory")
def memory() -> Response:
    """The page of favourites, notes, lists and questions; what is on it, its script reads from the
    browser.
    """
    return page("memory.html", current_snapshot(), fingerprints_url=_FINGERPRINTS)


@pages.get(f"{_FINGERPRINTS}<game>")
def list_fingerprints(game: str) -> Response:
    """What the words of a game are known by, whole, so that nobody has to say which of them were
    kept. Raises `Problem` (404).
    """
    snapshot = current_snapshot()
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here.")
    return jsonify(index=snapshot.id, game=game, passages=fingerprints(snapshot, game))


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    """For every template: what names a thing on the reader's device."""
    return {"bookmark": _bookmark}


def _bookmark(thing: Passage | Entry | Ruling | Card) -> BookmarkTarget:
    return bookmark_target(current_snapshot(), thing, language())
