"""Response headers: security policies, caching, CORS, and file names."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import PurePosixPath
from typing import TypeVar
from urllib.parse import quote, urlsplit

from flask import Flask, Response, g, request
from flask_cors import CORS
from werkzeug.wrappers import Response as BaseResponse

from index.files.durable import program_hash
from service.core.problems import Problem
from service.ops.comparison_reviews import reviews_stamp
from service.ops.settings import Settings
from service.web.localization import language
from service.web.request_context import current_snapshot, settings
from service.web.requests import is_api_path, is_old_script

R = TypeVar("R", bound=BaseResponse)

# Values of Cache-Control. Without one, a response is revalidated each time.
ASK_AGAIN = "no-cache"
NOTHING = "no-store"
AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"
FOR_GOOD = "public, max-age=31536000, immutable"  # for addresses that contain the version

# With "no-referrer", the policy of other pages, browsers hide the origin of a form from this site
# too.
REFERRER_POLICY = "same-origin"
_IMAGES = "img-src 'self'"
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'self'; {_IMAGES}; script-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# API calls, and addresses of unknown versions, so that a script can read their problem too.
_ADDRESSES = (r"/v[0-9]+(?:/.*)?", r"/openapi(?:-translators)?\.json")
_SENT = "Content-Type Authorization If-None-Match If-Modified-Since If-Range Range X-Request-ID"
# Response headers that a script may read, besides the safelisted ones.
EXPOSED = [
    "ETag",
    "Retry-After",
    "X-Request-ID",
    "X-Regula-Index",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Deprecation",
    "Sunset",
    "Link",
    "Allow",
    "Repr-Digest",
    "Accept-Ranges",
    "Content-Range",
    "Content-Disposition",
]
# Responses that do not depend on the index alone, and files with tags of their own.
_NOT_TAGGED = ("/v1/admin/", "/v1/export/")


def register(app: Flask) -> None:
    """Add the headers of every response, and answer 304 to clients that have the answer.

    An index never changes, so the same request to the same index has the same answer.
    """
    app.before_request(_answer_not_modified)
    app.after_request(_add_tag)
    app.after_request(_add_headers)


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.pop("Date", None)  # set by the server
    if request.is_secure:  # browsers accept it over HTTPS alone
        response.headers["Strict-Transport-Security"] = "max-age=31536000"
    if response.mimetype == "text/html":
        response.content_language.add(language())
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", ASK_AGAIN)
    return response


def _answer_not_modified() -> Response | None:
    tag = _tag()
    if tag is not None and request.if_none_match.contains_weak(tag):
        return Response(status=304)
    return None


def _add_tag(response: Response) -> Response:
    if g.get("snapshot") is not None:
        response.headers["X-Regula-Index"] = g.snapshot.id
    if response.status_code in (200, 304) and (tag := _tag()) is not None:
        response.set_etag(tag, weak=True)  # weak: the same answer, compressed or not
    return response


def _tag() -> str | None:
    path = request.path
    if request.method not in ("GET", "HEAD") or not path.startswith("/v1/"):
        return None
    if path.startswith(_NOT_TAGGED) or "assist" in request.args:  # a model's reply differs
        return None
    try:
        index = current_snapshot().id
    except Problem:
        return None
    # Another version of the program may answer differently. Comparisons include reviews. A page to
    # print is in the browser's language. Some settings change answers; secrets are left out.
    program = program_hash(("corpus", "glossary", "index", "service"))
    reviews = reviews_stamp(settings().home) if path.startswith("/v1/compare/") else ""
    asked = (*sorted(request.args.items(multi=True)), language(), is_old_script(request))
    said = (program, settings().model_dump_json(), index, path, asked, reviews)
    return hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def private_page(response: R) -> R:
    """Keep browsers from storing a page for editors, and let its forms send their origin here."""
    response.headers["Cache-Control"] = NOTHING
    response.headers["Referrer-Policy"] = REFERRER_POLICY
    response.headers.pop("Regula-Index", None)  # marks pages to keep for reading offline
    return response


def allow_images_of(response: BaseResponse, address: str) -> None:
    """Let the page of ``response`` show images from the server of ``address``."""
    parts = urlsplit(address)
    response.headers["Content-Security-Policy"] = HEADERS["Content-Security-Policy"].replace(
        _IMAGES, f"{_IMAGES} {parts.scheme}://{parts.netloc}"
    )


def allow_origins(app: Flask, settings: Settings) -> None:
    """Let scripts of the origins in ``settings`` read the responses of ``app``."""
    if settings.cors_origins:
        CORS(
            app,
            resources={path: {"origins": list(settings.cors_origins)} for path in _ADDRESSES},
            methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
            allow_headers=_SENT.split(),
            expose_headers=EXPOSED,
            max_age=3600,
            vary_header=False,  # set by `add_vary`
        )


def depends_on_origin(path: str, settings: Settings) -> bool:
    """Return whether the response at ``path`` differs for scripts of another origin."""
    if path == "/v1/ask":
        return bool(settings.cors_origins)  # see `is_old_script`
    named = set(settings.cors_origins) - {"*"}
    return bool(named) and any(re.fullmatch(address, path, re.DOTALL) for address in _ADDRESSES)


def add_vary(app: Flask, settings: Settings) -> None:
    """Add the header ``Vary`` to every response of ``app``, with the same value for all responses
    of an address.

    The status does not matter: a cache compares a later request with the one stored with the
    response (RFC 9110, 12.5.5).
    """

    def add(response: Response) -> Response:
        # In this order on every response, whatever other handlers have added.
        named = []
        if is_api_path(request.path) or response.mimetype == "text/html":
            named += ["Accept-Language", "Cookie"]  # which choose the language
        if depends_on_origin(request.path, settings):
            named.append("Origin")
        if settings.compress:
            named.append("Accept-Encoding")
        response.vary.update(named)
        return response

    app.after_request(add)


def name_file(response: Response, name: str) -> None:
    """Have browsers show ``response`` and save it as ``name``, with all its characters (RFC 6266).

    For a document in the folder of a game, "game/file", the folder is left out.
    """
    name = PurePosixPath(name).name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    options = {"filename": plain.replace('"', "").replace("\\", "") or "document"}
    if plain != name:
        options["filename*"] = f"UTF-8''{quote(name.encode('utf-8', 'replace'), safe='')}"
    response.headers.set("Content-Disposition", "inline", **options)
