"""Routes for the reader's device: offline pages and packs, bookmarks, the embedded component."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from flask import Response, current_app, jsonify, request

from corpus.cards.model import Card
from corpus.model import Entry, Passage
from corpus.rulings.model import Ruling
from service.browse.bookmarks import BookmarkTarget, bookmark_target, fingerprints
from service.browse.entry_view import KINDS
from service.browse.offline_packs import pack_file
from service.core.problems import Problem
from service.web.headers import AN_HOUR, FOR_GOOD
from service.web.localization import gettext as _
from service.web.localization import language
from service.web.pages.layout import games_with_editions, known_game, page, pages
from service.web.request_context import current_snapshot, settings

_EMBED = Path(__file__).resolve().parents[1] / "embed"
_COMPONENT = re.compile(r"regula-ask-(\d+)\.(\d+)\.(\d+)\.js")


@pages.get("/offline")
def offline() -> Response:
    """Show the pages that this browser has kept, and, with JavaScript, answer questions offline."""
    snapshot = current_snapshot()
    packs = games_with_editions(snapshot.library) if settings().offline_packs else []
    kinds = {kind.value: _(label) for kind, label in KINDS.items()}
    return page("offline.html", snapshot, packs=packs, kinds=kinds)


@pages.get("/offline/packs/<game>")
def offline_pack(game: str) -> Response:
    """Give the pack with which a browser answers questions on a game, as gzipped JSON."""
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


def _bookmark(thing: Passage | Entry | Ruling | Card) -> BookmarkTarget:
    return bookmark_target(current_snapshot(), thing, language())


@pages.get("/manifest.webmanifest")
def manifest() -> Response:
    """Give the web app manifest, in the reader's language."""
    icons = [
        {"src": _asset(f"icon-{name}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
        for name, size in (("192", 192), ("512", 512), ("maskable", 512))
    ]
    icons[-1]["purpose"] = "maskable"
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
        icons=[{"src": _asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"}, *icons],
    )
    response.mimetype = "application/manifest+json"
    response.vary.update(["Accept-Language", "Cookie"])
    return response


@pages.get("/sw.js")
def worker() -> Response:
    """Give the service worker, with the files that belong to this version of the site."""
    folder = Path(current_app.static_folder or "")
    files = [
        _asset(path.name)
        for path in sorted(folder.iterdir())
        if path.suffix in (".css", ".js", ".svg") and path.name != "sw.js"
    ]
    code = (folder / "sw.js").read_text("utf-8")
    version = hashlib.sha256((code + "".join(files)).encode()).hexdigest()[:12]
    constants = f"const VERSION = {json.dumps(version)}, FILES = {json.dumps(files)};\n"
    return Response(constants + code, mimetype="text/javascript")


def _asset(name: str) -> str:
    asset: Any = current_app.jinja_env.globals["asset"]
    return str(asset(name))


@pages.get("/memory")
def memory() -> Response:
    """Show the reader's bookmarks; a script reads them from the browser."""
    return page("memory.html", current_snapshot())


@pages.get("/memory/fingerprints/<game>")
def list_fingerprints(game: str) -> Response:
    """Give the fingerprints of all texts of a game, so that browsers need not name bookmarks."""
    snapshot = current_snapshot()
    passages = fingerprints(snapshot, known_game(snapshot, game))
    return jsonify(index=snapshot.id, game=game, passages=passages)


@pages.get("/embed/regula-ask.js")
def embedded_component() -> Response:
    """Give the newest version of the component that other sites embed."""
    newest = max(_versions(), key=lambda version: [int(part) for part in version.split(".")])
    return _component(newest, AN_HOUR)


@pages.get("/embed/<version>/regula-ask.js")
def embedded_component_version(version: str) -> Response:
    """Give one version of the component, for pages that name the hash of its file."""
    if version not in _versions():
        raise Problem.unknown("There is no such version of the component.")
    return _component(version, FOR_GOOD)


def _component(version: str, caching: str) -> Response:
    code = _versions()[version]
    response = Response(code, mimetype="text/javascript")
    response.headers["Cache-Control"] = caching
    # A module is always fetched with CORS, and without credentials.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.set_etag(hashlib.sha256(code).hexdigest()[:32], weak=True)
    response.make_conditional(request)
    return response


@cache
def _versions() -> dict[str, bytes]:
    return {
        ".".join(named.groups()): path.read_bytes()
        for path in _EMBED.iterdir()
        if (named := _COMPONENT.fullmatch(path.name))
    }
