"""Whole editions as files, for programs that search in them themselves, and the texts of documents,
which citations count in.
"""

from __future__ import annotations

import base64
from datetime import UTC
from pathlib import PurePath

from flask import Response, request

from service.browse.documents import document_text
from service.core.i18n import N_
from service.core.problems import Problem
from service.editions.exports.edition_lines import (
    EXTENSION,
    MIMETYPE,
    described_file,
    edition_file,
    exports_out,
)
from service.schemas.entries import DocumentPathParams, ExportPathParams, ExportsOut
from service.web.api.blueprints import READ, api, json_response
from service.web.file_names import name_file
from service.web.request_context import current_snapshot, settings

_BYTES = {"content": {MIMETYPE: {"schema": {"type": "string", "format": "binary"}}}}
_FILE = {
    "description": "Gzip of JSON Lines, each of them a WholeEntry, as GET /v1/entries/{edition}/{slug} answers."
} | _BYTES
PART = {"description": "The part of the file that header Range asks for."} | _BYTES


@api.call("GET", "/export", READ, ExportsOut)
def exports() -> Response:
    """List the files of all editions, each with its size, its SHA-256 and the number of its lines.

    They are made when they are first asked for, which may take longer than a request: then the
    answer is 503, to be asked again.
    """
    _check_given()
    return json_response(exports_out(current_snapshot()))


@api.call("GET", f"/export/<edition_id>.{EXTENSION}", READ, _FILE)
def export(path: ExportPathParams) -> Response:
    """Give all of an edition as one file: a line of JSON for each entry, in document order.

    The bytes stay the same until the contents do: their SHA-256 is the tag of the answer. `Range`
    gives a part of them.
    """
    _check_given()
    snapshot = current_snapshot()
    edition = snapshot.edition(path.edition_id)
    raw, file = edition_file(snapshot, edition.id), described_file(snapshot, edition.id)
    response = Response(raw, content_type=MIMETYPE)
    response.headers.set("Content-Disposition", "attachment", filename=f"{edition.id}.{EXTENSION}")
    response.headers["Repr-Digest"] = (
        f"sha-256=:{base64.b64encode(bytes.fromhex(file.sha256)).decode()}:"
    )
    response.set_etag(file.sha256)
    response.last_modified = (
        snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    )
    response.make_conditional(request, accept_ranges=True, complete_length=len(raw))
    return response


def _check_given() -> None:
    if not settings().show_documents:
        raise Problem.unknown(N_("This service does not give out whole rulebooks."))


_TEXT = {"description": "The text.", "content": {"text/plain": {"schema": {"type": "string"}}}}


@api.call("GET", "/documents/<sha256>/text", READ, _TEXT)
def document_as_text(path: DocumentPathParams) -> Response:
    """Give the text of a document that spans count in, as characters: of a text file the file
    itself, else what was extracted from it.

    `source.spans` of a citation are offsets into it, `source.lines` its lines from 1; its SHA-256
    is `text_sha256`.
    """
    name, text = document_text(current_snapshot(), path.sha256)
    response = Response(text, mimetype="text/plain")
    name_file(response, f"{PurePath(name).stem}.txt")
    return response
