"""The canonical texts of documents: what spans and lines of citations count in."""

from __future__ import annotations

from pathlib import PurePath

from flask import Response

from service.browse.documents import document_text
from service.schemas.entries import DocumentPathParams
from service.web.api.blueprints import READ, api
from service.web.file_names import name_file
from service.web.request_context import current_snapshot

_TEXT = {"description": "The text.", "content": {"text/plain": {"schema": {"type": "string"}}}}


@api.call("GET", "/documents/<sha256>/text", READ, _TEXT)
def document_as_text(path: DocumentPathParams) -> Response:
    """Give the text of a document that spans count in, as characters: of a text file the file itself, else what was extracted from it.

    `source.spans` of a citation are offsets into it, `source.lines` its lines from 1; its SHA-256 is `text_sha256`.
    """
    name, text = document_text(current_snapshot(), path.sha256)
    response = Response(text, mimetype="text/plain")
    name_file(response, f"{PurePath(name).stem}.txt")
    return response
