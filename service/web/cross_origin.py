"""Scripts of other web sites that may call the API from a browser (CORS), as the setting ``cors_origins`` names them."""

from __future__ import annotations

import re

from flask import Flask
from flask_cors import CORS

from service.ops.settings import Settings

# The calls, and the addresses of versions that there are not, whose problem a script is to read too.
_ADDRESSES = (r"/v[0-9]+(?:/.*)?", r"/openapi\.json")
_METHODS = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]
_SENT = ["Content-Type", "Authorization", "If-None-Match", "If-Modified-Since", "If-Range", "Range", "X-Request-ID"]
EXPOSED = (  # headers of an answer that a script may read, beside those that it always may
    *("ETag", "Retry-After", "X-Request-ID", "X-Regula-Index", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
    *("Deprecation", "Sunset", "Link", "Allow", "Repr-Digest", "Accept-Ranges", "Content-Range", "Content-Disposition"),
)
_AGE = 3600  # seconds for which a browser need not ask again whether it may


def register(app: Flask, settings: Settings) -> None:
    """Let browsers read what ``app`` answers scripts of the origins that ``settings`` name; of none where they name none."""
    if settings.cors_origins:
        CORS(
            app,
            resources={path: {"origins": list(settings.cors_origins)} for path in _ADDRESSES},
            methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=list(EXPOSED),
            max_age=_AGE,
            vary_header=False,  # `service.web.vary` says it
        )


def depends_on_origin(path: str, settings: Settings) -> bool:
    """Tell whether an answer at ``path`` is another one for scripts of another origin."""
    named = set(settings.cors_origins) - {"*"}
    return bool(named) and any(re.fullmatch(address, path, re.DOTALL) for address in _ADDRESSES)
