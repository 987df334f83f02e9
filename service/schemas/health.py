"""Problems, health and readiness, and the list of indexes for administrators."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from service.schemas.base import RequestBody, ResponseModel


class ProblemDetails(ResponseModel):
    """A request that could not be answered, and why (RFC 9457)."""

    type: str
    """The kind of problem; stable."""
    title: str
    """The name of the status."""
    status: int = Field(ge=400, le=599)
    """The HTTP status of the response."""
    detail: str
    """What is wrong and what to do, in the language of `Accept-Language`: de, it or en."""
    instance: str
    """The address that was called."""
    field: str | None = None
    """The parameter or field at fault."""
    versions: list[str] | None = None
    """The base paths of the versions of the API."""
    request: str | None = None
    """The id of this request in the log."""


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
    """The time of the build (ISO 8601)."""
    editions: int
    """The number of editions."""
    stale: bool
    """Whether inputs of the index have changed since the build."""
    differs: list[Literal["program", "encoder", "settings", "rulebooks", "workspace", "layers"]]
    """The inputs that have changed; `layers` are cards and rulings."""
    unencoded: int
    """The number of texts of rulebooks without query variants that the general encoder still has to
    encode. Until then, their passages are found without it.
    """


class IndexOut(ResponseModel):
    """A stored index."""

    model_config = ConfigDict(title="Row")

    id: str
    """The id of the index."""
    built: str | None
    """The time of the build (ISO 8601), if readable."""
    editions: int | None
    """The number of editions, if readable."""
    passages: int | None
    """The number of passages, if readable."""
    encoder: str
    """The encoder; empty for the built-in one."""
    bytes: int
    """The size on disk."""
    current: bool
    """Whether it is published."""
    pinned: bool
    """Whether it stays published until the next build."""
    pulled: bool
    """Whether it was pulled from another machine."""
    whole: bool | None
    """Whether it is undamaged; null if not checked."""
    fault: str | None
    """The damage found, or null."""


class IndexesOut(ResponseModel):
    """The stored indexes, newest first."""

    model_config = ConfigDict(title="Kept")

    indexes: list[IndexOut]
    """The indexes, the newest first."""


class ServeBody(RequestBody):
    """The index to publish."""

    model_config = ConfigDict(title="Serve")

    index: str | None = None
    """The id of the index; by default the one before the published one."""


class ServingOut(ResponseModel):
    """The index that is published now."""

    index: str
    """The id of the index."""
