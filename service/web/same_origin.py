"""Whether a form was sent from a page of this service: another site must not have its visitors say
or change things here.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import request

from service.core.i18n import N_
from service.core.problems import Problem
from service.web.request_context import settings

# With "no-referrer", the policy of all other pages, browsers hide from their own site too where a
# form was sent from.
REFERRER_POLICY = "same-origin"


def check_same_origin(others: bool = False) -> None:
    """Raise `Problem` 403 for a form that was sent from another site than the one called, or the
    public one.

    Browsers say where it comes from in Sec-Fetch-Site (on https and localhost), else in Origin,
    which no script can alter. What says neither is no browser, and has no visitor whom it could
    speak for: it is taken where ``others`` may send the form too.
    """
    site, origin, public = (
        request.headers.get("Sec-Fetch-Site"),
        request.headers.get("Origin"),
        settings().public_url,
    )
    if others and site is None and origin is None:
        return
    try:
        sender = urlsplit(origin or "").netloc.lower()
    except ValueError:
        sender = ""
    own = {request.host.lower(), urlsplit(str(public)).netloc.lower() if public else ""} - {""}
    if not (site == "same-origin" if site else sender in own):
        raise Problem(403, N_("This form was not sent from a page of this service."))
