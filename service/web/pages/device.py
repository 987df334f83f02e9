"""What runs on the device: offline pages and packs, what a reader keeps, the embedded component."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

from flask import Response, current_app, jsonify, request

from corpus.cards.model import Card
from corpus.model import Entry, Passage
from corpus.rulings.model import Ruling
from service.browse.bookmarks import BookmarkTarget, bookmark_target, fingerprints
from service.browse.entry_view import KINDS
from service.browse.offline_packs import pack_file
from service.core.problems import Problem
from service.web.localization import gettext as _
from service.web.localization import language
from service.web.pages.layout import games_with_editions, page, pages
from service.web.request_context import current_snapshot, settings

_KEPT = (".css", ".js", ".svg")  # static files that pages need offline


@pages.get("/offline")
def offline() -> Response:
    """The page shown without a network: what this browser has kept, what it can answer by itself;
    with script, such an answer.
    """
    snapshot = current_snapshot()
    packs = games_with_editions(snapshot.library) if settings().offline_packs else []
    return page(
        "offline.html",
        snapshot,
        packs=packs,
        kinds={kind.value: _(label) for kind, label in KINDS.items()},
    )


@pages.get("/offline/packs/<game>")
def offline_pack(game: str) -> Response:
    """What a browser loads to answer questions on a game, as gzipped JSON; HEAD says of which index
    it is, and how large.
    """
    if not settings().offline_packs:
        raise Problem.unknown("This service offers nothing to ask without a network.")
    snapshot = current_snapshot()
    pack = pack_file(snapshot, game)
    response = Response(pack, mimetype="application/gzip")
    response.headers["Regula-Index"] = snapshot.id
    response.set_etag(hashlib.sha256(pack).hexdigest()[:32])
    response.make_conditional(request)
    return response


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    return {"offline_packs": settings().offline_packs, "bookmark": _bookmark}


@pages.get("/manifest.webmanifest")
def manifest() -> Response:
    """The web app manifest, in the reader's language."""
    asset = _asset()
    icons = [
        {"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
        {"src": asset("icon-192.png"), "sizes": "192x192", "type": "image/png"},
        {"src": asset("icon-512.png"), "sizes": "512x512", "type": "image/png"},
        {
            "src": asset("icon-maskable.png"),
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        },
    ]
    response = jsonify(
        id="/",
        name=f"Regula – {_('Ask the rulebook')}",
        short_name="Regula",
        description=_("Rulings for card games, in the rulebook's own words"),
        lang=language(),
        start_url="/",
        scope="/",
        display="standalone",
        background_color="#f7f6f2",
        theme_color="#17545b",
        icons=icons,
    )
    response.mimetype = "application/manifest+json"
    response.vary.update(["Accept-Language", "Cookie"])
    return response


@pages.get("/sw.js")
def worker() -> Response:
    """The service worker, told which files belong to this version of the site."""
    folder = Path(current_app.static_folder or "")
    asset = _asset()
    files = [
        asset(path.name)
        for path in sorted(folder.iterdir())
        if path.suffix in _KEPT and path.name != "sw.js"
    ]
    code = (folder / "sw.js").read_text("utf-8")
    version = hashlib.sha256((code + "".join(files)).encode()).hexdigest()[:12]
    constants = f"const VERSION = {json.dumps(version)}, FILES = {json.dumps(files)};\n"
    return Response(constants + code, mimetype="text/javascript")


def _asset() -> Callable[[str], str]:
    return cast(Callable[[str], str], current_app.jinja_env.globals["asset"])


_FINGERPRINTS = "/memory/fingerprints/"


@pages.get("/memory")
def memory() -> Response:
    """The page of favourites, notes, lists and questions; what is on it, its script reads from the
    browser.
    """
    return page("memory.html", current_snapshot(), fingerprints_url=_FINGERPRINTS)


@pages.get(f"{_FINGERPRINTS}<game>")
def list_fingerprints(game: str) -> Response:
    """What the words of a game are known by, whole, so that nobody has to say which of them were
    kept. Raises `Problem` (404).
    """
    snapshot = current_snapshot()
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here.")
    return jsonify(index=snapshot.id, game=game, passages=fingerprints(snapshot, game))


def _bookmark(thing: Passage | Entry | Ruling | Card) -> BookmarkTarget:
    return bookmark_target(current_snapshot(), thing, language())


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
    return {
        ".".join(named.groups()): path.read_bytes()
        for path in _FOLDER.iterdir()
        if (named := _NAME.fullmatch(path.name))
    }
