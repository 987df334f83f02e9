"""Errors as responses: problem+json (RFC 9457) for programs, a page for people."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, current_app, g, render_template, request
from werkzeug.exceptions import HTTPException

from index.store.protocol import StoreUnreachable
from service.core.i18n import N_
from service.core.problems import SLUGS, Problem

API_PATHS = ("/v1", "/healthz", "/readyz", "/metrics", "/openapi.json")
RETRY_SECONDS = 5  # seconds after which asking again makes sense while an index is being built, or its store does not answer

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
_OTHERWISE = (N_("This request cannot be answered"), "The address asks for something that this page does not do.")


def problem_json(status: int, detail: str, field: str | None = None) -> dict[str, Any]:
    """Return the problem+json object of a problem with the current request."""
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


def is_api_path(path: str) -> bool:
    """Tell whether ``path`` is one that programs call, so that errors there are problem+json."""
    return any(path == start or path.startswith(start + "/") for start in API_PATHS)


def _respond(
    status: int, detail: str, field: str | None = None, headers: dict[str, str] | None = None, page: tuple[str, str] | None = None
) -> Response:
    if is_api_path(request.path):
        response = Response(
            json.dumps(problem_json(status, detail, field), ensure_ascii=False) + "\n",
            status,
            content_type="application/problem+json",
        )
    else:
        heading, advice = page or _PAGES.get(status, _OTHERWISE if status < 500 else _PAGES[500])
        response = Response(render_template("error.html", status=status, heading=heading, advice=advice), status)
    response.headers.extend(headers or {})
    if status == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _from_problem(problem: Problem) -> Response:
    return _respond(problem.status, problem.detail, problem.field, page=problem.page)


def _from_unreachable_store(fault: StoreUnreachable) -> Response:
    current_app.logger.error("%s", fault)
    return _from_problem(Problem.no_store())


def _from_http_exception(error: HTTPException) -> Response:
    status = error.code or 500
    headers = {name: value for name, value in error.get_headers(request.environ) if name in ("Allow", "Retry-After")}
    return _respond(status, _DETAILS.get(status) or error.description or HTTPStatus(status).phrase, headers=headers)


def _from_fault(error: Exception) -> Response:
    # The path alone: what people ask is nobody's business.
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return _respond(500, _DETAILS[500])


def register(app: Flask) -> None:
    """Make every error of ``app`` problem+json or a page."""
    app.register_error_handler(Problem, _from_problem)
    app.register_error_handler(StoreUnreachable, _from_unreachable_store)
    app.register_error_handler(HTTPException, _from_http_exception)
    app.register_error_handler(Exception, _from_fault)
