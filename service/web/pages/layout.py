"""Parts shared by all pages: the blueprint, the search scope, pages of long lists, readers'
choices.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import flask
from flask import Blueprint, g, make_response, redirect, render_template, request
from werkzeug.wrappers import Response

from corpus import languages
from corpus.model import Edition
from index.building.fingerprints import Dependency
from index.library.library import Library
from service.answers.citations import game_title
from service.browse.cards import card_catalogue
from service.core.i18n import LANGUAGES, N_
from service.core.parameters import ListPage
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.schemas.answer import AssistNote
from service.web.localization import (
    ADDRESS_FIELD,
    LANGUAGE_COOKIE,
    addressed_language,
    gettext,
    language,
)
from service.web.request_context import assistant_server, settings

pages = Blueprint("pages", __name__)
T = TypeVar("T")

SCOPE, ASSIST, PREFER = "scope", "assist", "prefer"  # cookies
THEMES = ("light", "dark")
PAGE = 8_000  # characters on one page of a long list: a dozen screens of a phone
HEAD = 250  # characters that the heading and margins of an item count as
_CHOICES: dict[str, tuple[str, Sequence[str]]] = {
    "language": (LANGUAGE_COOKIE, LANGUAGES),
    "theme": ("theme", (*THEMES, "")),
    "keys": ("keys", ("off", "")),
    "prefer": (PREFER, (*languages.LANGUAGES, "")),
}

ASSIST_NOTES = {
    AssistNote.OFF: N_("none may be asked here"),
    AssistNote.BUSY: N_("too many questions are being looked up just now"),
    AssistNote.TIMEOUT: N_("it took too long"),
    AssistNote.UNREACHABLE: N_("it cannot be reached"),
    AssistNote.BAD_REPLY: N_("its reply was of no use"),
    AssistNote.BUDGET: N_("what it may cost is used up"),
    AssistNote.NOT_RECORDED: N_("this question is not among the recorded ones"),
}

STALE: dict[str, str] = {  # inputs of an index that have changed
    Dependency.PROGRAM: N_("the version of the program"),
    Dependency.ENCODER: N_("the encoder"),
    Dependency.SETTINGS: N_("settings"),
    Dependency.RULEBOOKS: N_("the rulebooks"),
    Dependency.WORKSPACE: N_("what the workspace says of the rulebooks"),
    Dependency.LAYERS: N_("cards or rulings"),
}


@dataclass(frozen=True)
class GameEditions:
    """A game with its editions, for the choice of the search scope."""

    game: str
    title: str
    editions: tuple[Edition, ...]


def page(
    template: str, snapshot: Snapshot, status: int = 200, /, **values: object
) -> flask.Response:
    """Render ``template`` with the values that every page shows."""
    built = snapshot.built.astimezone(UTC) if snapshot.built.tzinfo else snapshot.built
    html = render_template(
        template,
        snapshot=snapshot,
        library=snapshot.library,
        built=f"{built:%Y-%m-%d %H:%M}",
        product_title=lambda entry: card_catalogue(snapshot).product_title(entry),
        scopes=games_with_editions(snapshot.library),
        stale=", ".join(gettext(STALE[each]) for each in snapshot.stale),
        unencoded=snapshot.unencoded,
        **values,
    )
    response = make_response(html, status)
    response.headers["Regula-Index"] = snapshot.id  # marks pages kept for offline reading
    return response


def games_with_editions(library: Library) -> list[GameEditions]:
    """Return the games by name, each with its editions."""
    editions: dict[str, list[Edition]] = {}
    for edition in library.editions:
        editions.setdefault(edition.game, []).append(edition)
    return [
        GameEditions(game, game_title(library, game), tuple(editions[game]))
        for game in sorted(editions)
    ]


def known_game(snapshot: Snapshot, game: str) -> str:
    """Return ``game``. Raises `Problem` (404) if it is not loaded."""
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here.")
    return game


# Lists


def requested_page(
    items: Sequence[T],
    most: int,
    size: Callable[[T], int] = lambda item: 1,
    at: int | None = None,
) -> ListPage[T]:
    """Return the page of ``items`` with the number ``page`` in the address, or the nearest one;
    with ``at``, the page that has the item at this position.

    A page holds items until their sizes would exceed ``most`` in total.
    """
    wanted = request.args.get("page", "")
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 9 else 1
    starts = page_starts(items, most, size)
    number = min(max(number, 1), len(starts)) if at is None else bisect(starts, at)
    shown = items[starts[number - 1] : starts[number] if number < len(starts) else len(items)]
    return ListPage(shown, number, len(starts), len(items))


def page_starts(items: Sequence[T], most: int, size: Callable[[T], int]) -> list[int]:
    """Return the positions of the ``items`` that begin a page, always including the first; see
    `requested_page`.
    """
    starts, filled = [0], 0
    for number, item in enumerate(items):
        filled += size(item)
        if filled > most and number > starts[-1]:
            starts.append(number)
            filled = size(item)
    return starts


def search_words() -> str:
    """Return the words in the address that filter the list."""
    return request.args.get("q", "").strip()[:200]


def one_of(name: str, known: Sequence[str]) -> str:
    """Return the value of a parameter if it is one of ``known``, else ""."""
    value = request.args.get(name, "")
    return value if value in known else ""


@pages.app_template_global("address_with")
def address_with(**values: object) -> str:
    """Return the address of this page with ``values`` replaced; None removes a value."""
    asked = {**request.args.to_dict(), **values}
    said = {name: value for name, value in asked.items() if value not in (None, "")}
    query = urlencode(said, errors="replace")
    return quote(request.path) + (f"?{query}" if query else "")


# What a reader chose


@pages.post("/<any(language, theme, keys, prefer):what>")
def keep_choice(what: str) -> Response:
    """Keep a choice and go back to where it was made. Raises `Problem` (422) for an unknown one."""
    cookie, known = _CHOICES[what]
    value = request.form.get("value", "")
    if value not in known:
        raise Problem.out_of_range("There is no such choice.", "value")
    back = local_address(request.form.get("next", ""))
    field = {"language": ADDRESS_FIELD, "prefer": "prefer"}.get(what)
    if field:  # a value in the address would override the choice
        back = _with_choice(back, field, value if what == "prefer" else "")
    response = redirect(back, 303)
    set_or_delete_cookie(response, cookie, value)
    return response


def set_or_delete_cookie(response: Response, cookie: str, value: str) -> None:
    """Set a cookie for a year, or delete it if ``value`` is empty."""
    if value:
        response.set_cookie(cookie, value, max_age=365 * 24 * 3600, samesite="Lax")
    else:
        response.delete_cookie(cookie, samesite="Lax")


def local_address(address: str) -> str:
    """Return ``address`` if it is a path of this site, else the start page."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/"
    # Browsers read a backslash as a slash and ignore control characters: "/\\host" would be another
    # host.
    unfit = "\\" in address or any(ord(c) < 33 or ord(c) == 127 for c in address)
    local = address.startswith("/") and not address.startswith("//")
    return address if local and not (unfit or parts.scheme or parts.netloc) else "/"


