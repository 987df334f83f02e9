"""Create the Flask application: the API, the pages, and the handlers of every request and
response.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from flask import Flask, request, url_for
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
    errors,
    headers,
    localization,
    logs,
    old_addresses,
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

_ENCODINGS = ["zstd", "br", "gzip"]  # in order of preference
_COMPRESSED = [
    *(f"text/{kind}" for kind in ("css", "csv", "html", "javascript", "plain")),
    *(f"application/{kind}" for kind in ("json", "problem+json", "x-tbx", "x-tmx")),
    "image/svg+xml",
]


class RegulaApp(Flask):
    """A Flask application that reads requests strictly."""

    request_class = requests.StrictRequest

    def get_send_file_max_age(self, filename: str | None) -> int | None:
        """Return how many seconds caches may keep a static file: a year if its address has its
        version.

        A script imported by another one has no version in its address, and is revalidated each
        time.
        """
        return 365 * 24 * 3600 if "v" in request.args else None

    def route_of(self, method: str, path: str) -> str:
        """Return the route of a request, such as ``/v1/editions/<id>``; "none" without one."""
        try:
            return self.url_map.bind("").match(path, method, return_rule=True)[0].rule
        except HTTPException:
            return "none"


def create_app(
    indexes: IndexSource, settings: Settings | None = None, desk: bool = True
) -> RegulaApp:
    """Create the application that answers from ``indexes``, by default with default settings.

    With ``desk``, a caller from the same machine is taken for the owner. Behind a proxy that would
    be wrong, since all calls come from the proxy.
    """
    settings = settings or Settings.model_construct()
    app = RegulaApp(__name__)
    app.config.from_mapping(REGULA=settings, DESK=desk)
    app.url_map.merge_slashes = False  # no redirects to a guessed address
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    request_context.register(app, indexes, assistant_for_visitors(settings))
    # After-request handlers run in reverse order: logs see the result of all others.
    logs.register(app, settings)
    headers.add_vary(app, settings)
    if settings.compress:
        app.before_request(_leave_refused_encodings)
        # API responses are compressed with a fast level: they must be ready in milliseconds.
        app.config.from_mapping(
            COMPRESS_MIMETYPES=_COMPRESSED,
            COMPRESS_ALGORITHM=_ENCODINGS,
            COMPRESS_LEVEL=4,
            COMPRESS_MIN_SIZE=1024,
        )
        Compress(app)
    app.before_request(requests.check_request)
    protection.protect(app, settings)
    headers.register(app)
    localization.register(app)
    old_addresses.register(app)
    for blueprint in (api, health, pages):
        app.register_blueprint(blueprint)
    if settings.docs:
        openapi.register(app)
    errors.register(app)
    _add_template_globals(app)
    return app


def _leave_refused_encodings() -> None:
    """Rewrite Accept-Encoding to name each accepted encoding, because Flask-Compress reads it there
    and knows neither that a weight of 0 refuses one nor what "*" covers.
    """
    accepted = {each.lower(): weight for each, weight in request.accept_encodings}
    others = accepted.pop("*", 0)
    weights = {each: accepted.get(each, others) for each in _ENCODINGS}
    weights["identity"] = accepted.get("identity", 0)
    request.environ["HTTP_ACCEPT_ENCODING"] = ", ".join(
        f"{each};q={weight}" for each, weight in weights.items() if weight
    )


def _add_template_globals(app: Flask) -> None:
    versions = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        for path in Path(app.static_folder or "").iterdir()
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
