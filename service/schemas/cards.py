"""Cards: found by name, and all that is known of one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.cards.model import TextKind
from service.schemas.base import RequestParams, ResponseModel
from service.schemas.entries import EntryWithTextOut
from service.schemas.fields import (
    GameFilter,
    GameName,
    LanguageTag,
    Length,
    MessageForm,
    QuestionText,
    SpanPair,
    WholeNumber,
)
from service.schemas.layers import LoadedRulingOut, StringSourceOut

USUAL_CARDS = 10
MOST_CARDS = 50


class CardsParams(RequestParams):
    """The name of a card, and where to look."""

    q: QuestionText = Field(
        description="A name in any language, whole or in part, with slips; or a number; with a type or product to tell cards apart."
    )
    game: GameFilter | None = None
    language: LanguageTag | None = Field(
        default=None,
        description="Of cards that are found alike, those with a name in this language come first.",
    )
    k: (
        Annotated[
            int,
            WholeNumber(
                1, MOST_CARDS, f"How many cards at most; {USUAL_CARDS} where it is not given."
            ),
        ]
        | None
    ) = None


class CardPathParams(RequestParams):
    """Which card."""

    game: GameName
    slug: str = Field(
        description="The last part of the card's address; its id or the code of a printing leads there."
    )


class CardParams(RequestParams):
    """In what language."""

    language: LanguageTag | None = Field(
        default=None,
        description="Of a message and of labels; that of the browser where it is not given.",
    )


class CardMessageParams(CardParams):
    """In what language, in what form."""

    format: MessageForm
    limit: Length | None = None


class CardNamesOut(ResponseModel):
    """What a card is called in each language, as `names` of its first face have it, with its
    subtitle.
    """

    id: str = Field(description="The id of the card in its database.")
    game: str = Field(description="The game of the card.")
    slug: str = Field(description="The last part of the card's address.")
    url: str = Field(description="Its page on this service.")
    names: dict[str, str] = Field(description="By language, with the subtitle.")
    type: str = Field(description="As the database calls it.")
    products: list[dict[str, str]] = Field(
        description="The products that it is printed in, by language."
    )


class CardHitOut(CardNamesOut):
    """A card that may be meant."""

    score: float = Field(ge=0, le=1, description="1 where all that was asked for is a whole name.")
    matched: str | None = Field(
        description="The name that it was found by; null where its number was asked for."
    )
    language: str | None = Field(description="The language of that name.")


class CardsOut(ResponseModel):
    """The cards that a name may mean, the likeliest first."""

    query: str = Field(description="The name as it was asked for.")
    cards: list[CardHitOut] = Field(description="The likeliest first.")


class SymbolOut(ResponseModel):
    """Characters of a text that stand for a symbol."""

    span: SpanPair = Field(description="Offsets into `text`.")
    sign: str | None = Field(description="The character that shows it; null where there is none.")
    names: dict[str, str] = Field(description="What it is called, by language.")


class CardTextOut(ResponseModel):
    """A text of a card, word for word, with its place."""

    kind: TextKind = Field(description="What the text is: rules, flavour or what else is printed.")
    language: str = Field(description="The language that it is in.")
    text: str = Field(description="As it stands in the file, to be checked by pointer and spans.")
    display: str = Field(description="For readers: markup gone, symbols as signs or names.")
    symbols: list[SymbolOut] = Field(description="The symbols in `text`.")
    source: StringSourceOut = Field(description="The place in the file.")


class CardFaceOut(ResponseModel):
    """One face of a card."""

    code: str | None = Field(description="The code of the face; null where it has none.")
    names: dict[str, str] = Field(description="What it is called, by language.")
    subtitles: dict[str, str] = Field(description="What stands under its name, by language.")
    type: str = Field(description="What the card is, as the database calls it.")
    traits: dict[str, str] = Field(description="By language.")
    stats: dict[str, str] = Field(description="Printed values by name.")
    texts: list[CardTextOut] = Field(description="What is printed on it.")


class PrintingOut(ResponseModel):
    """A product that a card is printed in."""

    code: str = Field(description="The code of the printing in its database.")
    products: dict[str, str] = Field(description="What it is called, by language.")
    number: str = Field(description="The number printed on it.")
    date: str | None = Field(description="ISO 8601; null where it is not known.")


class CardErratumOut(ResponseModel):
    """A correction of a card by its publisher: what was printed, what holds, what is said of it, as
    far as the database has it.
    """

    old: CardTextOut | None = Field(
        description="What was printed; null where the database does not have it."
    )
    new: CardTextOut | None = Field(
        description="What holds; null where the database does not have it."
    )
    note: CardTextOut | None = Field(description="What is said of it; null where nothing is.")
    date: str | None = Field(description="ISO 8601; null where it is not known.")


class CardRuleOut(ResponseModel):
    """A rule that a text of the card touches."""

    entry: str = Field(description="The id of its entry.")
    title: str = Field(description="What readers know the entry by.")
    url: str = Field(description="The page of the entry on this service.")
    concept: str = Field(description="What the rule is about, the same in every language.")
    term: str = Field(description="How the card says it.")
    source: StringSourceOut | None = Field(
        description="Where the card says it; null where its type does."
    )


class CardOut(CardNamesOut):
    """All that is known of a card."""

    unique: bool = Field(description="Whether a game may have it only once at a time.")
    faces: list[CardFaceOut] = Field(description="Its faces, the front first.")
    printings: list[PrintingOut] = Field(description="The products that it is printed in.")
    errata: list[CardErratumOut] = Field(
        description="Corrections by its publisher, as far as the database has them."
    )
    formats: dict[str, str] = Field(
        description="Its formats: `legal`, `banned`, the day from which on it is legal, or `until` and the day of its rotation."
    )
    rules: list[CardRuleOut] = Field(description="The rules that its texts touch.")
    printed: list[EntryWithTextOut] = Field(
        description="Errata and rulings of it that rulebooks print."
    )
    rulings: list[LoadedRulingOut] = Field(
        description="Rulings about it beside the rulebooks, the newest first."
    )
