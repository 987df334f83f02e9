"""Headers of responses: what a page may load, which scripts of other sites may call the API (CORS),
and ``Vary``.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from flask import Flask, Response, request
from flask_cors import CORS
from werkzeug.wrappers import Response as BaseResponse

from service.ops.settings import Settings
from service.web.api_addresses import is_api_path

_IMAGES = "img-src 'self'"
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'self'; {_IMAGES}; script-src 'self'; connect-src 'self'; manifest-src 'self'; "
        "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SECURE = {"Strict-Transport-Security": "max-age=31536000"}  # believed by browsers over HTTPS alone


def allow_images_of(response: BaseResponse, address: str) -> None:
    """Let the page of ``response`` show pictures of the server of ``address``."""
    parts = urlsplit(address)
    policy = HEADERS["Content-Security-Policy"].replace(
        _IMAGES, f"{_IMAGES} {parts.scheme}://{parts.netloc}"
    )
    response.headers["Content-Security-Policy"] = policy


# The calls, and the addresses of versions that there are not, whose problem a script is to read
# too.
_ADDRESSES = (r"/v[0-9]+(?:/.*)?", r"/openapi\.json")
_METHODS = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]
_SENT = [
    "Content-Type",
    "Authorization",
    "If-None-Match",
    "If-Modified-Since",
    "If-Range",
    "Range",
    "X-Request-ID",
]
EXPOSED = (  # headers of an answer that a script may read, beside those that it always may
    *(
        "ETag",
        "Retry-After",
        "X-Request-ID",
        "X-Regula-Index",
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
    ),
    *(
        "Deprecation",
        "Sunset",
        "Link",
        "Allow",
        "Repr-Digest",
        "Accept-Ranges",
        "Content-Range",
        "Content-Disposition",
    ),
)
_AGE = 3600  # seconds for which a browser need not ask again whether it may


def allow_origins(app: Flask, settings: Settings) -> None:
    """Let browsers read what ``app`` answers scripts of the origins that ``settings`` name; of none
    where they name none.
    """
    if settings.cors_origins:
        CORS(
            app,
            resources={path: {"origins": list(settings.cors_origins)} for path in _ADDRESSES},
            methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=list(EXPOSED),
            max_age=_AGE,
            vary_header=False,  # `add_vary` says it
        )


def depends_on_origin(path: str, settings: Settings) -> bool:
    """Tell whether an answer at ``path`` is another one for scripts of another origin."""
    named = set(settings.cors_origins) - {"*"}
    return bool(named) and any(re.fullmatch(address, path, re.DOTALL) for address in _ADDRESSES)


def add_vary(app: Flask, settings: Settings) -> None:
    """Add the header ``Vary`` to every answer of ``app``: what of a request the answer depends on,
    the same for every answer of an address.

    Whatever its status: a cache compares a later request with the one that it has stored (RFC 9110,
    12.5.5).
    """

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
