"""Decide who may change the owner's data over the web and from which pages; read reviews."""

from __future__ import annotations

import logging
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from flask import current_app, request

from corpus.data_files import DataFileError
from glossary.comparison.pairings import PairingBook, usable_pairings
from glossary.comparison.reviews import NO_REVIEWS, ReviewBook
from service.core.i18n import N_
from service.core.problems import Problem
from service.editions.ignored_findings import IgnoredFindings, usable_ignored
from service.ops.comparison_reviews import load_reviews
from service.ops.keys import ApiKey, KeyRing
from service.web.request_context import is_own_host, settings

KEY_COOKIE = "editor"  # holds an editor's key in a browser
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
_NO_WORKSPACE = (
    N_("Nothing can be written here"),
    N_("This service only shows rulebooks. Its operator can set it up for writing."),
)
_NOT_ALLOWED = (
    N_("Only editors may write here"),
    N_("The operator of this service gives keys to editors. Ask there for one and enter it here."),
)
_LOG = logging.getLogger(__name__)


def check_same_origin(others: bool = False) -> None:
    """Raise `Problem` 403 for a form sent from a site other than the called or the public one.

    Browsers name the site in Sec-Fetch-Site (on https and localhost), else in Origin; no script can
    change either. A request without both comes from no browser, so it cannot misuse a visitor's
    session. It is accepted if ``others``, such as programs, may send the form.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if others and site is None and origin is None:
        return
    try:
        sender = urlsplit(origin or "").netloc.lower()
    except ValueError:
        sender = ""
    public = settings().public_url
    own = {request.host.lower(), urlsplit(str(public)).netloc.lower() if public else ""} - {""}
    if not (site == "same-origin" if site else sender in own):
        raise Problem(403, N_("This form was not sent from a page of this service."))


def editable_workspace() -> Path:
    """Return the workspace that the caller may change.

    Raises `Problem` 404 if there is none, 403 if the caller may not.
    """
    home = settings().home
    if home is None:
        raise Problem(404, N_("There is no workspace here."), page=_NO_WORKSPACE)
    if not may_edit():
        needed = N_("Editing needs a key with that right, or a caller on this machine.")
        raise Problem(403, needed, page=_NOT_ALLOWED)
    return home.expanduser()


def may_edit() -> bool:
    """Return whether the caller may change the workspace: with an editor's key or, if no keys are
    set, from this machine.
    """
    if settings().home is None:
        return False
    if settings().keys is None:
        return _is_here()
    key = editor_key()
    return key is not None and key.editor


def editor_key() -> ApiKey | None:
    """Return the caller's key, from header Authorization, else from a cookie."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token.strip() if scheme.lower() == "bearer" else request.cookies.get(KEY_COOKIE, "")
    ring: KeyRing = current_app.extensions["regula-keys"]
    return ring.find(token) if token else None


def _is_here() -> bool:
    # A service for others (--production) may be behind a proxy that does not identify itself, so a
    # local caller is never taken for the owner there. A foreign page can point its own domain to
    # this machine (DNS rebinding); then its name is in the header Host.
    if not current_app.config["DESK"]:
        return False
    try:
        near = ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
    behind = not settings().trusted_proxies and any(name in request.headers for name in _FORWARDED)
    return near and not behind and is_own_host(settings(), request.host)


def book_of(game: str) -> ReviewBook:
    """Return the reviews on ``game``; none, with a line in the log, if their file is faulty."""
    try:
        return load_reviews(settings().home, game)
    except DataFileError as fault:
        _LOG.warning("%s; no reviews are shown", fault)
        return NO_REVIEWS


def ignored_of(game: str) -> IgnoredFindings:
    """Return the ignored findings in rulebooks of ``game``."""
    return usable_ignored(settings().home)(game)


def pairings_of(game: str) -> PairingBook:
    """Return the manual pairings of passages in editions of ``game``."""
    return usable_pairings(settings().home, game)
