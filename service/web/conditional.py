"""Conditional requests: an index never changes, so the same address answered from the same index is
the same answer.
"""

from __future__ import annotations

import hashlib

from flask import Flask, Response, g, request

from index.files.program import program_hash
from service.core.problems import Problem
from service.ops.comparison_reviews import reviews_stamp
from service.web.localization import language
from service.web.request_context import current_snapshot, settings

_TAGGED = "/v1/"
_REVIEWED = "/v1/compare/"  # has what people have said of differences, too
_NOT_TAGGED = (
    "/v1/admin/",
    "/v1/export/",
)  # what is there now, not what is in an index; files with tags of their own
_MODEL = "assist"  # the parameter by which an answer depends on what a model replies, or on whether one could be asked at all
_PACKAGES = ("corpus", "glossary", "index", "service")


def register(app: Flask) -> None:
    """Add a tag to what is read from an index, and answer 304 to clients that have it already."""
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
    """Return the tag of what this request reads; None where that depends on more than its address
    and the index.
    """
    if (
        request.method not in ("GET", "HEAD")
        or not request.path.startswith(_TAGGED)
        or request.path.startswith(_NOT_TAGGED)
    ):
        return None
    if _MODEL in request.args:
        return None
    try:
        index = current_snapshot().id
    except Problem:
        return None
    program = program_hash(
        _PACKAGES
    )  # another version of the program may answer otherwise, or in other words
    reviews = reviews_stamp(settings().home) if request.path.startswith(_REVIEWED) else ""
    asked = (
        *sorted(request.args.items(multi=True)),
        language(),
    )  # a page to print speaks the language of the browser
    ours = (
        settings().model_dump_json()
    )  # without secrets; some settings change what is answered, such as where links lead
    said = (program, ours, index, request.path, asked, reviews)
    return hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:32]
