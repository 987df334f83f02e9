"""Headers of responses to calls that use what is deprecated: Deprecation (RFC 9745), Sunset (RFC 8594), and a link to the successor."""

from __future__ import annotations

from datetime import UTC, date, datetime
from urllib.parse import quote, urlencode

from flask import Flask, Response, request
from werkzeug.http import http_date

from service.core.deprecations import DEPRECATIONS, Deprecation

HEADERS = ("Deprecation", "Link", "Sunset")
_BY_ENDPOINT = {f"api.{each.call}": each for each in DEPRECATIONS}
_LIST = "/v1/deprecations"


def register(app: Flask) -> None:
    """Have ``app`` say in every response to a deprecated call that it is one."""
    app.after_request(_announce)


def _announce(response: Response) -> Response:
    deprecation = _BY_ENDPOINT.get(request.endpoint or "")
    if deprecation is None or (request.method == "POST" and response.status_code >= 400):  # a body that was refused may be anything
        return response
    said = request.get_json() if request.method == "POST" else request.args
    if said.get(deprecation.field) is None:
        return response
    response.headers["Deprecation"] = f"@{int(_midnight(deprecation.since).timestamp())}"
    if deprecation.sunset is not None:
        response.headers["Sunset"] = http_date(_midnight(deprecation.sunset))
    if response.status_code < 400:
        response.headers.add("Link", f'<{_successor(deprecation, str(said[deprecation.field]))}>; rel="successor-version"')
    response.headers.add("Link", f'<{_LIST}>; rel="deprecation"; type="application/json"')
    return response


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _successor(deprecation: Deprecation, value: str) -> str:
    """The address to call instead of this one: what the field says is part of its path, or said there as it is here."""
    within = "{format}" in deprecation.successor
    template = deprecation.path if within and value == "json" else deprecation.successor
    places = {name: quote(str(given)) for name, given in (request.view_args or {}).items()}
    path = template.format(**places, format=quote(value, safe=""))
    asked = [(name, given) for name, given in request.args.items(multi=True) if not (within and name == deprecation.field)]
    return f"{path}?{urlencode(asked)}" if asked else path
