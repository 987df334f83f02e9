"""The pages of cards: finding one, and all that the rulebooks rule on it."""

from __future__ import annotations

from itertools import groupby

from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from corpus.model import Entry, Role
from index.library.library import Library
from service.answers.citations import cite
from service.browse.cards import CardView, card_catalogue
from service.browse.entry_view import passage_blocks
from service.browse.lookup import name_index as names_of
from service.browse.text_blocks import TextBlock
from service.core.problems import Problem
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot

LONGEST = 200  # characters of what is asked for
MOST_SHEETS = 4  # cards shown with their text; more are listed by name


@pages.get("/cards")
def find_cards() -> Response:
    """Cards by name, number or product; without a question all products with their cards."""
    snapshot = current_snapshot()
    search = " ".join(request.args.get("q", "").split())[:LONGEST]
    game = request.args.get("game") or None
    product = request.args.get("product") or None
    if game is not None and game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here.")
    register = card_catalogue(snapshot)
    shown: dict[str, object] = {"asked": search, "game": game, "product": product, "scope": game}
    if product:
        chosen = [p for p in register.products if p.id == product and game in (None, p.game)]
        if not chosen:
            raise Problem.unknown("There is no such product here.")
        if not search:
            return page("cards.html", snapshot, 200, **shown, products=chosen, opened=True)
    if not search:
        return page("cards.html", snapshot, 200, **shown, products=[p for p in register.products if game in (None, p.game)])
    names = names_of(snapshot)
    found = [c for c in register.find(names, search, None, game) if product in (None, c.product)]
    if len(found) == 1:
        return redirect(url_for("pages.read_card", card_id=found[0].id), 303)
    sheets = [card_sheet(snapshot.library, card) for card in found] if len(found) <= MOST_SHEETS else []
    suggested = [register.by_entry[e.id] for e in names.suggest(search, None, game) if e.id in register.by_entry] if not found else []
    return page(
        "cards.html", snapshot, 200, **shown, found=found, sheets_found=sheets, suggested=list({c.id: c for c in suggested}.values())
    )


@pages.get("/cards/<path:card_id>")
def read_card(card_id: str) -> Response:
    """The page of a card."""
    snapshot = current_snapshot()
    register = card_catalogue(snapshot)
    card = register.by_id.get(card_id)
    if card is None:
        raise Problem.unknown("There is no such card here.")
    return page(
        "card.html", snapshot, scope=card.game, card=card, sheet=card_sheet(snapshot.library, card), mentioning=register.mentioning(card)
    )


def card_sheet(library: Library, card: CardView) -> dict[str, object]:
    """Return what a template shows of a card: every entry with its place and wording, replaced wording apart from valid one."""
    return {
        "card": card,
        "errata": [{"entry": e, "citation": cite(library, e), "parts": _parts(library, e)} for e in card.errata],
        "rulings": [{"entry": e, "citation": cite(library, e), "parts": _parts(library, e)} for e in card.rulings],
    }


def _parts(library: Library, entry: Entry) -> list[tuple[str, list[TextBlock]]]:
    """Return the wording in the order of print: "void" where it is replaced, "valid" beside it, "" where nothing is replaced."""
    passages = library.passages_of.get(entry.id, ())
    replaced = any(p.role is Role.VOID for p in passages)
    runs = [(void, list(group)) for void, group in groupby(passages, key=lambda p: p.role is Role.VOID)]
    return [("void" if void else "valid" if replaced else "", passage_blocks(library, group)) for void, group in runs]
