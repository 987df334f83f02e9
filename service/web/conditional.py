"""Conditional requests: an index never changes, so the same address answered from the same index is the same answer."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Flask, Response, g, request

from service.core.problems import Problem
from service.web.localization import language
from service.web.request_context import current_snapshot

_PART = "/v1/"
_APART = "/v1/admin/"  # tells what is there now, not what is in an index


def register(app: Flask) -> None:
    """Give what is read from an index a tag, and answer 304 to who has it already."""
    app.before_request(_answer_not_modified)
    app.after_request(_add_tag)


def _answer_not_modified() -> Response | None:
    tag = _tag()
    if tag is not None and request.if_none_match.contains_weak(tag):
        return Response(status=304)
    return None


def _add_tag(response: Response) -> Response:
    if "snapshot" in g and g.snapshot is not None:
        response.headers["X-Regula-Index"] = g.snapshot.id
    if response.status_code in (200, 304) and (tag := _tag()) is not None:
        response.set_etag(tag, weak=True)  # weak: compressed or not, it is the same answer
    return response


def _tag() -> str | None:
    """The tag of what this request reads; None for what cannot be told by its address and the index alone."""
    if request.method not in ("GET", "HEAD") or not request.path.startswith(_PART) or request.path.startswith(_APART):
        return None
    try:
        index = current_snapshot().id
    except Problem:
        return None
    said = (*sorted(request.args.items(multi=True)), language())  # a page to print speaks the language of the browser
    return hashlib.sha256(repr((_program(), index, request.path, said)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@cache
def _program() -> str:
    """Another version of the service may say the same in other words."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).resolve().parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
