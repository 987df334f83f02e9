"""Log lines: one for each request, as a JSON object or as text, with its id and without what was asked."""

from __future__ import annotations

import logging
import re
import secrets
import sys
import time

from flask import Flask, Response, g, request
from pythonjsonlogger.json import JsonFormatter

from service.core import metrics
from service.ops.settings import Settings

LOG = logging.getLogger("regula.request")
REQUEST_ID = "regula.request"  # in a WSGI environment: the id that the server gave to the request
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET_ENDPOINTS = frozenset({"health.alive", "health.ready", "health.count", "static"})  # asked for all the time; logged at level debug


def configure(settings: Settings) -> None:
    """Log to standard error as ``settings`` say; for the whole process."""
    handler = logging.StreamHandler(sys.stderr)
    if settings.log_format == "json":
        fields = {"levelname": "level", "name": "logger", "asctime": "time"}
        handler.setFormatter(
            JsonFormatter(
                "%(asctime)s %(levelname)s %(name)s %(message)s",
                rename_fields=fields,
                datefmt="%Y-%m-%dT%H:%M:%S%z",
                json_ensure_ascii=False,
            )
        )
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)


def request_id(given: str) -> str:
    """Return the id of a request: the caller's own, ``given``, so that its log and ours fit together; a new one for an odd one."""
    return given if _ID.fullmatch(given) else secrets.token_hex(8)


def register(app: Flask, settings: Settings) -> None:
    """Time, number and log the requests of ``app``."""

    def begin() -> None:
        g.begun = time.perf_counter()
        g.request_id = request.environ.get(REQUEST_ID) or request_id(request.headers.get("X-Request-ID", ""))

    def end(response: Response) -> Response:
        taken = time.perf_counter() - g.get("begun", time.perf_counter())
        response.headers["X-Request-ID"] = g.get("request_id", "")
        # The route, not the address: addresses hold questions, and there is no end of them.
        route = request.url_rule.rule if request.url_rule else "none"
        metrics.count_request(route, request.method if request.url_rule else "other", response.status_code, taken)
        level = logging.DEBUG if request.endpoint in _QUIET_ENDPOINTS else logging.INFO
        if LOG.isEnabledFor(level):
            fields = {
                "request": g.get("request_id"),
                "method": request.method,
                "route": route,
                "status": response.status_code,
                "ms": round(1000 * taken, 1),
                "bytes": response.content_length,
                "index": g.snapshot.id if g.get("snapshot") else None,
                "key": g.key.name if "key" in g else None,
                "answered": g.get("answered"),
            }
            if settings.log_questions and "asked" in g:
                fields["question"] = g.asked
            LOG.log(level, "%s %s %d", request.method, route, response.status_code, extra=fields)
        return response

    app.before_request(begin)
    app.after_request(end)
