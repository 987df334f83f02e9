"""Rulings and texts of cards: what is quoted beside the rulebooks, and where it stands."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Role
from corpus.rulings.model import Authority
from service.schemas.base import ResponseModel
from service.schemas.fields import SpanPair


class StringSourceOut(ResponseModel):
    """A place in a string of a file of data: the characters of `spans` in the string at `pointer` are the evidence."""

    file: Annotated[str, Field(description="Its path in the folder of its game.")]
    sha256: Annotated[str, Field(description="The SHA-256 of the bytes of the file.", pattern="^[0-9a-f]{64}$")]
    pointer: Annotated[
        str,
        Field(
            description="A JSON pointer (RFC 6901) to the string; into YAML as into the JSON of the same data, into CSV as into a list of "
            "objects, one a row.",
            examples=["/12/answer"],
        ),
    ]
    spans: Annotated[list[SpanPair], Field(description="Where it stands, in characters of the string.")]


class LeadInOut(ResponseModel):
    """What a rulebook prints before a passage and leads in to it: to be read with it, no part of the evidence."""

    text: Annotated[str, Field(description="As printed, the text of `span`.")]
    display: Annotated[str, Field(description="For readers, as that of a passage.")]
    span: Annotated[SpanPair, Field(description="Where it stands, in characters of the text of the document.")]


class LayerCitationOut(ResponseModel):
    """Where a ruling or a text of a card stands. What only rulebooks have is null."""

    label: Annotated[
        str,
        Field(description="For readers, in the language of the question: what it is, who has ruled so and when, where it was published."),
    ]
    edition: Annotated[str | None, Field(description="Always null: it is of no edition.")] = None
    game: Annotated[str, Field(description="The game.")]
    language: Annotated[str, Field(description="The language that it is in.")]
    version: Annotated[str | None, Field(description="Always null: it has none.")] = None
    entry: Annotated[str | None, Field(description="Always null: it stands in no entry.")] = None
    heading: Annotated[str, Field(description="The cards that it is about, else its id.")]
    kind: Annotated[Literal["ruling", "card", "erratum"], Field(description="What it is.")]
    number: Annotated[str | None, Field(description="The printed number of the card.")]
    page: Annotated[int | None, Field(description="Always null: it stands on no page.")] = None
    url: Annotated[str, Field(description="Its page on this service.")]
    published: Annotated[str | None, Field(description="The address where it was published, if known.")]
    source: Annotated[StringSourceOut, Field(description="The place in the file.")]


class QuotedStringOut(ResponseModel):
    """Another string, quoted word for word, with its place."""

    text: Annotated[str, Field(description="The words as they stand in the file.")]
    source: Annotated[StringSourceOut, Field(description="The place in the file.")]


class LayerPassageOut(ResponseModel):
    """What passages beside the rulebooks have in common; they have the fields of a passage as far as those apply."""

    rank: Annotated[int | None, Field(description="From 1, the best of all layers first.")]
    score: Annotated[float | None, Field(description="From 0 to 1: how sure it is that it belongs to the question.")]
    text: Annotated[str, Field(description="As it stands in the file, to be checked by pointer and spans of the citation.")]
    display: Annotated[str, Field(description="For readers: markup gone, symbols as signs.")]
    context: Annotated[LeadInOut | None, Field(description="Always null: nothing leads in to it.")] = None
    repaired: Annotated[str | None, Field(description="Always null: nothing is misread.")] = None
    highlights: Annotated[list[SpanPair], Field(description="What in `text` answers, as offsets into it, in order.")]
    role: Annotated[Role, Field(description="`void`: something else holds in its place.")]
    depth: Annotated[Literal[0], Field(description="Always 0: it is no bullet.")] = 0


class RulingPassageOut(LayerPassageOut):
    """A ruling: its answer, word for word."""

    layer: Annotated[Literal["ruling"], Field(description="Always `ruling`.")] = "ruling"
    citation: Annotated[LayerCitationOut, Field(description="Where it stands.")]
    id: Annotated[str, Field(description="The id of the ruling.")]
    authority: Annotated[Authority, Field(description="Who has ruled so: the publisher, or the house.")]
    date: Annotated[str | None, Field(description="The day of the ruling, as ISO 8601 writes it; null where it is not known.")]
    question: Annotated[QuotedStringOut | None, Field(description="What was asked, where the ruling says it.")]
    cards: Annotated[list[str], Field(description="The cards that it is about, as its file calls them.")]
    settles: Annotated[bool, Field(description="Whether it is an official ruling on the very question.")]
    other_card: Annotated[
        bool, Field(description="Whether it is on a single card that the question does not name: then it stands behind the rulebook.")
    ]
    older: Annotated[bool, Field(description="Whether it is older than the rulebook, which settles the point now.")]
    superseded_by: Annotated[str | None, Field(description="The id of the ruling that holds in its place.")]


class CardPassageOut(LayerPassageOut):
    """A text of a card, printed on it or of an erratum."""

    layer: Annotated[Literal["card"], Field(description="Always `card`.")] = "card"
    citation: Annotated[LayerCitationOut, Field(description="Where it stands.")]
    card: Annotated[str, Field(description="The id of the card in its game.")]
    date: Annotated[str | None, Field(description="The day of an erratum; null where it is not known, or of a printed text.")]


class BasisOut(ResponseModel):
    """A rule that a ruling rests on: an entry by its id, or a rule by its number."""

    entry: Annotated[str | None, Field(description="The id of the entry; null where a rule is named by its number.")]
    number: Annotated[str | None, Field(description="The number of the rule; null where an entry is named.")]
    wording: Annotated[str | None, Field(description="The SHA-256 of what the rule said when the ruling was made or confirmed.")]


class LoadedRulingOut(ResponseModel):
    """A ruling that stands outside the rulebooks, in a file of its own."""

    id: Annotated[str, Field(description="The id of the ruling.")]
    game: Annotated[str, Field(description="The game that it is about.")]
    authority: Annotated[Authority, Field(description="Who has ruled so: the publisher, or the house.")]
    date: Annotated[str | None, Field(description="The day it was made, as ISO 8601 writes it.")]
    language: Annotated[str, Field(description="The language of the answer.")]
    cards: Annotated[list[str], Field(description="The cards that it is about, by the names or ids that its file has.")]
    question: Annotated[QuotedStringOut | None, Field(description="What was asked; null where the ruling does not say it.")]
    answer: Annotated[QuotedStringOut, Field(description="What was ruled, word for word.")]
    publication: Annotated[str | None, Field(description="Where it was published.")]
    published: Annotated[str | None, Field(description="The address where it was published.")]
    author: Annotated[str | None, Field(description="Who wrote a ruling of the house.")]
    rests_on: Annotated[list[BasisOut], Field(description="The rules that it rests on.")]
    superseded_by: Annotated[str | None, Field(description="The id of the ruling that holds in its place.")]
    url: Annotated[str, Field(description="Its page on this service.")]
