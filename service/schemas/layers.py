"""Rulings and texts of cards: what is quoted beside the rulebooks, and where it stands."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from corpus.model import Role
from corpus.rulings.model import Authority
from service.schemas.base import ResponseModel
from service.schemas.fields import SpanPair


class StringSourceOut(ResponseModel):
    """A place in a string of a file of data: the characters of `spans` in the string at `pointer`
    are the evidence.
    """

    file: str = Field(description="Its path in the folder of its game.")
    sha256: str = Field(
        description="The SHA-256 of the bytes of the file.", pattern="^[0-9a-f]{64}$"
    )
    pointer: str = Field(
        description="A JSON pointer (RFC 6901) to the string; into YAML as into the JSON of the same data, into CSV as into a list of "
        "objects, one a row.",
        examples=["/12/answer"],
    )
    spans: list[SpanPair] = Field(description="Where it stands, in characters of the string.")


class LeadInOut(ResponseModel):
    """What a rulebook prints before a passage and leads in to it: to be read with it, no part of
    the evidence.
    """

    text: str = Field(description="As printed, the text of `span`.")
    display: str = Field(description="For readers, as that of a passage.")
    span: SpanPair = Field(
        description="Where it stands, in characters of the text of the document."
    )


class LayerCitationOut(ResponseModel):
    """Where a ruling or a text of a card stands. What only rulebooks have is null."""

    label: str = Field(
        description="For readers, in the language of the question: what it is, who has ruled so and when, where it was published."
    )
    edition: str | None = Field(default=None, description="Always null: it is of no edition.")
    game: str = Field(description="The game.")
    language: str = Field(description="The language that it is in.")
    version: str | None = Field(default=None, description="Always null: it has none.")
    entry: str | None = Field(default=None, description="Always null: it stands in no entry.")
    heading: str = Field(description="The cards that it is about, else its id.")
    kind: Literal["ruling", "card", "erratum"] = Field(description="What it is.")
    number: str | None = Field(description="The printed number of the card.")
    page: int | None = Field(default=None, description="Always null: it stands on no page.")
    url: str = Field(description="Its page on this service.")
    published: str | None = Field(description="The address where it was published, if known.")
    source: StringSourceOut = Field(description="The place in the file.")


class QuotedStringOut(ResponseModel):
    """Another string, quoted word for word, with its place."""

    text: str = Field(description="The words as they stand in the file.")
    source: StringSourceOut = Field(description="The place in the file.")


class LayerPassageOut(ResponseModel):
    """What passages beside the rulebooks have in common; they have the fields of a passage as far
    as those apply.
    """

    rank: int | None = Field(description="From 1, the best of all layers first.")
    score: float | None = Field(
        description="From 0 to 1: how sure it is that it belongs to the question."
    )
    text: str = Field(
        description="As it stands in the file, to be checked by pointer and spans of the citation."
    )
    display: str = Field(description="For readers: markup gone, symbols as signs.")
    context: LeadInOut | None = Field(
        default=None, description="Always null: nothing leads in to it."
    )
    repaired: str | None = Field(default=None, description="Always null: nothing is misread.")
    highlights: list[SpanPair] = Field(
        description="What in `text` answers, as offsets into it, in order."
    )
    role: Role = Field(description="`void`: something else holds in its place.")
    depth: Literal[0] = Field(default=0, description="Always 0: it is no bullet.")


class RulingPassageOut(LayerPassageOut):
    """A ruling: its answer, word for word."""

    layer: Literal["ruling"] = Field(default="ruling", description="Always `ruling`.")
    citation: LayerCitationOut = Field(description="Where it stands.")
    id: str = Field(description="The id of the ruling.")
    authority: Authority = Field(description="Who has ruled so: the publisher, or the house.")
    date: str | None = Field(
        description="The day of the ruling, as ISO 8601 writes it; null where it is not known."
    )
    question: QuotedStringOut | None = Field(
        description="What was asked, where the ruling says it."
    )
    cards: list[str] = Field(description="The cards that it is about, as its file calls them.")
    settles: bool = Field(description="Whether it is an official ruling on the very question.")
    other_card: bool = Field(
        description="Whether it is on a single card that the question does not name: then it stands behind the rulebook."
    )
    older: bool = Field(
        description="Whether it is older than the rulebook, which settles the point now."
    )
    superseded_by: str | None = Field(description="The id of the ruling that holds in its place.")


class CardPassageOut(LayerPassageOut):
    """A text of a card, printed on it or of an erratum."""

    layer: Literal["card"] = Field(default="card", description="Always `card`.")
    citation: LayerCitationOut = Field(description="Where it stands.")
    card: str = Field(description="The id of the card in its game.")
    date: str | None = Field(
        description="The day of an erratum; null where it is not known, or of a printed text."
    )


class BasisOut(ResponseModel):
    """A rule that a ruling rests on: an entry by its id, or a rule by its number."""

    entry: str | None = Field(
        description="The id of the entry; null where a rule is named by its number."
    )
    number: str | None = Field(description="The number of the rule; null where an entry is named.")
    wording: str | None = Field(
        description="The SHA-256 of what the rule said when the ruling was made or confirmed."
    )


class LoadedRulingOut(ResponseModel):
    """A ruling that stands outside the rulebooks, in a file of its own."""

    id: str = Field(description="The id of the ruling.")
    game: str = Field(description="The game that it is about.")
    authority: Authority = Field(description="Who has ruled so: the publisher, or the house.")
    date: str | None = Field(description="The day it was made, as ISO 8601 writes it.")
    language: str = Field(description="The language of the answer.")
    cards: list[str] = Field(
        description="The cards that it is about, by the names or ids that its file has."
    )
    question: QuotedStringOut | None = Field(
        description="What was asked; null where the ruling does not say it."
    )
    answer: QuotedStringOut = Field(description="What was ruled, word for word.")
    publication: str | None = Field(description="Where it was published.")
    published: str | None = Field(description="The address where it was published.")
    author: str | None = Field(description="Who wrote a ruling of the house.")
    rests_on: list[BasisOut] = Field(description="The rules that it rests on.")
    superseded_by: str | None = Field(description="The id of the ruling that holds in its place.")
    url: str = Field(description="Its page on this service.")
