"""Cards and rulings as the tools give them: quoted word for word, each with its citation."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from corpus.cards.model import Card
from corpus.rulings.model import Authority, Ruling
from index.cards.model import CardHit
from index.layers.passages import CardPassage, ruling_passage, texts_in
from index.model import CardTextHit, LayerHit
from service.answers.layers import card_citation_out, ruling_citation_out
from service.answers.markers import marker_table
from service.core.highlighting import display_spans
from service.core.snapshot import Snapshot
from service.mcp.result_model import ToolResult
from service.schemas.layers import LayerCitationOut


class LayerQuotationResult(ToolResult):
    """A ruling or a text of a card, word for word."""

    layer: Literal["ruling", "card"] = Field(description="An official or house ruling, or what is printed on a card or in its errata.")
    words: str = Field(description="As it was published, symbols as signs. Quote from it; change nothing.")
    decides: list[str] = Field(default=[], description="The parts of it that answer the question.")
    marker: str = Field(description="Put it in brackets behind a quotation from this text; the tool verify checks it.")
    citation: LayerCitationOut
    superseded: bool = Field(description="True where something else holds in its place.")
    before: str | None = Field(default=None, description="The question that was ruled on.")
    authority: Authority | None = Field(default=None, description="Who has ruled so; null for texts of cards.")
    date: str | None = Field(default=None, description="The day of the ruling or erratum (ISO 8601), if known.")
    settles: bool = Field(default=False, description="Whether it is an official ruling on the very question.")


class FoundCardResult(ToolResult):
    """A card with its texts in the language asked for, else in English; what its errata say comes first."""

    card: str = Field(description="Its id; rulings_of takes it.")
    game: str
    names: dict[str, str] = Field(description="What it is called, by language.")
    matched: str | None = Field(description="The name that was found; null where a number was.")
    certainty: float = Field(description="From 0 to 1, how well the name fits.")
    type: str
    traits: dict[str, str] = Field(description="By language, as printed.")
    products: list[str] = Field(description="What it is printed in, each with its number there.")
    formats: dict[str, str] = Field(
        description="Its formats: legal, banned, a day from which on it is legal, or until and the day of its rotation."
    )
    texts: list[LayerQuotationResult]
    rulings: int = Field(description="How many rulings on it are loaded beside the rulebooks; rulings_of has them.")


class CardsFoundResult(ToolResult):
    """The cards that a name may mean, the likeliest first."""

    cards: list[FoundCardResult]


class NamedCardResult(ToolResult):
    """A card, named."""

    card: str
    game: str
    name: str


class CardRulingsResult(ToolResult):
    """Rulings on the cards of one name, official ones and those of the house, the newest first, by pages."""

    cards: list[NamedCardResult] = Field(description="The cards meant: several where they have the same name.")
    total: int
    page: int
    pages: int
    rulings: list[LayerQuotationResult]


def found_card_result(snapshot: Snapshot, hit: CardHit, language: str) -> FoundCardResult:
    """Return a card that was found, with its texts in ``language``."""
    card = hit.card
    return FoundCardResult(
        card=card.id,
        game=card.game,
        names={code: card.name(code) for code in card.languages},
        matched=hit.name or None,
        certainty=round(hit.score, 3),
        type=card.faces[0].type,
        traits=card.faces[0].traits,
        products=[
            " ".join(filter(None, (printing.products.get(language) or next(iter(printing.products.values()), ""), printing.number)))
            for printing in card.printings
        ],
        formats=card.formats,
        texts=[card_quotation(snapshot, text, language) for text in texts_in(card, language)],
        rulings=len(snapshot.index.rulings.of_card(card.game, card.id)),
    )


def named_card_result(card: Card, language: str) -> NamedCardResult:
    """Return a card by its name in ``language``."""
    return NamedCardResult(card=card.id, game=card.game, name=card.name(language))


def card_quotation(snapshot: Snapshot, quoted: CardPassage, language: str) -> LayerQuotationResult:
    """Return a text of a card, cited in ``language``."""
    return LayerQuotationResult(
        layer="card",
        words=quoted.passage.display,
        marker=marker_table(snapshot).marker_of(quoted.passage),
        citation=card_citation_out(quoted, language),
        superseded=quoted.replaced,
        date=(quoted.erratum.date or None) if quoted.erratum else None,
    )


def ruling_quotation(snapshot: Snapshot, ruling: Ruling, language: str, older: bool = False) -> LayerQuotationResult:
    """Return the answer of a ruling, cited in ``language``; ``older`` says that it is older than the rulebook, which settles the point."""
    passage = ruling_passage(ruling)
    return LayerQuotationResult(
        layer="ruling",
        words=passage.display,
        marker=marker_table(snapshot).marker_of(passage),
        citation=ruling_citation_out(ruling, passage, language, older),
        superseded=bool(ruling.superseded_by),
        before=ruling.asked.text if ruling.asked else None,
        authority=ruling.authority,
        date=ruling.date or None,
    )


def hit_quotation(snapshot: Snapshot, hit: LayerHit, language: str) -> LayerQuotationResult:
    """Return what was found beside the rulebooks for a question in ``language``."""
    decides = [hit.passage.display[start:end] for start, end in display_spans(hit.passage, hit.highlights)]
    if isinstance(hit, CardTextHit):
        return card_quotation(snapshot, hit.quoted, language).model_copy(update={"decides": decides})
    found = ruling_quotation(snapshot, hit.ruling, language, hit.older)
    return found.model_copy(update={"decides": decides, "settles": hit.settles})
