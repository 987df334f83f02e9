"""Whether a form was sent from a page of this service: another site must not have its visitors say things here."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Request

from service.core.i18n import N_
from service.core.problems import Problem

# With "no-referrer", the policy of all other pages, browsers hide from their own site too where a form was sent from.
REFERRER_POLICY = "same-origin"


def check_same_origin(request: Request, public_host: str = "") -> None:
    """Raise `Problem` 403 for a form that a browser sends from another site than the one called, or that at ``public_host``.

    Browsers say so in Sec-Fetch-Site (on https and localhost) or Origin, which no script can alter; what sends neither is no browser,
    and has no visitor whom it could speak for. The way of Go's ``http.CrossOriginProtection``.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    hosts = (request.host.lower(), public_host.lower())
    if not (site in ("same-origin", "none") if site is not None else origin is None or _host(origin) in hosts):
        raise Problem(403, N_("This form was not sent from a page of this service."))


def _host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower() or "null"  # of an origin that the browser hides
    except ValueError:
        return "null"
