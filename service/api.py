"""The HTTP interface for programs, version 1: what the contract names, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC
from typing import TypeVar
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, request

from corpus.model import Entry, Kind
from service import asking
from service.answer import Json, answer, edition_json, entry_json, entry_with_text_json, url, whole_entry_json
from service.comparing import NotComparable, kept
from service.desk import desk
from service.exports import Format, NothingToExport, comparisons
from service.problems import Problem
from service.renewing import changes_of
from service.terminology import kept as kept_usage
from service.terminology import terminology_json
from service.terms import FORMATS, terms_of

LARGEST = 64 * 1024  # bytes of a request's body
PAGE = 100  # entries on one page

api = Blueprint("api", __name__, url_prefix="/v1")
health = Blueprint("health", __name__)

T = TypeVar("T")


@api.post("/ask")
def ask_by_post() -> Response:
    """The answer to the question in a JSON body."""
    return _answer(_body())


@api.get("/ask")
def ask_by_get() -> Response:
    """The answer to the question ``q``."""
    fields = _parameters("edition", "game", "document", "language", "k")
    fields["question"] = request.args.get("q")
    return _answer(fields, "q")


def _answer(fields: dict[str, object], called: str = "question") -> Response:
    snapshot = desk().snapshot()
    query = asking.query_from(fields, snapshot.library, called)
    return jsonify(answer(snapshot, snapshot.search(query)))


@api.get("/suggest")
def suggest() -> Response:
    """Headings, cards and rule numbers for what has been typed so far."""
    library = desk().snapshot().library
    typed = request.args.get("q", "")
    if typed.strip():
        asking.question(typed, "q")
    fields = _parameters("edition", "game")
    edition = asking.one_of(fields, "edition", library.edition)
    game = asking.one_of(fields, "game", {e.game for e in library.editions})
    found = desk().names().suggest(typed, edition, game)
    return jsonify(query=typed, suggestions=[_suggestion(entry) for entry in found])


def _suggestion(entry: Entry) -> Json:
    return {
        "entry": entry.id,
        "title": entry.title,
        "kind": entry.kind.value,
        "number": entry.number,
        "product": entry.product,
        "edition": entry.edition,
        "url": url(entry),
    }


@api.get("/editions")
def editions() -> Response:
    """Every edition that is loaded."""
    library = desk().snapshot().library
    return jsonify(editions=[edition_json(library, edition) for edition in library.editions])


@api.get("/editions/<edition_id>")
def edition(edition_id: str) -> Response:
    """One edition."""
    library = desk().snapshot().library
    if edition_id not in library.edition:
        raise Problem.unknown("There is no such edition here; GET /v1/editions lists those there are.")
    return jsonify(edition_json(library, library.edition[edition_id]))


@api.get("/editions/<edition_id>/changes")
def changes(edition_id: str) -> Json:
    """What changed in an edition against the version before it."""
    snapshot = desk().snapshot()
    _parameters()
    try:
        return changes_of(snapshot, edition_id)
    except LookupError as fault:
        raise Problem.unknown(f"{fault.args[0]}.") from fault


@api.get("/entries")
def entries() -> Response:
    """Entries in document order, by pages."""
    library = desk().snapshot().library
    fields = _parameters("edition", "kind", "prefix")
    edition = asking.one_of(fields, "edition", library.edition)
    kind = asking.one_of(fields, "kind", [k.value for k in Kind])
    found = desk().names().entries(edition, Kind(kind) if kind else None, request.args.get("prefix"))
    return _paged("entries", found, lambda e: entry_json(library, e))


@api.get("/entries/<edition_id>/<path:slug>")
def entry(edition_id: str, slug: str) -> Response:
    """One entry with its text, its references, and the entries that refer to it."""
    library = desk().snapshot().library
    found = library.entry.get(f"{edition_id}/{slug}")
    if found is None:
        raise Problem.unknown("There is no such entry here; GET /v1/entries lists those there are.")
    return jsonify(whole_entry_json(library, found))


@api.get("/rulings")
def rulings() -> Response:
    """Rulings and errata of a card, in every edition, by pages."""
    library = desk().snapshot().library
    fields = _parameters("card", "number", "product", "game")
    game = asking.one_of(fields, "game", {e.game for e in library.editions})
    card, number, product = (request.args.get(name) or None for name in ("card", "number", "product"))
    if not (card or number or product):
        raise Problem.malformed("Name a card, a card number or a product.", "card")
    found = desk().names().rulings(card, number, product, game)
    return _paged("rulings", found, lambda e: entry_with_text_json(library, e))


@api.get("/terms")
def terms() -> Response:
    """The term list of a game, in the format asked for."""
    library = desk().snapshot().library
    fields = _parameters("game", "format")
    if fields["game"] is None:
        raise Problem.malformed("Name a game.", "game")
    game = asking.one_of(fields, "game", library.games) or ""
    name = asking.one_of(fields, "format", FORMATS) or "json"
    try:
        body = FORMATS[name].write(terms_of(library, game))
    except NothingToExport as fault:
        raise Problem.out_of_range(f"{fault}.", "game") from fault
    return _file(body, FORMATS[name], f"{game}-terms")


@api.get("/terms/check")
def terms_check() -> Json:
    """What each edition of a game calls its terms, and what is wrong with them."""
    snapshot = desk().snapshot()
    fields = _parameters("game")
    if fields["game"] is None:
        raise Problem.malformed("Name a game.", "game")
    game = asking.one_of(fields, "game", snapshot.library.games) or ""
    return terminology_json(game, kept_usage(snapshot, game))


@api.get("/compare/<left>/<right>")
def compare(left: str, right: str) -> Response:
    """Two editions side by side, in the format asked for."""
    snapshot = desk().snapshot()
    name = asking.one_of(_parameters("format"), "format", comparisons.FORMATS) or "json"
    form = comparisons.FORMATS[name]
    try:
        comparison = kept(snapshot, left, right)
    except LookupError as fault:
        raise Problem.unknown(f"{fault.args[0]}.") from fault
    except NotComparable as fault:
        raise Problem.out_of_range(f"{fault}.", "right") from fault
    try:
        body = form.write(comparison, snapshot.library)
    except NothingToExport as fault:
        raise Problem.out_of_range(f"{fault}.", "format") from fault
    return _file(body, form, f"{left}-{right}")


@api.get("/concepts/<path:concept>")
def concept(concept: str) -> Json:
    """What the editions call a concept, and its entry in each."""
    library = desk().snapshot().library
    _parameters()
    entries = [e for e in library.entries if library.concepts.get(e.id) == concept]
    if not entries:
        raise Problem.unknown(f"There is no concept {concept!r} with an entry here.")
    return {"concept": concept, "entries": [entry_with_text_json(library, e) for e in entries]}


def _file(body: bytes, form: Format[...], name: str) -> Response:
    """``body`` as a file called ``name`` to be saved; JSON, which programs read, without a file name."""
    response = Response(body, content_type=form.mimetype)
    if form.extension != "json":
        response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{form.extension}")
    return response


def _paged(name: str, things: Sequence[T], as_json: Callable[[T], Json]) -> Response:
    """One page of ``things``, with the address of the next."""
    pages = max(1, -(-len(things) // PAGE))
    page = asking.number(_parameters("page"), "page", 1, 1_000_000)
    if page > pages:
        raise Problem.out_of_range(f"The last page is {pages}.", "page")
    following = f"{request.path}?{urlencode({**request.args.to_dict(), 'page': page + 1})}" if page < pages else None
    shown = [as_json(thing) for thing in things[(page - 1) * PAGE : page * PAGE]]
    return jsonify({"total": len(things), "page": page, "pages": pages, "next": following, name: shown})


def _parameters(*names: str) -> dict[str, object]:
    """The parameters of these names; an empty one, as forms send it, counts as not set."""
    return {name: request.args.get(name) or None for name in names}


def _body() -> dict[str, object]:
    """The JSON object of the request's body. Raises `Problem` where there is none."""
    if not request.is_json:
        raise Problem(415, "The body has to be JSON, with Content-Type: application/json.")
    try:
        body = json.loads(request.get_data(cache=False).decode("utf-8"))
    except (ValueError, RecursionError):
        raise Problem.malformed("The body is not JSON in UTF-8.") from None
    if not isinstance(body, dict):
        raise Problem.malformed("The body has to be a JSON object.")
    return body


@health.get("/healthz")
def alive() -> Response:
    """Whether the service runs."""
    return jsonify(status="ok")


@health.get("/readyz")
def ready() -> Response:
    """Whether an index is loaded, and which."""
    snapshot = desk().snapshot()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    return jsonify(status="ready", index=snapshot.id, built=built.isoformat(), editions=len(snapshot.library.editions))
