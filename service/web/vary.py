"""The header ``Vary``: what of a request the answer depends on, the same for every answer that its address may have (RFC 9110, 12.5.5)."""

from __future__ import annotations

from flask import Flask, Response, request

from service.ops.settings import Settings
from service.web.api_addresses import is_api_path
from service.web.cross_origin import depends_on_origin


def register(app: Flask, settings: Settings) -> None:
    """Say it of every answer of ``app``, whatever its status: a cache compares a later request with the one that it has stored."""

    def add(response: Response) -> Response:
        # In this order on every answer, whatever other handlers have added.
        named = []
        if is_api_path(request.path) or response.mimetype == "text/html":
            named += ["Accept-Language", "Cookie"]  # which say the language
        if depends_on_origin(request.path, settings):
            named.append("Origin")
        if settings.compress:
            named.append("Accept-Encoding")
        response.vary.update(named)
        return response

    app.after_request(add)
