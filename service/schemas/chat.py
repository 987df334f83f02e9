"""Answers as messages for a chat: ``/v1/message``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from index.ranking.confidence import Settlement
from service.schemas.answer import AS_OF, SETTLED
from service.schemas.base import ResponseModel
from service.schemas.layers import LayerCitationOut
from service.schemas.limits import LEAST_MESSAGE, MESSAGE_LIMITS, MessageFormat
from service.schemas.passage import CitationOut


class ChatMessageOut(ResponseModel):
    """A message: the best passage quoted, intact or visibly cut, with its citation and link; the next ones cited."""

    question: str = Field(description="The question as it was asked.")
    language: str = Field(description="Language of the question, which the message speaks around the quotation.")
    answered: bool = Field(description="Whether a passage settles the question; the message says so where none does.")
    settled: Annotated[Settlement, SETTLED]
    confidence: float = Field(ge=0, le=1, description="The probability that the first passage settles the question.")
    index: str = Field(description="The index that answered.")
    format: MessageFormat = Field(description="What the message is written in.")
    message: str = Field(description="The message, ready to be sent.")
    length: int = Field(ge=1, description="Length of the message in UTF-16 code units.")
    limit: int = Field(ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()), description="The most it may have.")
    cut: bool = Field(description="Whether the quotation is cut, which it shows by […].")
    citations: list[CitationOut | LayerCitationOut] = Field(description="What the message quotes, first, and cites, in its order.")
    as_of: Annotated[str | None, AS_OF] = None


class CardMessageOut(ResponseModel):
    """A message on a card: its name, its texts and the newest rulings on it, quoted intact or visibly cut, each with its citation."""

    card: str = Field(description="The id of the card.")
    game: Annotated[str, Field(description="The game of the card.")]
    name: str = Field(description="What it is called in the language asked for, else in English.")
    url: str = Field(description="Its page on this service.")
    language: str = Field(description="The language that the message speaks around the quotations.")
    index: str = Field(description="The index that answered.")
    format: MessageFormat = Field(description="What the message is written in.")
    message: str = Field(description="The message, ready to be sent.")
    length: int = Field(ge=1, description="Length of the message in UTF-16 code units.")
    limit: int = Field(ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()), description="The most it may have.")
    cut: bool = Field(description="Whether a quotation is cut, which it shows by […].")
    citations: list[LayerCitationOut] = Field(description="What the message quotes, in its order.")
