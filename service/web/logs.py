"""Log one line for each request, as JSON or text, with its id and without the question."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time

from flask import Flask, Response, g, request

from service.core import metrics
from service.ops.settings import Settings

LOG = logging.getLogger("regula.request")
REQUEST_ID = "regula.request"  # key in the WSGI environment of the id that the server set

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_USUAL = {*logging.makeLogRecord({}).__dict__, "message", "asctime", "taskName"}
# Requested all the time, so logged at level debug.
_QUIET_ENDPOINTS = ("health.alive", "health.ready", "health.count", "static")


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object, with its `extra` fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of ``record``."""
        fields: dict[str, object] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exc_info"] = self.formatException(record.exc_info)
        if record.stack_info:
            fields["stack_info"] = self.formatStack(record.stack_info)
        own = {name: value for name, value in record.__dict__.items() if name not in _USUAL}
        return json.dumps(fields | own, ensure_ascii=False, default=str)


def configure(settings: Settings) -> None:
    """Log to standard error as ``settings`` say; for the whole process."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else plain)
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)


def request_id(given: str) -> str:
    """Return the id of a request: the caller's own, so that both logs match, unless it is
    malformed.
    """
    return given if _ID.fullmatch(given) else secrets.token_hex(8)


def register(app: Flask, settings: Settings) -> None:
    """Time, number and log the requests of ``app``."""

    def begin() -> None:
        g.begun = time.perf_counter()
        own = request.headers.get("X-Request-ID", "")
        g.request_id = request.environ.get(REQUEST_ID) or request_id(own)

    def end(response: Response) -> Response:
        taken = time.perf_counter() - g.get("begun", time.perf_counter())
        response.headers["X-Request-ID"] = g.get("request_id", "")
        # The route, not the address: addresses contain questions, and their number is unlimited.
        route = request.url_rule.rule if request.url_rule else "none"
        method = request.method if request.url_rule else "other"
        metrics.count_request(route, method, response.status_code, taken)
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
