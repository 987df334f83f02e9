"""The Flask application: the interface for programs, the pages for people, and what holds for every
response.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from flask import Flask, Response, request, url_for
from flask_compress import Compress
from werkzeug.exceptions import HTTPException

from service.answers.citations import effective_label, entry_url, line_range
from service.browse import entry_view
from service.browse.card_page import symbol_runs
from service.core.i18n import N_, day_in_words
from service.core.snapshot import IndexSource
from service.ops.assistants import assistant_for_visitors
from service.ops.settings import Settings
from service.web import (
    conditional,
    errors,
    localization,
    logs,
    openapi,
    protection,
    request_context,
    requests,
)
from service.web.api import api, health
from service.web.localization import gettext, language, language_field, language_name, ngettext
from service.web.pages import pages
from service.web.pages.documents import page_link
from service.web.pages.layout import ASSIST_NOTES
from service.web.response_headers import HEADERS, SECURE, add_vary

_YEAR = 365 * 24 * 3600


class RegulaApp(Flask):
    """A Flask application that reads requests strictly."""

    request_class = requests.StrictRequest

    def get_send_file_max_age(self, filename: str | None) -> int | None:
        """Return how many seconds a static file may be taken from a cache: for good where its
        address has its version.

        A script that another one imports has none, and is asked for again.
        """
        return super().get_send_file_max_age(filename) if "v" in request.args else None

    def route_of(self, method: str, path: str) -> str:
        """Return the route of a request, such as ``/v1/editions/<id>``; "none" where there is
        none.
        """
        try:
            return self.url_map.bind("").match(path, method, return_rule=True)[0].rule
        except HTTPException:
            return "none"


def create_app(
    indexes: IndexSource, settings: Settings | None = None, desk: bool = True
) -> RegulaApp:
    """Create the application that answers from ``indexes``; without ``settings``, all of them are
    as by default.

    On a ``desk``, who calls from the same machine is its owner; elsewhere that may be a proxy for
    anybody.
    """
    settings = settings or Settings.model_construct()
    app = _empty_app(settings)
    app.config["DESK"] = desk
    request_context.register(app, indexes, assistant_for_visitors(settings))
    _add_handlers(app, settings)
    localization.register(app)
    app.register_blueprint(api)
    app.register_blueprint(health)
    app.register_blueprint(pages)
    if settings.docs:
        openapi.register(app)
    errors.register(app)
    _add_template_globals(app)
    return app


def _empty_app(settings: Settings) -> RegulaApp:
    """Return an application without any routes."""
    app = RegulaApp(__name__)
    app.config.from_mapping(SEND_FILE_MAX_AGE_DEFAULT=_YEAR, REGULA=settings)
    app.url_map.merge_slashes = (
        False  # an address is taken as it is, not redirected to what it may have meant
    )
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    return app


def _add_handlers(app: RegulaApp, settings: Settings) -> None:
    """Add what happens before and after every request.

    Handlers after a request run in the opposite order: logs see what all others made of the
    response.
    """
    logs.register(app, settings)
    add_vary(app, settings)
    if settings.compress:
        # What programs get is compressed quickly: an answer has to be there in milliseconds.
        app.config.from_mapping(
            COMPRESS_MIMETYPES=_COMPRESSED,
            COMPRESS_ALGORITHM=["zstd", "gzip"],
            COMPRESS_LEVEL=4,
            COMPRESS_MIN_SIZE=1024,
        )
        Compress(app)
    app.before_request(requests.check_request)
    protection.protect(app, settings)
    conditional.register(app)
    app.after_request(_add_headers)


_COMPRESSED = [
    "application/json",
    "application/problem+json",
    "application/x-tbx",
    "application/x-tmx",
    "image/svg+xml",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
    "text/plain",
]


def _add_headers(response: Response) -> Response:
    """Add the headers of every response: no foreign content, no framing, no guessing of types."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.pop("Date", None)  # which the server says
    if request.is_secure:
        response.headers.extend(SECURE)
    if response.mimetype == "text/html":
        response.content_language.add(language())
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-cache")
    return response


def _add_template_globals(app: Flask) -> None:
    """Give the templates their texts and helpers."""
    files = Path(app.static_folder or "")
    versions = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        for path in files.iterdir()
        if path.is_file()
    }

    def asset(name: str) -> str:
        # The version in the address lets browsers keep the file for good.
        return url_for("static", filename=name, v=versions[name])

    app.jinja_env.globals.update(
        _=gettext,
        N_=N_,
        ngettext=ngettext,
        language=language,
        language_field=language_field,
        asset=asset,
        entry_url=entry_url,
        anchor=entry_view.anchor,
        line_range=line_range,
        effective_label=effective_label,
        day_in_words=day_in_words,
        page_link=page_link,
        ASSIST_NOTES=ASSIST_NOTES,
        KINDS=entry_view.KINDS,
        REMARKS=entry_view.REMARKS,
        language_name=language_name,
        symbols=symbol_runs,
    )
