"""The tools on cards and rulings of the MCP server: name, docstring and annotations are what assistants see of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from corpus.cards.model import Card
from corpus.languages import FALLBACK
from service.core import parameters
from service.core.snapshot import Snapshot
from service.mcp import card_results
from service.mcp.tools import GameArgument, PageArgument, page_of, tool_errors
from service.schemas.cards import CardsParams
from service.schemas.fields import AS_TEXT

MOST_CARDS = 5
LEAST_CERTAINTY = 0.6  # of a card found by name, for its rulings to be told

NameArgument = Annotated[
    str, Field(description="Name of a card in any language, whole or in part, perhaps misspelt, with type or product; or its number.")
]
TextLanguageArgument = Annotated[str | None, Field(description="Language of the texts (BCP 47); that of the name if not given.")]


class CardTools:
    """The tools on the cards of whatever index ``snapshot`` returns, which may raise `Problem`."""

    def __init__(self, snapshot: Callable[[], Snapshot]):
        self._snapshot = snapshot

    def find_card(
        self, name: NameArgument, game: GameArgument = None, language: TextLanguageArgument = None
    ) -> card_results.CardsFoundResult:
        """Find cards by a name in any language and spelling, with their texts and errata word for word, each with its citation.

        Cards of one name are told apart by type or product beside it. Rulings on a card: rulings_of.
        """
        with tool_errors():
            snapshot = self._snapshot()
            asked = parameters.validated(CardsParams, {"q": name, "game": game, "language": language}, AS_TEXT)
            parameters.one_of(game, "game", snapshot.library.games)
            found = snapshot.index.cards.find(asked.q, game, asked.language, MOST_CARDS)
            return card_results.CardsFoundResult(
                cards=[card_results.found_card_result(snapshot, hit, asked.language or hit.language or FALLBACK) for hit in found]
            )

    def rulings_of(
        self,
        card: Annotated[str, Field(description="The id of a card from find_card, or its name in any language.")],
        game: GameArgument = None,
        page: PageArgument = 1,
    ) -> card_results.CardRulingsResult:
        """List rulings on a card that were published beside the rulebooks, and house rulings, the newest first, each with its citation.

        Those printed in the rulebooks: card_rulings.
        """
        with tool_errors():
            snapshot = self._snapshot()
            asked = parameters.question(card, "card")
            parameters.one_of(game, "game", snapshot.library.games)
            meant, language = _meant(snapshot, asked, game)
            store = snapshot.index.rulings
            rulings = [ruling for each in meant for ruling in store.of_card(each.game, each.id)]
            games = snapshot.library.games if game is None else [game]
            if not meant:
                rulings = [ruling for each in games for ruling in store.of_card(each, asked)]
            if not meant and not rulings:
                raise ToolError(f"There is no card {asked!r} here. Find it with find_card.")
            unique = sorted({ruling.id: ruling for ruling in rulings}.values(), key=lambda ruling: ruling.date, reverse=True)
            shown = page_of(unique, page)
            return card_results.CardRulingsResult(
                cards=[card_results.named_card_result(each, language) for each in meant],
                total=shown.total,
                page=page,
                pages=shown.pages,
                rulings=[card_results.ruling_quotation(snapshot, ruling, language) for ruling in shown.items],
            )


def _meant(snapshot: Snapshot, asked: str, game: str | None) -> tuple[list[Card], str]:
    """Return the cards that ``asked`` means, several where they are found alike, and the language of the name."""
    cards = snapshot.index.cards
    known = [card for each in ([game] if game else cards.games) if (card := cards.get(each, asked)) is not None]
    if known:
        return known, FALLBACK
    found = [hit for hit in cards.find(asked, game, None, MOST_CARDS) if hit.score >= LEAST_CERTAINTY]
    alike = [hit for hit in found if hit.score == found[0].score]
    return [hit.card for hit in alike], (alike[0].language if alike else "") or FALLBACK
