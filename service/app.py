"""The Flask application: the interface for programs, the pages for people, and what holds for every response."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from flask import Flask, Response, request, url_for

from service import problems, reading, wording
from service.answer import lines_name, url
from service.api import LARGEST, api, health
from service.desk import Desk
from service.pages import pages
from service.pages.layout import KINDS, LANGUAGES
from service.snapshot import Indexes
from service.wording import N_, gettext, language, ngettext

_YEAR = 365 * 24 * 3600

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; manifest-src 'self'; "
        "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def create_app(indexes: Indexes, settings: Mapping[str, object] | None = None) -> Flask:
    """The application that answers from ``indexes``; ``settings`` are Flask's own."""
    app = Flask(__name__)
    app.config.from_mapping(MAX_CONTENT_LENGTH=LARGEST, SEND_FILE_MAX_AGE_DEFAULT=_YEAR)
    app.config.from_mapping(settings or {})
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    app.extensions["regula"] = Desk(indexes)
    wording.register(app)
    app.register_blueprint(api)
    app.register_blueprint(health)
    app.register_blueprint(pages)
    problems.register(app)
    app.after_request(_finish)
    _equip(app)
    return app


def _finish(response: Response) -> Response:
    """What every response carries: no foreign content, no framing, no guessing of types."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.mimetype == "text/html":
        response.content_language.add(language())
        response.vary.update(["Accept-Language", "Cookie"])
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-cache")
    return response


def _equip(app: Flask) -> None:
    """Give the templates their words and helpers."""
    files = Path(app.static_folder or "")
    versions = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in files.iterdir() if path.is_file()}

    def asset(name: str) -> str:
        # The version in the address lets browsers keep the file for good.
        return url_for("static", filename=name, v=versions[name])

    app.jinja_env.globals.update(
        _=gettext,
        N_=N_,
        ngettext=ngettext,
        language=language,
        asset=asset,
        url=url,
        anchor=reading.anchor,
        lines_name=lines_name,
        KINDS=KINDS,
        LANGUAGES=LANGUAGES,
        REMARKS=reading.REMARKS,
    )
