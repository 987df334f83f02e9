"""Rulings outside the rulebooks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.rulings.model import Authority
from service.schemas.base import ResponseModel
from service.schemas.layers import QuotedStringOut


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
