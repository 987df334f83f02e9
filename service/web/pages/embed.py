"""The component that other sites embed: the newest version at an address that stays, each version
at one whose file never changes.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from flask import Response, request

from service.core.problems import Problem
from service.web.pages.layout import pages

_FOLDER = Path(__file__).resolve().parents[1] / "embed"
_NAME = re.compile(r"regula-ask-(\d+)\.(\d+)\.(\d+)\.js")
_HOUR, _YEAR = (
    "public, max-age=3600, stale-while-revalidate=86400",
    "public, max-age=31536000, immutable",
)


@pages.get("/embed/regula-ask.js")
def embedded_component() -> Response:
    """The newest version of the component."""
    return _script(
        max(_versions(), key=lambda version: [int(part) for part in version.split(".")]), _HOUR
    )


@pages.get("/embed/<version>/regula-ask.js")
def embedded_component_version(version: str) -> Response:
    """One version of the component, for pages that name the hash of its file."""
    if version not in _versions():
        raise Problem.unknown("There is no such version of the component.")
    return _script(version, _YEAR)


def _script(version: str, caching: str) -> Response:
    code = _versions()[version]
    response = Response(code, mimetype="text/javascript")
    response.headers["Cache-Control"] = caching
    response.headers["Access-Control-Allow-Origin"] = (
        "*"  # a module is always fetched with CORS, and says nothing of its reader
    )
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.set_etag(hashlib.sha256(code).hexdigest()[:32], weak=True)
    response.make_conditional(request)
    return response


@cache
def _versions() -> dict[str, bytes]:
    """Return the file of each version."""
    return {
        ".".join(named.groups()): path.read_bytes()
        for path in _FOLDER.iterdir()
        if (named := _NAME.fullmatch(path.name))
    }
