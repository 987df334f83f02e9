"""Problems: every error as RFC 9457 problem+json for programs, as a page for people."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, current_app, g, render_template, request
from werkzeug.exceptions import HTTPException

from service.core.i18n import N_

MACHINES = ("/v1", "/healthz", "/readyz", "/metrics", "/openapi.json")
RETRY = 5  # seconds after which asking again makes sense while an index is being built, or its store does not answer

SLUGS = {
    400: "malformed",
    401: "key-needed",
    403: "not-allowed",
    404: "unknown",
    405: "method-not-allowed",
    408: "too-slow",
    413: "too-large",
    414: "address-too-long",
    415: "unsupported-media-type",
    422: "out-of-range",
    429: "too-many-requests",
    431: "headers-too-large",
    500: "internal",
    503: "not-ready",
}
_DETAILS = {
    404: "There is nothing at this address.",
    405: "This address does not take this method; header Allow says which it takes.",
    413: "The request is larger than this call takes.",
    429: "Too many requests; header Retry-After says when to come back.",
    500: "Something went wrong here, not with the request. It has been written to the log.",
}
_PAGES = {  # heading and advice on the page for people
    404: (
        N_("This page does not exist"),
        N_("The address may be mistyped, or the entry belongs to a rulebook that is not loaded here."),
    ),
    429: (
        N_("Too many requests"),
        N_("Please wait a minute, then go on."),
    ),
    500: (
        N_("Something went wrong here"),
        N_("It was not your question. The fault has been written to the log."),
    ),
    503: (
        N_("The rulebooks are still being read"),
        N_("There is no index yet. Building one takes a few minutes at most; then this page works."),
    ),
}
_NO_STORE = (
    N_("The rulebooks cannot be searched right now"),
    N_("Where they are searched does not answer. Please try again in a few seconds."),
)
_OTHERWISE = (N_("This request cannot be answered"), "The address asks for something that this page does not do.")


class Problem(Exception):
    """A request that cannot be answered, and why: ``detail`` for people, ``field`` the parameter at fault.

    ``page`` is heading and advice for people where these are others than the status has.
    """

    def __init__(self, status: int, detail: str, field: str | None = None, page: tuple[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.field = field
        self.page = page

    @classmethod
    def malformed(cls, detail: str, field: str | None = None) -> Problem:
        """400: not a request that could be understood."""
        return cls(400, detail, field)

    @classmethod
    def unknown(cls, detail: str, field: str | None = None) -> Problem:
        """404: the thing addressed does not exist."""
        return cls(404, detail, field)

    @classmethod
    def out_of_range(cls, detail: str, field: str) -> Problem:
        """422: understood, but a value is not one that can be worked with."""
        return cls(422, detail, field)

    @classmethod
    def not_ready(cls) -> Problem:
        """503: no index is loaded."""
        return cls(503, "No index is loaded yet. It is being built, or `regula build` has to be run.")

    @classmethod
    def no_store(cls) -> Problem:
        """503: an index is loaded, but the store that it searches does not answer."""
        return cls(503, "Where the rulebooks are searched does not answer. Ask again in a few seconds.", page=_NO_STORE)


def body(status: int, detail: str, field: str | None = None) -> dict[str, Any]:
    """The problem+json object; ``type`` is stable, for programs to tell problems apart."""
    problem: dict[str, Any] = {
        "type": f"urn:regula:problem:{SLUGS.get(status, str(status))}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": quote(request.path),
    }
    if field is not None:
        problem["field"] = field
    if "request_id" in g:
        problem["request"] = g.request_id
    return problem


def for_machines(path: str) -> bool:
    """Whether ``path`` is one that programs call, so that errors there are problem+json."""
    return any(path == start or path.startswith(start + "/") for start in MACHINES)


def _respond(
    status: int, detail: str, field: str | None = None, headers: dict[str, str] | None = None, page: tuple[str, str] | None = None
) -> Response:
    if for_machines(request.path):
        response = Response(
            json.dumps(body(status, detail, field), ensure_ascii=False) + "\n",
            status,
            content_type="application/problem+json",
        )
    else:
        heading, advice = page or _PAGES.get(status, _OTHERWISE if status < 500 else _PAGES[500])
        response = Response(render_template("error.html", status=status, heading=heading, advice=advice), status)
    response.headers.extend(headers or {})
    if status == 503:
        response.headers["Retry-After"] = str(RETRY)
    return response


def _problem(problem: Problem) -> Response:
    return _respond(problem.status, problem.detail, problem.field, page=problem.page)


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    kept = {name: value for name, value in error.get_headers(request.environ) if name in ("Allow", "Retry-After")}
    return _respond(status, _DETAILS.get(status) or error.description or HTTPStatus(status).phrase, headers=kept)


def _fault(error: Exception) -> Response:
    # The path alone: what people ask is nobody's business.
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return _respond(500, _DETAILS[500])


def register(app: Flask) -> None:
    """Make every error of ``app`` a problem or a page."""
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _fault)
