"""Ruling sheets: passages that a link cites, and what has become of them: ``GET /v1/sheet``."""

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
    """What became of the words of a passage."""

    UNCHANGED = "unchanged"
    MOVED = "moved"  # the same words stand elsewhere
    RENUMBERED = "renumbered"  # the same but for numbers of rules
    REWORDED = "reworded"
    GONE = "gone"
    UNKNOWN = "unknown"  # neither the index nor what earlier ones have left has these words


_ONE_OR_SEVERAL = f"^[^,]+(,[^,]+){{0,{MOST_CITED - 1}}}$"


class SheetParams(RequestParams):
    """A ruling sheet, as its permanent link has it."""

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
    """Words that stand in the index that answers."""

    id: str
    """The id of the passage."""
    hash: str
    """Names its words in a link, behind the id."""
    text: str
    """As printed: the evidence."""
    display: str
    """The same for readers."""
    marks: list[SpanPair]
    """What in `display` was not among the words cited."""
    citation: CitationOut | LayerCitationOut
    """Where they stand."""


class FormerWordsOut(ResponseModel):
    """Words that the link cited and that are others now, as an earlier index had them."""

    text: str
    """As printed."""
    display: str
    """The same for readers."""
    marks: list[SpanPair]
    """What in `display` no longer stands there."""
    label: str
    """Where they stood: entry, edition, page or lines."""
    index: str
    """The index that had them last."""


class NewerWordsOut(ResponseModel):
    """The same passage in a newer version of its rulebook that is loaded beside it."""

    edition: str
    """The id of the newer edition."""
    change: SheetChange
    """What became of the words there."""
    now: list[SheetWordsOut]
    """What stands there."""


class SheetPassageOut(ResponseModel):
    """A passage of a sheet, and what has become of it."""

    id: str
    """As the link has it."""
    hash: str
    """As the link has it."""
    change: SheetChange
    """`moved`: the same words under another heading; `renumbered`: the same but for numbers of
    rules; `unknown`: no index has or had the words cited.
    """
    now: list[SheetWordsOut]
    """What stands there now, none where it is gone."""
    former: FormerWordsOut | None
    """The words cited, if they are known and others now."""
    replaced_by: str | None
    """The id of the edition loaded instead of the one cited."""
    nearest: LinkOut | None
    """The entry most like it, where it is gone."""
    newer: NewerWordsOut | None
    """What a newer version has that is loaded too, if any."""


class SheetOut(ResponseModel):
    """A ruling sheet: the words that its link cites, or exactly what has changed."""

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
    """How many of the passages are other than they were."""
    url: str
    """The permanent link."""
    passages: list[SheetPassageOut]
    """The passages in the order of the link."""
