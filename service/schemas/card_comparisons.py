"""Cards beside their English print: what differs in numbers, symbols, terms and conditions, and what is not translated."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from glossary.comparison.card_texts import CardDifference
from service.schemas.base import GameName, RequestParams, ResponseModel, SpanPair, inline_enum
from service.schemas.layers import StringSourceOut


class CardComparisonPathParams(RequestParams):
    """Of which game."""

    game: Annotated[GameName, Field(description="A game with cards in several languages.")]


class CardComparisonParams(RequestParams):
    """In what language."""

    language: Annotated[str, Field(description="The language that is compared with English: de, it.")]


class ComparedCardTextOut(ResponseModel):
    """A text of a card, word for word, and what in it the other language has nothing for."""

    text: Annotated[str, Field(description="The text as it stands in the file.")]
    spans: Annotated[list[SpanPair], Field(description="Of what differs, in characters of `text`.")]
    words: Annotated[list[str], Field(description="What stands at each span.")]
    source: Annotated[StringSourceOut, Field(description="The place in the file.")]


class CardDifferenceOut(ResponseModel):
    """A difference between a card and its translation; a side is missing where there is no text."""

    card: Annotated[str, Field(description="The id of the card.")]
    slug: Annotated[str, Field(description="The last part of the card's address.")]
    face: Annotated[int, Field(ge=1, description="Which face of the card, counted from 1.")]
    name: Annotated[str, Field(description="What the face is called in English.")]
    translated_name: Annotated[str | None, Field(description="What the face is called in the language; null where it has no name in it.")]
    sort: Annotated[
        CardDifference,
        inline_enum(CardDifference),
        Field(
            title="Difference",
            description="`card`: it has no name in the language; `face`: a face of it has none; `text`: a text is missing; "
            "`untranslated`: a text is the English one.",
        ),
    ]
    english: Annotated[ComparedCardTextOut | None, Field(description="The English text; null where there is none.")]
    translation: Annotated[ComparedCardTextOut | None, Field(description="The text in the language; null where there is none.")]


class CardComparisonOut(ResponseModel):
    """The cards of a game in one language beside the English ones: whatever differs, in the order of the cards."""

    game: Annotated[str, Field(description="The game of the cards.")]
    language: Annotated[str, Field(description="The language that was compared with English.")]
    cards: Annotated[int, Field(description="How many cards were compared.")]
    summary: Annotated[dict[str, int], Field(description="How many differences there are of each sort.")]
    differences: Annotated[list[CardDifferenceOut], Field(description="Whatever differs, in the order of the cards.")]
