"""The pages of cards: find a card, read its printed text, and read all rulings on it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote

from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from corpus.cards.model import Card
from corpus.model import Entry, Role
from index.analysis import plain
from index.cards.card_store import CardHit
from index.library.library import Library
from service.answers.citations import card_url, cite
from service.browse.card_page import ShownWords, card_page, type_name
from service.browse.cards import CardView, ProductView, card_catalogue, find_card
from service.browse.entry_view import passage_blocks
from service.browse.landing import EXACT, MOST_CARDS, meant_card
from service.browse.lookup import name_index as names_of
from service.browse.text_blocks import TextBlock
from service.core.i18n import N_, day_in_words
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.web.headers import allow_images_of
from service.web.localization import gettext, language
from service.web.pages.layout import known_game, page, pages, reading_language
from service.web.request_context import current_snapshot, settings

LONGEST = 200  # characters of a search
MOST_SHEETS = 4  # cards shown with their text; more are listed by name
MOST_PRINTINGS = 6  # listed at once; the others unfold
_FORMAT_STATES = {"legal": N_("legal"), "banned": N_("banned")}


class ListedCard(NamedTuple):
    """A card in a list; ``matched`` is the other name by which it was found."""

    name: ShownWords
    matched: ShownWords | None
    number: str
    type: ShownWords
    product: ShownWords | None
    url: str


class GameCards(NamedTuple):
    """Numbers of cards of a ``game``: in its database, and with rulings in its rulebooks, by
    ``products``.
    """

    game: str
    in_database: int
    ruled: int
    rulings: int
    products: list[ProductView]


@pages.get("/cards")
def find_cards() -> Response:
    """Find cards by name, number or product; without a search, list products and cards."""
    snapshot = current_snapshot()
    search = " ".join(request.args.get("q", "").split())[:LONGEST]
    game, product = request.args.get("game") or None, request.args.get("product") or None
    if game is not None:
        known_game(snapshot, game)
    register, reading = card_catalogue(snapshot), reading_language()
    games = [each for each in sorted(snapshot.library.games) if game in (None, each)]
    shown: dict[str, object] = {"asked": search, "game": game, "product": product, "scope": game}
    if product:
        chosen = [p for p in register.products if p.id == product and game in (None, p.game)]
        if not chosen:
            raise Problem.unknown("There is no such product here.")
        if not search:
            products = [register.shown_product(each, reading) for each in chosen]
            return page("cards.html", snapshot, 200, **shown, products=products)
    if not search:
        counted = [_game_cards(snapshot, each) for each in games]
        return page("cards.html", snapshot, 200, **shown, games=counted)
    hits = snapshot.index.cards.find(search, game, reading, MOST_CARDS) if product is None else ()
    if card := meant_card(hits):
        return redirect(card_url(card), 303)
    if hits and hits[0].score >= EXACT:
        hits = tuple(hit for hit in hits if hit.score >= EXACT)
    names = names_of(snapshot)
    found = [c for c in register.find(names, search, None, game) if product in (None, c.product)]
    if len(found) == 1 and not hits:
        return redirect(_address(snapshot, found[0]), 303)
    listed = {hit.card.id for hit in hits}
    found = [
        register.shown(each, reading)
        for each in found
        if not any(card.id in listed for card in register.cards(each))
    ]
    entries = () if found else names.suggest(search, None, game)
    suggested = {
        view.id: register.shown(view, reading)
        for entry in entries
        if (view := register.by_entry.get(entry.id))
    }
    few = found if len(found) <= MOST_SHEETS else []
    return page(
        "cards.html",
        snapshot,
        200,
        **shown,
        hits=[_listed(snapshot, hit) for hit in hits],
        like=bool(hits) and hits[0].score < EXACT,
        found=found,
        sheets_found=[card_sheet(snapshot.library, card) for card in few],
        suggested=list(suggested.values()),
        only_ruled=[each for each in games if each not in snapshot.index.cards.games],
    )


def _game_cards(snapshot: Snapshot, game: str) -> GameCards:
    products = card_catalogue(snapshot).shown_products(game, reading_language())
    cards = [card for product in products for card in product.cards]
    return GameCards(
        game,
        len(snapshot.index.cards.of_game(game)),
        sum(any(entry.card for entry in card.entries) for card in cards),
        len(snapshot.index.rulings.of_game(game)),
        products,
    )


@pages.get("/cards/<path:card_id>")
def read_card(card_id: str) -> Response:
    """Show a card: of the database by its address, its id or the code of a printing, else one that
    rulebooks rule on.
    """
    snapshot = current_snapshot()
    game, _, slug = card_id.partition("/")
    card = find_card(snapshot, game, slug)
    if card is not None and slug == card.slug:
        return _database_card(snapshot, card)
    if card is not None:
        return redirect(card_url(card), 301)
    register = card_catalogue(snapshot)
    printed = register.by_id.get(card_id)
    if printed is None:
        raise Problem.unknown("There is no such card here.")
    if cards := register.cards(printed):
        return redirect(card_url(cards[0]), 303)
    return page(
        "card.html",
        snapshot,
        scope=printed.game,
        card=register.shown(printed, reading_language()),
        sheet=card_sheet(snapshot.library, printed),
        mentioning=register.mentioning(printed),
    )


def _format_state(state: str) -> str:
    """Return a card's state in a format as text; `state` is as in `corpus.cards.model.Card`."""
    if state in _FORMAT_STATES:
        return gettext(_FORMAT_STATES[state])
    day = day_in_words(language(), state.removeprefix("until "))
    if state.startswith("until "):
        return gettext("until %(date)s", date=day)
    return gettext("from %(date)s", date=day)


