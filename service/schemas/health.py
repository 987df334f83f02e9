"""Problems, health and readiness, and what an administrator sees of the indexes."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from service.schemas.base import RequestBody, ResponseModel


class ProblemDetails(ResponseModel):
    """A request that could not be answered, and why (RFC 9457)."""

    type: str
    """Which problem it is; stable."""
    title: str
    """What the status is called."""
    status: int = Field(ge=400, le=599)
    """The HTTP status of the response."""
    detail: str
    """What is wrong and what to do, in the language of `Accept-Language`: de, it or en."""
    instance: str
    """The address that was called."""
    field: str | None = None
    """The parameter or field at fault."""
    versions: list[str] | None = None
    """Where the calls of each version of the API begin."""
    request: str | None = None
    """Names this request in the log."""


class AliveOut(ResponseModel):
    """The service runs."""

    status: Literal["ok"]
    """Always `ok`."""


class ReadyOut(ResponseModel):
    """An index is loaded."""

    status: Literal["ready"]
    """Always `ready`."""
    index: str
    """The id of the index."""
    built: str
    """When it was built (ISO 8601)."""
    editions: int
    """How many editions it has."""
    stale: bool
    """Whether a new one would be built from something else."""
    differs: list[Literal["program", "encoder", "settings", "rulebooks", "workspace", "layers"]]
    """What is another now; `layers` are cards and rulings."""
    unencoded: int
    """How many texts of rulebooks without query variants the general encoder has still to encode.
    Until then, their passages are found without it.
    """


class IndexOut(ResponseModel):
    """A kept index."""

    model_config = ConfigDict(title="Row")

    id: str
    """The id of the index."""
    built: str | None
    """When it was built (ISO 8601), if that can be read."""
    editions: int | None
    """How many editions it has, if that can be read."""
    passages: int | None
    """How many passages it has, if that can be read."""
    encoder: str
    """Empty for the built-in one."""
    bytes: int
    """What it takes on disk."""
    current: bool
    """Whether it is published."""
    pinned: bool
    """Whether it serves until the next build."""
    pulled: bool
    """Whether it was pulled from another machine."""
    whole: bool | None
    """Null where it was not looked at."""
    fault: str | None
    """What is wrong with it; null where nothing is."""


class IndexesOut(ResponseModel):
    """The kept indexes, newest first."""

    model_config = ConfigDict(title="Kept")

    indexes: list[IndexOut]
    """The newest first."""


class ServeBody(RequestBody):
    """Which index to go back to."""

    model_config = ConfigDict(title="Serve")

    index: str | None = None
    """Its id; the one before by default."""


class ServingOut(ResponseModel):
    """The index that is published now."""

    index: str
    """The id of the index."""