def _with_choice(address: str, field: str, value: str) -> str:
    """Return ``address`` with ``field`` set to ``value`` if it asks a question, else without
    ``field``.
    """
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    said = [pair for pair in pairs if pair[0] != field]
    if value and parts.path == "/" and any(name == "q" for name, _ in said):
        said.append((field, value))
    return address if said == pairs else parts._replace(query=urlencode(said)).geturl()


def _addresses_by_language() -> dict[str, str]:
    """Return the addresses of this page: by language, by "" without one, and by "canonical"."""
    public = settings().public_url
    origin = str(public).rstrip("/") if public else ""
    asked = {"": None, **{code: code for code in LANGUAGES}, "canonical": addressed_language()}
    return {name: origin + address_with(**{ADDRESS_FIELD: code}) for name, code in asked.items()}


def remembered_scope(library: Library) -> str | None:
    """Return the last chosen edition or game to search in; None if it is not loaded."""
    scope = request.cookies.get(SCOPE)
    return scope if scope in library.edition or scope in library.games else None


def assist_wanted() -> bool:
    """Return whether the owner's model helps with questions, from the address or the saved
    choice.
    """
    if request.args.get("q"):
        return bool(request.args.get("assist"))
    return request.cookies.get(ASSIST) == "on"


def preferred_language() -> str | None:
    """Return the language whose passages come first, from an answer's address or the saved
    choice.
    """
    answer = request.path == "/" and request.args.get("q")
    said = request.args.get(PREFER) if answer else request.cookies.get(PREFER)
    return said if said in languages.LANGUAGES else None


def reading_language() -> str:
    """Return the language that cards are shown in first."""
    return preferred_language() or language()


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    theme = request.cookies.get("theme")
    snapshot = g.get("snapshot")
    library = snapshot.library if snapshot else None
    address = local_address(request.full_path.removesuffix("?"))
    return {
        "assist": assist_wanted(),
        "assistant_server": assistant_server(),
        "prefer": preferred_language(),
        "passage_languages": sorted({e.language for e in library.editions}) if library else [],
        "scope": remembered_scope(library) if library else None,
        "theme": theme if theme in THEMES else "",
        "keys": request.cookies.get("keys") != "off",
        "addresses_by_language": _addresses_by_language,
        "address": address if request.method == "GET" else "/",
    }