def _database_card(snapshot: Snapshot, card: Card) -> Response:
    register = card_catalogue(snapshot)
    printed = register.views(card)
    mentioning = {entry.id: entry for each in printed for entry in register.mentioning(each)}
    address = settings().card_images.replace("{game}", quote(card.game))
    picture = address.replace("{code}", quote(card.id))
    response = page(
        "card_page.html",
        snapshot,
        scope=card.game,
        card=card,
        shown=card_page(snapshot, card, language(), reading_language()),
        printed_sheets=[card_sheet(snapshot.library, each) for each in printed],
        mentioning=list(mentioning.values()),
        picture=picture,
        format_state=_format_state,
        MOST_PRINTINGS=MOST_PRINTINGS,
    )
    if picture:
        allow_images_of(response, picture)
    return response


def card_address(snapshot: Snapshot, entry: Entry) -> str | None:
    """Return the address of the card that ``entry`` rules on or corrects; None if there is none."""
    view = card_catalogue(snapshot).by_entry.get(entry.id)
    return _address(snapshot, view) if view else None


def _address(snapshot: Snapshot, view: CardView) -> str:
    cards = card_catalogue(snapshot).cards(view)
    return card_url(cards[0]) if cards else url_for("pages.read_card", card_id=view.id)


def _listed(snapshot: Snapshot, hit: CardHit) -> ListedCard:
    card, spoken = hit.card, reading_language()
    name = ShownWords(card.name(spoken), spoken if spoken in card.languages else "en")
    printing = next(iter(card.printings), None)
    products = printing.products if printing else {}
    sold = next((code for code in (spoken, "en", *products) if products.get(code)), "")
    other = hit.name and plain(hit.name) not in plain(name.text)
    return ListedCard(
        name=name,
        matched=ShownWords(hit.name, hit.language) if other else None,
        number=printing.number if printing else "",
        type=type_name(snapshot, card.game, card.faces[0].type, language()),
        product=ShownWords(products[sold], sold) if sold else None,
        url=card_url(card),
    )


def card_sheet(library: Library, card: CardView) -> dict[str, object]:
    """Return every entry on a card with its citation and wording, the reader's language first.

    "parts" separates replaced wording ("void") from valid wording, in print order.
    """
    spoken = reading_language()

    def parts(entry: Entry) -> list[tuple[str, list[TextBlock]]]:
        passages = library.passages_of.get(entry.id, ())
        runs = [
            (void, passage_blocks(library, list(group)))
            for void, group in groupby(passages, key=lambda each: each.role is Role.VOID)
        ]
        valid = "valid" if any(void for void, _ in runs) else ""
        return [("void" if void else valid, blocks) for void, blocks in runs]

    def shown(entries: Sequence[Entry]) -> list[dict[str, object]]:
        ordered = sorted(entries, key=lambda each: library.edition[each.edition].language != spoken)
        return [{"entry": e, "citation": cite(library, e), "parts": parts(e)} for e in ordered]

    return {"card": card, "errata": shown(card.errata), "rulings": shown(card.rulings)}
