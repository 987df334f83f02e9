"""What a reader chooses once and every page remembers: languages of pages and passages, light or
dark, keys, where to search.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import g, redirect, request
from werkzeug.wrappers import Response

from corpus import languages
from index.library.library import Library
from service.core.i18n import LANGUAGES
from service.core.problems import Problem
from service.web.localization import ADDRESS_FIELD, LANGUAGE_COOKIE, addressed_language, language
from service.web.pages.layout import pages
from service.web.pages.pagination import address_with
from service.web.request_context import assistant_server, settings

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
    """Return ``address`` with ``field`` saying ``value``, where it asks a question; without the
    field where nothing is chosen.
    """
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
    """Return the address of this page in each language, under "" in the reader's own, and under
    "canonical" the one it was asked by.
    """
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
    """For every template: where to search, the theme ("" as the system has it), whether keys are
    on, the address of the page.
    """
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
