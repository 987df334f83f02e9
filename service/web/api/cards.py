"""Cards: found by name, and all that is known of one."""

from __future__ import annotations

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.cards.model import Card
from service.answers.chat_messages import (
    card_message_out,
    compose_card_message,
)
from service.answers.citations import card_url
from service.browse.cards import find_card
from service.browse.entries import card_hit_out, card_out
from service.core import parameters
from service.core.i18n import N_
from service.core.problems import Problem
from service.schemas.answer import CardMessageOut
from service.schemas.cards import (
    USUAL_CARDS,
    CardMessageParams,
    CardOut,
    CardParams,
    CardPathParams,
    CardsOut,
    CardsParams,
)
from service.web.api.blueprints import ASK, READ, api, json_response
from service.web.links import base_address
from service.web.localization import language
from service.web.request_context import current_snapshot, settings


@api.call("GET", "/cards", READ, CardsOut)
def cards(query: CardsParams) -> Response:
    """List the cards that a name may mean, in any language and spelling, the likeliest first.

    From the card databases that are loaded; where none is, the list is empty.
    """
    snapshot = current_snapshot()
    parameters.one_of(query.game, "game", snapshot.library.games)
    found = snapshot.index.cards.find(query.q, query.game, query.language, query.k or USUAL_CARDS)
    return json_response(CardsOut(query=query.q, cards=[card_hit_out(hit) for hit in found]))


@api.call("GET", "/cards/<game>/<path:slug>", READ, CardOut)
def card(path: CardPathParams, query: CardParams) -> BaseResponse:
    """Give all that is known of a card: texts, printings, errata, rules that it touches, rulings.

    Its id, or the code of a printing, leads to its address.
    """
    found = _card(path, "/v1")
    return (
        json_response(card_out(current_snapshot(), found, _spoken(query)))
        if isinstance(found, Card)
        else found
    )


@api.call("GET", "/message/cards/<game>/<path:slug>", ASK, CardMessageOut)
def write_card_message(path: CardPathParams, query: CardMessageParams) -> BaseResponse:
    """Give a message on a card for a chat: its name, its texts and the newest rulings on it.

    Quoted intact or visibly cut, each with its citation. Its id, or the code of a printing, leads
    to its address.
    """
    found = _card(path, "/v1/message")
    if not isinstance(found, Card):
        return found
    snapshot, spoken = current_snapshot(), _spoken(query)
    rulings = snapshot.index.rulings.of_card(found.game, found.id)
    message = compose_card_message(
        found,
        rulings,
        spoken,
        query.format,
        base_address(settings(), request.url_root),
        query.limit,
    )
    return json_response(card_message_out(snapshot, found, message, spoken))


def _card(path: CardPathParams, prefix: str) -> Card | BaseResponse:
    """Return the card at ``path``, or a redirect to its address, which begins with ``prefix``."""
    found = find_card(current_snapshot(), path.game, path.slug)
    if found is None:
        raise Problem.unknown(
            N_("There is no such card here; GET /v1/cards?q= finds those there are.")
        )
    if found.slug == path.slug:
        return found
    asked = request.query_string.decode("ascii", "replace")
    return redirect(f"{prefix}{card_url(found)}{'?' if asked else ''}{asked}", 308)


def _spoken(query: CardParams) -> str:
    return query.language or language()
