"""What is deprecated: ``GET /v1/deprecations``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.schemas.base import ResponseModel


class DeprecationOut(ResponseModel):
    """A field of a call that should no longer be used; it goes on working."""

    method: Annotated[str, Field(description="The HTTP method of the call.")]
    path: Annotated[str, Field(description="The address of the call, as the description of the API has it.")]
    field: Annotated[str, Field(description="The parameter, or the field of the body, that is deprecated.")]
    since: Annotated[str, Field(description="The day since which it is: header Deprecation.", json_schema_extra={"format": "date"})]
    sunset: Annotated[
        str | None,
        Field(
            description="The day from which on it may be gone: header Sunset; null where none is set.", json_schema_extra={"format": "date"}
        ),
    ]
    successor: Annotated[str, Field(description="The address to call instead; `{format}` stands for what the field says.")]
    reason: Annotated[str, Field(description="Why, in English.")]


class DeprecationsOut(ResponseModel):
    """Everything that is deprecated."""

    deprecations: Annotated[list[DeprecationOut], Field(description="The oldest first; mostly there are few.")]
