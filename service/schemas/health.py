"""Problems, health and readiness, and what an administrator sees of the indexes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from service.schemas.base import Result


class ProblemDetails(Result):
    """A request that could not be answered, and why (RFC 9457)."""

    type: Annotated[str, Field(description="Which problem it is, for programs to tell problems apart; stable.")]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: Annotated[str, Field(description="What is wrong and what to do, for people, in English.")]
    instance: Annotated[str, Field(description="The address that was called.")]
    field: Annotated[str | None, Field(description="The parameter or field at fault.")] = None
    request: Annotated[str | None, Field(description="Names this request in the log, as header X-Request-ID does.")] = None


class Alive(Result):
    """The service runs."""

    status: Literal["ok"]


class Ready(Result):
    """An index is loaded."""

    status: Literal["ready"]
    index: str
    built: str
    editions: int
