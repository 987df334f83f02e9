"""Render errors as problem+json (RFC 9457) for programs and as a page for people."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, current_app, g, render_template, request
from werkzeug.exceptions import HTTPException

from index.store.protocol import StoreUnreachable
from service.core.i18n import N_, TranslatableText, translate
from service.core.jobs.stored_works import Preparing
from service.core.problems import SLUGS, TITLES, Problem
from service.editions.known_requests import progress
from service.web.localization import language
from service.web.request_context import current_snapshot
from service.web.requests import VERSIONS, is_api_path, is_other_version, meant_call

# Seconds until a retry makes sense while an index is built or its store does not answer.
RETRY_SECONDS = 5

_DETAILS = {
    404: N_("There is nothing at this address."),
    405: N_("This address does not take this method; header Allow says which it takes."),
    413: N_("The request is larger than this call takes."),
    416: N_("The file has no such part; header Content-Range says how long it is."),
    429: N_("Too many requests; header Retry-After says when to come back."),
    500: N_("Something went wrong here, not with the request. It has been written to the log."),
}
_NO_CALL = N_("There is no such call; /openapi.json describes those there are.")
_NO_CALL_BUT = N_(
    "There is no such call; /openapi.json describes those there are. Did you mean %(meant)s?"
)
_NO_VERSION = N_(
    "There is no such version of the API here; there are: %(versions)s. /openapi.json describes "
    "the calls."
)
_NO_VERSION_BUT = N_(
    "There is no such version of the API here; there are: %(versions)s. /openapi.json describes "
    "the calls. Did you mean %(meant)s?"
)
_PAGES = {  # heading and advice on the page for people
    404: (
        N_("This page does not exist"),
        N_(
            "The address may be mistyped, or the entry belongs to a rulebook that is not loaded "
            "here."
        ),
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
        N_(
            "There is no index yet. Building one takes a few minutes at most; then this page works."
        ),
    ),
}
_OTHERWISE = (
    N_("This request cannot be answered"),
    "The address asks for something that this page does not do.",
)


def problem_json(
    status: int, detail: TranslatableText, field: str | None, slug: str | None
) -> dict[str, Any]:
    """Return the problem+json object of a problem with the current request, in its language."""
    spoken = language()
    title = translate(spoken, TITLES[status]) if status in TITLES else HTTPStatus(status).phrase
    problem: dict[str, Any] = {
        "type": f"urn:regula:problem:{slug or SLUGS.get(status, str(status))}",
        "title": title,
        "status": status,
        "detail": detail.in_language(spoken),
        "instance": quote(request.path),
    }
    if field is not None:
        problem["field"] = field
    if status == 404 and is_other_version(request.path):
        problem["versions"] = list(VERSIONS)
    if "request_id" in g:
        problem["request"] = g.request_id
    return problem


def _respond(
    status: int,
    detail: TranslatableText,
    field: str | None = None,
    headers: dict[str, str] | None = None,
    page: tuple[str, str] | None = None,
    slug: str | None = None,
) -> Response:
    if is_api_path(request.path):
        body = json.dumps(problem_json(status, detail, field, slug), ensure_ascii=False) + "\n"
        response = Response(body, status, content_type="application/problem+json")
        response.content_language.add(language())
    else:
        heading, advice = page or _PAGES.get(status, _OTHERWISE if status < 500 else _PAGES[500])
        html = render_template("error.html", status=status, heading=heading, advice=advice)
        response = Response(html, status)
    response.headers.extend(headers or {})
    if status == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _from_preparing(preparing: Preparing) -> Response:
    """Return a response that says when to retry; a page shows the progress and reloads itself."""
    if is_api_path(request.path) or request.method != "GET":
        headers = {"Retry-After": str(RETRY_SECONDS)}
        return _respond(preparing.status, preparing.text, headers=headers)
    html = render_template("preparing.html", progress=progress(current_snapshot()))
    return Response(html, 202, {"Refresh": "2"})


def _from_problem(problem: Problem) -> Response:
    return _respond(
        problem.status, problem.text, problem.field, page=problem.page, slug=problem.slug
    )


def _from_unreachable_store(fault: StoreUnreachable) -> Response:
    current_app.logger.error("%s", fault)
    return _from_problem(Problem.no_store())


def _from_http_exception(error: HTTPException) -> Response:
    status = error.code or 500
    headers = {
        name: value
        for name, value in error.get_headers(request.environ)
        if name in ("Allow", "Retry-After", "Content-Range")
    }
    if status == 404 and is_api_path(request.path):
        meant = meant_call(request.path)
        values = {"versions": ", ".join(VERSIONS), "meant": meant}
        if is_other_version(request.path):
            detail = TranslatableText(_NO_VERSION_BUT if meant else _NO_VERSION, values)
        else:
            detail = TranslatableText(_NO_CALL_BUT if meant else _NO_CALL, values)
    else:
        said = _DETAILS.get(status) or error.description or HTTPStatus(status).phrase
        detail = TranslatableText(said)
    return _respond(status, detail, headers=headers)


def _from_fault(error: Exception) -> Response:
    # Only the path is logged: what people ask is private.
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return _respond(500, TranslatableText(_DETAILS[500]))


def register(app: Flask) -> None:
    """Have every error of ``app`` returned as problem+json or as a page."""
    app.register_error_handler(Problem, _from_problem)
    app.register_error_handler(Preparing, _from_preparing)
    app.register_error_handler(StoreUnreachable, _from_unreachable_store)
    app.register_error_handler(HTTPException, _from_http_exception)
    app.register_error_handler(Exception, _from_fault)
