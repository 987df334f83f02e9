"""What every page has: the blueprint, the choice of where to search, names of kinds and
languages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

from flask import Blueprint, Response, make_response, render_template

from corpus.model import Edition
from index.building.fingerprints import Dependency
from index.library.library import Library
from service.answers.citations import game_title
from service.browse.cards import card_catalogue
from service.core.i18n import N_
from service.core.snapshot import Snapshot
from service.schemas.answer import AssistNote
from service.web.localization import gettext

pages = Blueprint("pages", __name__)

ASSIST_NOTES = {
    AssistNote.OFF: N_("none may be asked here"),
    AssistNote.BUSY: N_("too many questions are being looked up just now"),
    AssistNote.TIMEOUT: N_("it took too long"),
    AssistNote.UNREACHABLE: N_("it cannot be reached"),
    AssistNote.BAD_REPLY: N_("its reply was of no use"),
    AssistNote.BUDGET: N_("what it may cost is used up"),
    AssistNote.NOT_RECORDED: N_("this question is not among the recorded ones"),
}

STALE: dict[str, str] = {  # what an index was built from otherwise
    Dependency.PROGRAM: N_("the version of the program"),
    Dependency.ENCODER: N_("the encoder"),
    Dependency.SETTINGS: N_("settings"),
    Dependency.RULEBOOKS: N_("the rulebooks"),
    Dependency.WORKSPACE: N_("what the workspace says of the rulebooks"),
    Dependency.LAYERS: N_("cards or rulings"),
}


@dataclass(frozen=True)
class GameEditions:
    """A game with its editions, as the choice of where to search shows it."""

    game: str
    title: str
    editions: tuple[Edition, ...]


def page(template: str, snapshot: Snapshot, status: int = 200, /, **values: object) -> Response:
    """Render ``template`` with the values that every page shows."""
    built = snapshot.built.astimezone(UTC) if snapshot.built.tzinfo else snapshot.built
    html = render_template(
        template,
        snapshot=snapshot,
        library=snapshot.library,
        built=f"{built:%Y-%m-%d %H:%M}",
        product_title=lambda entry: card_catalogue(snapshot).product_title(entry),
        scopes=games_with_editions(snapshot.library),
        stale=", ".join(gettext(STALE[each]) for each in snapshot.stale),
        **values,
    )
    response = make_response(html, status)
    response.headers["Regula-Index"] = (
        snapshot.id
    )  # what is kept for reading offline is told apart by it
    return response


def games_with_editions(library: Library) -> list[GameEditions]:
    """Return the games by name, each with its editions."""
    games = sorted({e.game for e in library.editions})
    return [
        GameEditions(
            game, game_title(library, game), tuple(e for e in library.editions if e.game == game)
        )
        for game in games
    ]
