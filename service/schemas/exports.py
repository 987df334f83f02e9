"""Files of whole editions, and the list of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.schemas.base import RequestParams, ResponseModel
from service.schemas.passage import EFFECTIVE


class ExportPathParams(RequestParams):
    """Which edition."""

    edition_id: Annotated[str, Field(description="The id of an edition: see GET /v1/export.")]


class ExportedEditionOut(ResponseModel):
    """The file of one edition: gzip (RFC 1952) of JSON Lines, an entry a line."""

    edition: Annotated[str, Field(description="The id of the edition.")]
    game: Annotated[str, Field(description="The game that it is of.")]
    language: Annotated[str, Field(description="The language that it is in, as a BCP 47 tag.")]
    version: Annotated[str, Field(description="Its version, as its id has it.")]
    title: Annotated[str, Field(description="What it is called.")]
    effective: Annotated[str | None, EFFECTIVE]
    url: Annotated[str, Field(description="The address of the file on this service.")]
    bytes: Annotated[int, Field(ge=0, description="The size of the file.")]
    lines: Annotated[int, Field(ge=0, description="How many lines it has, which are the entries of the edition.")]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="Of the bytes of the file; header Repr-Digest has it too.")]


class ExportsOut(ResponseModel):
    """The files of all editions that are loaded."""

    index: Annotated[str, Field(description="The index that they were made from.")]
    updated: Annotated[
        str,
        Field(description="When that index was built, their Last-Modified.", json_schema_extra={"format": "date-time"}),
    ]
    line: Annotated[str, Field(description="What describes a line: a JSON pointer into /openapi.json.")]
    exports: Annotated[list[ExportedEditionOut], Field(description="One for each edition.")]
