"""Editions, entries, suggestions, and the rulings of cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from flask import Response, jsonify, request

from corpus.errors import NotFound
from corpus.model import Entry
from service.answers.answer import Json, edition_json, entry_json, entry_url, entry_with_text_json, whole_entry_json
from service.browse.lookup import names
from service.core import parameters
from service.core.problems import Problem
from service.editions.version_pairs import changes_of
from service.schemas.base import NoParams
from service.schemas.editions import ChangesOut
from service.schemas.entries import (
    EditionOut,
    EditionPathParams,
    EditionsOut,
    EntriesOut,
    EntriesParams,
    EntryPathParams,
    RulingsOut,
    RulingsParams,
    SuggestionsOut,
    SuggestParams,
    WholeEntryOut,
)
from service.web.api.blueprints import READ, api
from service.web.request_context import current_snapshot

PAGE = 100  # entries on one page

T = TypeVar("T")


@api.get("/suggest", tags=[READ], responses={200: SuggestionsOut})
def suggest(query: SuggestParams) -> Response:
    """List headings, cards and rule numbers for what has been typed so far."""
    library = current_snapshot().library
    fields = query.model_dump()
    typed = parameters.typed(fields, "q") or ""
    edition = parameters.one_of(fields, "edition", library.edition)
    game = parameters.one_of(fields, "game", library.games)
    found = names(current_snapshot()).suggest(typed, edition, game)
    return jsonify(query=typed, suggestions=[_suggestion(entry) for entry in found])


def _suggestion(entry: Entry) -> Json:
    return {
        "entry": entry.id,
        "title": entry.title,
        "kind": entry.kind.value,
        "number": entry.number,
        "product": entry.product,
        "edition": entry.edition,
        "url": entry_url(entry),
    }


@api.get("/editions", tags=[READ], responses={200: EditionsOut})
def editions(query: NoParams) -> Response:
    """List every edition that is loaded."""
    library = current_snapshot().library
    return jsonify(editions=[edition_json(library, edition) for edition in library.editions])


@api.get("/editions/<edition_id>", tags=[READ], responses={200: EditionOut})
def edition(path: EditionPathParams, query: NoParams) -> Response:
    """Describe one edition."""
    library = current_snapshot().library
    if path.edition_id not in library.edition:
        raise Problem.unknown("There is no such edition here; GET /v1/editions lists those there are.")
    return jsonify(edition_json(library, library.edition[path.edition_id]))


@api.get("/editions/<edition_id>/changes", tags=[READ], responses={200: ChangesOut})
def changes(path: EditionPathParams, query: NoParams) -> Response:
    """Say what changed in an edition against the version before it."""
    try:
        return jsonify(changes_of(current_snapshot(), path.edition_id))
    except NotFound as fault:
        raise Problem.unknown(f"{fault.args[0]}.") from fault


@api.get("/entries", tags=[READ], responses={200: EntriesOut})
def entries(query: EntriesParams) -> Response:
    """List entries in document order, by pages."""
    library = current_snapshot().library
    fields = query.model_dump()
    edition = parameters.one_of(fields, "edition", library.edition)
    found = names(current_snapshot()).entries(edition, query.kind, parameters.typed(fields, "prefix"))
    return _paged("entries", found, query.page, lambda e: entry_json(library, e))


@api.get("/entries/<edition_id>/<path:slug>", tags=[READ], responses={200: WholeEntryOut})
def entry(path: EntryPathParams, query: NoParams) -> Response:
    """Give one entry with its text, its references, and the entries that refer to it."""
    library = current_snapshot().library
    found = library.entry.get(f"{path.edition_id}/{path.slug}")
    if found is None:
        raise Problem.unknown("There is no such entry here; GET /v1/entries lists those there are.")
    return jsonify(whole_entry_json(library, found))


@api.get("/rulings", tags=[READ], responses={200: RulingsOut})
def rulings(query: RulingsParams) -> Response:
    """List rulings and errata of a card, in every edition, by pages; without a card, number or product all there are."""
    library = current_snapshot().library
    fields = query.model_dump()
    game = parameters.one_of(fields, "game", library.games)
    card, number, product = (parameters.typed(fields, name) for name in ("card", "number", "product"))
    found = names(current_snapshot()).rulings(card, number, product, game)
    return _paged("rulings", found, query.page, lambda e: entry_with_text_json(library, e))


def _paged(name: str, things: Sequence[T], page: int | None, as_json: Callable[[T], Json]) -> Response:
    """One page of ``things``, with the address of the next."""
    pages = max(1, -(-len(things) // PAGE))
    page = page or 1
    if page > pages:
        raise Problem.unknown(f"There is no page {page:,}; the last page is {pages}.", "page")
    following = f"{request.path}?{urlencode({**request.args.to_dict(), 'page': page + 1})}" if page < pages else None
    shown = [as_json(thing) for thing in things[(page - 1) * PAGE : page * PAGE]]
    return jsonify({"total": len(things), "page": page, "pages": pages, "next": following, name: shown})
