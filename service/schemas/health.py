"""Problems, health and readiness, and what an administrator sees of the indexes."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from service.schemas.base import RequestBody, ResponseModel


class ProblemDetails(ResponseModel):
    """A request that could not be answered, and why (RFC 9457)."""

    type: str = Field(description="Which problem it is; stable.")
    title: str = Field(description="What the status is called.")
    status: int = Field(description="The HTTP status of the response.", ge=400, le=599)
    detail: str = Field(
        description="What is wrong and what to do, in the language of `Accept-Language`: de, it or "
        "en."
    )
    instance: str = Field(description="The address that was called.")
    field: str | None = Field(default=None, description="The parameter or field at fault.")
    versions: list[str] | None = Field(
        default=None,
        description="Where the calls of each version of the API begin.",
    )
    request: str | None = Field(default=None, description="Names this request in the log.")


class AliveOut(ResponseModel):
    """The service runs."""

    status: Literal["ok"] = Field(description="Always `ok`.")


class ReadyOut(ResponseModel):
    """An index is loaded."""

    status: Literal["ready"] = Field(description="Always `ready`.")
    index: str = Field(description="The id of the index.")
    built: str = Field(description="When it was built (ISO 8601).")
    editions: int = Field(description="How many editions it has.")
    stale: bool = Field(description="Whether a new one would be built from something else.")
    differs: list[Literal["program", "encoder", "settings", "rulebooks", "workspace", "layers"]] = (
        Field(description="What is another now; `layers` are cards and rulings.")
    )
    unencoded: int = Field(
        description="How many texts of rulebooks without query variants the general encoder has "
        "still to encode. Until then, their passages are found without it."
    )


class IndexOut(ResponseModel):
    """A kept index."""

    model_config = ConfigDict(title="Row")

    id: str = Field(description="The id of the index.")
    built: str | None = Field(description="When it was built (ISO 8601), if that can be read.")
    editions: int | None = Field(description="How many editions it has, if that can be read.")
    passages: int | None = Field(description="How many passages it has, if that can be read.")
    encoder: str = Field(description="Empty for the built-in one.")
    bytes: int = Field(description="What it takes on disk.")
    current: bool = Field(description="Whether it is published.")
    pinned: bool = Field(description="Whether it serves until the next build.")
    pulled: bool = Field(description="Whether it was pulled from another machine.")
    whole: bool | None = Field(description="Null where it was not looked at.")
    fault: str | None = Field(description="What is wrong with it; null where nothing is.")


class IndexesOut(ResponseModel):
    """The kept indexes, newest first."""

    model_config = ConfigDict(title="Kept")

    indexes: list[IndexOut] = Field(description="The newest first.")


class ServeBody(RequestBody):
    """Which index to go back to."""

    model_config = ConfigDict(title="Serve")

    index: str | None = Field(default=None, description="Its id; the one before by default.")


class ServingOut(ResponseModel):
    """The index that is published now."""

    index: str = Field(description="The id of the index.")
