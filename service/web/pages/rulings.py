"""The pages of rulings outside the rulebooks: lists to read, to filter, to share as a file, and to
take such a file in.
"""

from __future__ import annotations

from typing import NamedTuple

from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from corpus.rulings import Authority, Ruling, load_rulings
from service.answers.citations import (
    AUTHORITIES,
    card_url,
)
from service.browse.card_page import rules_of_ruling
from service.browse.cards import named_card
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.rulings import RulingFilter, exported_rulings, newest_first
from service.ops.house_rulings import take_in_rulings
from service.ops.workspace_files import NotKept
from service.web.editing import editable_workspace, may_edit, private_page
from service.web.localization import language
from service.web.pages.layout import page, pages
from service.web.pages.pagination import address_with, one_of, requested_page, search_words
from service.web.request_context import current_snapshot, settings
from service.web.same_origin import check_same_origin

LENGTH = 50  # rulings on one page
AUTHORITY_NAMES = {
    Authority.PUBLISHER: N_("Publisher"),
    Authority.DESIGNER: N_("Designer"),
    Authority.HEAD_JUDGE: N_("Head judge"),
    Authority.HOUSE: N_("House"),
}


class RulingCard(NamedTuple):
    """A card that a ruling is about: its name, the language that this is in, and the address of its
    page.
    """

    name: str
    language: str
    url: str


@pages.get("/rulings")
def rulings_overview() -> Response:
    """The games with the number of their rulings."""
    snapshot = current_snapshot()
    counts = {game: len(_rulings(snapshot, game)[0]) for game in snapshot.library.games}
    return _page("rulings_games.html", snapshot, counts=counts)


@pages.get("/rulings/<game>")
def list_rulings(game: str) -> Response:
    """The rulings on a game, the newest first, as the address filters them."""
    snapshot = current_snapshot()
    return _listed(snapshot, _known_game(snapshot, game))


@pages.get("/rulings/<game>/<name>")
def read_ruling(game: str, name: str) -> Response:
    """One ruling."""
    snapshot = current_snapshot()
    rulings, waiting = _rulings(snapshot, _known_game(snapshot, game))
    found = next((each for each in rulings if each.id == f"{game}/{name}"), None)
    if found is None:
        raise Problem.unknown("There is no such ruling here.")
    rules = () if found.bases else rules_of_ruling(snapshot, found, language())
    return _page(
        "ruling.html", snapshot, game=game, scope=game, ruling=found, waiting=waiting, rules=rules
    )


@pages.get("/rulings/export")
def export_rulings() -> Response:
    """The rulings on a game as a file, as the address filters them."""
    snapshot = current_snapshot()
    game = _known_game(snapshot, request.args.get("game", ""))
    rulings = _rulings(snapshot, game)[0]
    response = Response(
        exported_rulings(game, _filter().fitting(rulings)), mimetype="application/yaml"
    )
    response.headers["Content-Disposition"] = f'attachment; filename="rulings-{game}.yaml"'
    return response


@pages.post("/rulings/<game>")
def import_rulings(game: str) -> BaseResponse:
    """Take in a file of rulings, and show what came of it."""
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    _known_game(snapshot, game)
    file = request.files.get("file")
    if file is None or not file.filename:
        return redirect(url_for("pages.list_rulings", game=game), 303)
    try:
        added = take_in_rulings(home, game, file.filename, file.read())
    except NotKept as fault:
        return _listed(snapshot, game, 409, trouble=str(fault))
    return _listed(snapshot, game, added=added)


def _listed(snapshot: Snapshot, game: str, status: int = 200, **values: object) -> Response:
    rulings, waiting = _rulings(snapshot, game)
    wanted = _filter()
    return _page(
        "rulings.html",
        snapshot,
        status,
        game=game,
        scope=game,
        listed=requested_page(wanted.of(rulings), LENGTH),
        total=len(rulings),
        filters=wanted,
        waiting=waiting,
        faults=load_rulings(game, settings().home).faults if may_edit() else (),
        **values,
    )


def _rulings(snapshot: Snapshot, game: str) -> tuple[list[Ruling], frozenset[str]]:
    """The rulings on ``game``; an editor sees those of the workspace, among them the ids of those
    that answers do not have yet.
    """
    served = snapshot.index.rulings.of_game(game)
    if not may_edit():
        return newest_first(served), frozenset()
    written = load_rulings(game, settings().home).rulings
    known = {(each.id, each.answer.text) for each in served}
    return newest_first(written), frozenset(
        each.id for each in written if (each.id, each.answer.text) not in known
    )


def _cards_of(snapshot: Snapshot, ruling: Ruling) -> list[RulingCard]:
    """The cards of ``ruling`` as its file names them, or as the database does; those that it does
    not have lead to their rulings.
    """
    spoken = ruling.answer.language
    found = []
    for name in ruling.cards:
        card = named_card(snapshot, ruling.game, name)
        if card is None:
            found.append(
                RulingCard(name, spoken, url_for("pages.list_rulings", game=ruling.game, card=name))
            )
        else:
            found.append(
                RulingCard(
                    card.name(spoken), spoken if spoken in card.languages else "en", card_url(card)
                )
            )
    return found


def _filter() -> RulingFilter:
    return RulingFilter(
        card=request.args.get("card", "").strip()[:200],
        authority=one_of("authority", list(Authority)),
        words=search_words(),
    )


def _known_game(snapshot: Snapshot, game: str) -> str:
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    return game


def _page(template: str, snapshot: Snapshot, status: int = 200, **values: object) -> Response:
    """A page of rulings; what an editor sees is kept by no browser."""
    response = page(
        template,
        snapshot,
        status,
        AUTHORITIES=AUTHORITIES,
        authorities=AUTHORITY_NAMES,
        cards_of=lambda ruling: _cards_of(snapshot, ruling),
        address_with=address_with,
        **values,
    )
    return private_page(response) if may_edit() else response
