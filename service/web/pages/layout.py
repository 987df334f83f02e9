"""What every page has: the blueprint, where to search, parts of long lists, what a reader chose."""

from __future__ import annotations

from collections.abc import Sequence
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
from service.core.parameters import ListPage, list_page, page_count
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

ASSIST_NOTES = {
    AssistNote.OFF: N_("none may be asked here"),
    AssistNote.BUSY: N_("too many questions are being looked up just now"),
    AssistNote.TIMEOUT: N_("it took too long"),
    AssistNote.UNREACHABLE: N_("it cannot be reached"),
    AssistNote.BAD_REPLY: N_("its reply was of no use"),
    AssistNote.BUDGET: N_("what it may cost is used up"),
    AssistNote.NOT_RECORDED: N_("this question is not among the recorded ones"),
}

STALE: dict[str, str] = {  # what an index was built from otherwise
    Dependency.PROGRAM: N_("the version of the program"),
    Dependency.ENCODER: N_("the encoder"),
    Dependency.SETTINGS: N_("settings"),
    Dependency.RULEBOOKS: N_("the rulebooks"),
    Dependency.WORKSPACE: N_("what the workspace says of the rulebooks"),
    Dependency.LAYERS: N_("cards or rulings"),
}


@dataclass(frozen=True)
class GameEditions:
    """A game with its editions, as the choice of where to search shows it."""

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
        **values,
    )
    response = make_response(html, status)
    response.headers["Regula-Index"] = (
        snapshot.id
    )  # what is kept for reading offline is told apart by it
    return response


def games_with_editions(library: Library) -> list[GameEditions]:
    """Return the games by name, each with its editions."""
    games = sorted({e.game for e in library.editions})
    return [
        GameEditions(
            game, game_title(library, game), tuple(e for e in library.editions if e.game == game)
        )
        for game in games
    ]


LONGEST = 200  # characters of the words that a list is searched for

T = TypeVar("T")


def requested_page(items: Sequence[T], length: int) -> ListPage[T]:
    """Return the page of ``items`` that the address asks for by ``page``; the nearest one that
    there is.
    """
    wanted = request.args.get("page", "")
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 9 else 1
    return list_page(items, min(max(number, 1), page_count(items, length)), length)


def search_words() -> str:
    """Return the words that the address searches the list for."""
    return request.args.get("q", "").strip()[:LONGEST]


def one_of(name: str, known: Sequence[str]) -> str:
    """Return the value of a parameter where it is one of the ``known``, else the empty text, which
    asks for nothing special.
    """
    value = request.args.get(name, "")
    return value if value in known else ""


def address_with(**values: object) -> str:
    """Return the address of this page with ``values`` asked for instead; without a value, a
    parameter is left out.
    """
    arguments = {**request.args.to_dict(), **values}
    query = urlencode(
        {name: value for name, value in arguments.items() if value not in (None, "")},
        errors="replace",
    )
    return quote(request.path) + (f"?{query}" if query else "")


SCOPE, ASSIST, THEME, KEYS, PREFER = "scope", "assist", "theme", "keys", "prefer"  # the cookies
THEMES = ("light", "dark")
PASSAGE_LANGUAGES = tuple(languages.LANGUAGES)
_IN_ADDRESS = {"language": ADDRESS_FIELD, "prefer": "prefer"}  # choices that an address may say too
_YEAR = 365 * 24 * 3600
_CHOICES = {
    "language": (LANGUAGE_COOKIE, LANGUAGES),
    "theme": (THEME, (*THEMES, "")),
    "keys": (KEYS, ("off", "")),
    "prefer": (PREFER, (*PASSAGE_LANGUAGES, "")),
}


@pages.post("/<any(language, theme, keys, prefer):what>")
def keep_choice(what: str) -> Response:
    """Keep a choice and go back to where it was made. Raises `Problem` (422) for a value that there
    is not.
    """
    cookie, known = _CHOICES[what]
    value = request.form.get("value", "")
    if value not in known:
        raise Problem.out_of_range("There is no such choice.", "value")
    back = local_address(request.form.get("next", ""))
    if what in _IN_ADDRESS:  # what an address says wins over the choice
        back = _with_choice(back, _IN_ADDRESS[what], value if what == "prefer" else "")
    response = redirect(back, 303)
    set_or_delete_cookie(response, cookie, value)
    return response


def set_or_delete_cookie(response: Response, cookie: str, value: str) -> None:
    """Let the browser keep ``value`` for a year; an empty one is forgotten."""
    if value:
        response.set_cookie(cookie, value, max_age=_YEAR, samesite="Lax")
    else:
        response.delete_cookie(cookie, samesite="Lax")


def local_address(address: str) -> str:
    """Return ``address`` where it is a path of this site, else the start page: nobody is sent to
    another site.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/"
    # Browsers read a backslash as a slash and pass over control characters: "/\\host" would be
    # another host.
    unfit = "\\" in address or any(ord(c) < 33 or ord(c) == 127 for c in address)
    return (
        "/"
        if unfit
        or parts.scheme
        or parts.netloc
        or not address.startswith("/")
        or address.startswith("//")
        else address
    )


def _with_choice(address: str, field: str, value: str) -> str:
    parts = urlsplit(address)
    asked = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != field]
    chosen = (
        [(field, value)]
        if value and any(name == "q" for name, _ in asked) and parts.path == "/"
        else []
    )
    said = [*asked, *chosen]
    return (
        address
        if said == parse_qsl(parts.query, keep_blank_values=True)
        else parts._replace(query=urlencode(said)).geturl()
    )


def _addresses_by_language() -> dict[str, str]:
    public = settings().public_url
    origin = str(public).rstrip("/") if public else ""
    asked = {"": None, **{code: code for code in LANGUAGES}, "canonical": addressed_language()}
    return {name: origin + address_with(**{ADDRESS_FIELD: code}) for name, code in asked.items()}


def remembered_scope(library: Library) -> str | None:
    """Return the edition or game last chosen to search in; None where there is none, or where it is
    not loaded any more.
    """
    scope = request.cookies.get(SCOPE)
    return scope if scope in library.edition or scope in library.games else None


def assist_wanted() -> bool:
    """Return whether questions are to be looked up by the owner's model: as the address says, on
    the start page as last chosen.
    """
    return (
        bool(request.args.get("assist"))
        if request.args.get("q")
        else request.cookies.get(ASSIST) == "on"
    )


def preferred_language() -> str | None:
    """Return the language whose passages come first: as the address of an answer says, elsewhere as
    last chosen; None for none.
    """
    said = (
        request.args.get("prefer")
        if request.path == "/" and request.args.get("q")
        else request.cookies.get(PREFER)
    )
    return said if said in PASSAGE_LANGUAGES else None


def reading_language() -> str:
    """Return the language that cards are shown in first: that of passages where one was chosen,
    else that of the pages.
    """
    return preferred_language() or language()


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    theme = request.cookies.get(THEME)
    snapshot = g.get("snapshot")
    return {
        "assist": assist_wanted(),
        "assistant_server": assistant_server(),
        "prefer": preferred_language(),
        "passage_languages": sorted({edition.language for edition in snapshot.library.editions})
        if snapshot
        else [],
        "scope": remembered_scope(snapshot.library) if snapshot else None,
        "theme": theme if theme in THEMES else "",
        "keys": request.cookies.get(KEYS) != "off",
        "addresses_by_language": _addresses_by_language,
        "address": local_address(request.full_path.removesuffix("?"))
        if request.method == "GET"
        else "/",
    }
