"""Who may change the owner's data over the web: from this machine, or with a key that has the
right.
"""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

from flask import Response, current_app, request

from service.core.i18n import N_
from service.core.problems import Problem
from service.ops.keys import ApiKey, KeyRing
from service.web.links import is_own_host
from service.web.request_context import settings
from service.web.same_origin import REFERRER_POLICY

KEY_COOKIE = "editor"  # has the key of who edits in a browser
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
_NO_WORKSPACE = (
    N_("There is nothing to edit here"),
    N_(
        "This service has no workspace: 'regula init DIR' makes one, and 'regula serve --home DIR' serves it."
    ),
)
_NOT_ALLOWED = (
    N_("You may not edit here"),
    N_(
        "Editing is for who sits at the machine that serves, or has a key with that right: 'regula keys new NAME --editor'."
    ),
)


def editable_workspace() -> Path:
    """Return the workspace that the caller may change. Raises `Problem` 404 where there is none,
    403 where he may not.
    """
    home = settings().home
    if home is None:
        raise Problem(404, N_("There is no workspace here."), page=_NO_WORKSPACE)
    if not may_edit():
        raise Problem(
            403,
            N_("Editing needs a key with that right, or a caller on this machine."),
            page=_NOT_ALLOWED,
        )
    return home.expanduser()


def may_edit() -> bool:
    """Whether the caller may change the workspace, where there is one: with an editor's key or,
    where no keys are set, on this machine.
    """
    if settings().home is None:
        return False
    if settings().keys is not None:
        key = editor_key()
        return key is not None and key.editor
    return _is_here()


def private_page(response: Response) -> Response:
    """Have no browser keep a page for editors, and let it say to this site alone where a form came
    from.
    """
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = REFERRER_POLICY
    response.headers.pop("Regula-Index", None)  # by it pages are kept for reading offline
    return response


def editor_key() -> ApiKey | None:
    """Return the key that the caller shows: in header Authorization, else in the cookie of a
    browser; None for one that is not known.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token.strip() if scheme.lower() == "bearer" else request.cookies.get(KEY_COOKIE, "")
    ring: KeyRing = current_app.extensions["regula-keys"]
    return ring.find(token) if token else None


def _is_here() -> bool:
    """Whether the caller is on this machine, not behind a proxy that nobody said to believe, and
    calls it by a name of its own.

    A service for others (``--production``) may stand behind a proxy that says nothing of itself:
    there it is never believed. A foreign page can lead its own name to this machine (DNS
    rebinding): then its name is in the header Host.
    """
    if not current_app.config["DESK"]:
        return False
    try:
        near = ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
    behind = not settings().trusted_proxies and any(name in request.headers for name in _FORWARDED)
    return near and not behind and is_own_host(settings(), request.host)
