"""Ruling sheets: the passages that a permanent link cites, and how they have changed since (``GET
/v1/sheet``).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from index.ranking.confidence import Settlement
from service.schemas.base import RequestParams, ResponseModel
from service.schemas.fields import (
    MOST_CITED,
    LinkContext,
    LinkLanguage,
    LinkLayers,
    QuestionText,
    SpanPair,
)
from service.schemas.passage import CitationOut, LayerCitationOut, LinkOut

_PASSAGES = (
    f"The passages, at most {MOST_CITED}, divided by commas: each its id, and behind `~` the "
    "`hash` of the words that are cited, those of now without it. Rulings are "
    "rulings/GAME/RULING#1, texts of cards cards/GAME/CARD#0."
)
_AS_ASKED = "As the question was asked; not used where it is no longer loaded."


class SheetChange(StrEnum):
    """How the words of a cited passage have changed."""

    UNCHANGED = "unchanged"
    MOVED = "moved"  # the same words are printed elsewhere
    RENUMBERED = "renumbered"  # the same except for numbers of rules
    REWORDED = "reworded"
    GONE = "gone"
    UNKNOWN = "unknown"  # neither this index nor records of earlier ones have these words


_ONE_OR_SEVERAL = f"^[^,]+(,[^,]+){{0,{MOST_CITED - 1}}}$"


class SheetParams(RequestParams):
    """The parameters of the permanent link of a ruling sheet."""

    passages: str = Field(
        description=_PASSAGES, max_length=4000, json_schema_extra={"pattern": _ONE_OR_SEVERAL}
    )
    q: Annotated[QuestionText | None, BeforeValidator(lambda text: text or None)] = None
    edition: str | None = Field(None, max_length=200, description=_AS_ASKED)
    game: str | None = Field(None, max_length=200, description=_AS_ASKED)
    document: str | None = Field(None, max_length=200, description=_AS_ASKED)
    language: LinkLanguage | None = None
    layers: LinkLayers | None = None
    as_of: str | None = Field(None, max_length=20, description=_AS_ASKED)
    context: LinkContext | None = None
    made: str | None = Field(None, max_length=20)
    """The day the link was made (ISO 8601)."""


class SheetWordsOut(ResponseModel):
    """A passage in the index that answers."""

    id: str
    """The id of the passage."""
    hash: str
    """The hash of its words, for a link, after the id."""
    text: str
    """The text as printed: the evidence."""
    display: str
    """The text for readers."""
    marks: list[SpanPair]
    """The places in `display` that the cited words did not have."""
    citation: CitationOut | LayerCitationOut
    """The citation of the passage."""


class FormerWordsOut(ResponseModel):
    """The cited words, if changed since, as an earlier index had them."""

    text: str
    """The text as printed."""
    display: str
    """The text for readers."""
    marks: list[SpanPair]
    """The places in `display` that are no longer printed."""
    label: str
    """The former citation: entry, edition, page or lines."""
    index: str
    """The last index that had these words."""


class NewerWordsOut(ResponseModel):
    """The same passage in a newer version of its rulebook that is also loaded."""

    edition: str
    """The id of the newer edition."""
    change: SheetChange
    """How the words have changed there."""
    now: list[SheetWordsOut]
    """The passages of the newer edition."""


class SheetPassageOut(ResponseModel):
    """A cited passage of a sheet, and how it has changed since."""

    id: str
    """The id in the link."""
    hash: str
    """The hash in the link."""
    change: SheetChange
    """`moved`: the same words under another heading; `renumbered`: the same except for numbers of
    rules; `unknown`: no index has or had the cited words.
    """
    now: list[SheetWordsOut]
    """The passages now in this place; empty if gone."""
    former: FormerWordsOut | None
    """The cited words, if known and changed since."""
    replaced_by: str | None
    """The id of the edition loaded instead of the cited one."""
    nearest: LinkOut | None
    """The most similar entry, if the passage is gone."""
    newer: NewerWordsOut | None
    """The passage in a newer version that is also loaded, if any."""


class SheetOut(ResponseModel):
    """A ruling sheet: the passages that its link cites, with all changes since."""

    question: str | None
    """The question of the link, if any."""
    context: list[str]
    """The questions that it was read with, the oldest first."""
    settled: Settlement | None
    """Whether the question is settled; null if no passage is of its answer."""
    made: str | None = Field(json_schema_extra={"format": "date"})
    """The day the link was made."""
    index: str
    """The index that answers."""
    changed: int = Field(ge=0)
    """The number of passages that have changed."""
    url: str
    """The permanent link."""
    passages: list[SheetPassageOut]
    """The passages in the order of the link."""
