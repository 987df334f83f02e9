"""What clients say of an answer, and what of it is kept."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from service.schemas.answer import AskedBody
from service.schemas.base import RequestBody, RequestParams, ResponseModel
from service.schemas.fields import (
    AsOf,
    Context,
    SpanPair,
)

GivenVerdict = Literal["hit", "miss"]
_VERDICT = "hit: the passage settles the question. miss: it does not; without `passage`, none of the passages of the answer does."


def _lacking(field: str, type: str = "string") -> dict[str, Any]:
    """Return the schema of an object that has no ``field``, or null there."""
    return {"not": {"required": [field], "properties": {field: {"type": type}}}}


class PassageReferenceBody(RequestBody):
    """A passage, by its marker or by what its citation says."""

    # Said by `not`: generators make unions of what `anyOf` says of an object.
    model_config = ConfigDict(
        title="PassageReference",
        json_schema_extra={"not": {"allOf": [_lacking("marker"), _lacking("entry")]}},
    )

    marker: str | None = Field(
        default=None, max_length=80, description="As POST /v1/context gives it: r:3076c5a6."
    )
    entry: str | None = Field(default=None, max_length=500, description="`citation.entry`.")
    spans: list[SpanPair] | None = Field(
        default=None,
        max_length=100,
        description="`citation.source.spans`; not needed where the entry has one passage.",
    )


class FeedbackBody(AskedBody):
    """What somebody says of the answer to a question; edition, game, document, language and day as
    they were asked with.
    """

    model_config = ConfigDict(
        title="Feedback",
        json_schema_extra={
            "not": {"properties": {"verdict": {"const": "hit"}}, **_lacking("passage", "object")}
        },
    )

    verdict: GivenVerdict = Field(description=_VERDICT)
    passage: PassageReferenceBody | None = Field(
        default=None, description="The passage that it is said of; needed with `hit`."
    )
    index: str | None = Field(
        default=None,
        max_length=100,
        description="The `index` that answered. Where another one serves by now, the passage is looked up in that.",
    )
    as_of: AsOf | None = None
    context: Context | None = None


class FeedbackParams(RequestParams):
    """Which feedback."""

    id: str = Field(description="As POST /v1/feedback gave it.")


class FeedbackOut(ResponseModel):
    """What is kept."""

    model_config = ConfigDict(title="KeptFeedback")

    id: str = Field(description="Takes it back: DELETE /v1/feedback/{id}. Nobody else is told it.")
    verdict: GivenVerdict = Field(description="What was said.")
    index: str = Field(description="The index that the passage was looked up in.")
    rank: int | None = Field(
        description="The place of the passage in the answer; null where it is not among the first twenty."
    )


class FeedbackUndoneOut(ResponseModel):
    """What is taken back."""

    model_config = ConfigDict(title="UndoneFeedback")

    id: str = Field(description="The id of what is taken back.")
    undone: Literal[True] = Field(default=True, description="Always true.")
