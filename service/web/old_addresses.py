"""Redirect addresses of entries and editions that were replaced to their replacements."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Flask, redirect, request, url_for
from werkzeug.wrappers import Response

from service.browse.former_entries import leads_to
from service.core.snapshot import Snapshot
from service.web.request_context import current_snapshot
from service.web.requests import is_api_path

_EDITIONS = ("edition_id", "left", "right")  # names in URL patterns
_ASKED = "edition"  # name in the query string


def register(app: Flask) -> None:
    """Redirect old addresses of ``app``."""
    app.before_request(_lead_on)


def _lead_on() -> Response | None:
    values = request.view_args or {}
    named = [name for name in _EDITIONS if name in values and "slug" not in values]
    if not (named or "entry_id" in values or _ASKED in request.args):
        return None
    if request.method not in ("GET", "HEAD") or not request.endpoint:
        return None
    snapshot = current_snapshot()
    followed = {name: _following(snapshot, values[name]) for name in named}
    asked = request.args.to_dict(flat=False)
    if following := _following(snapshot, request.args.get(_ASKED, "")):
        asked[_ASKED] = [following]
    entry = values.get("entry_id")
    if entry and entry not in snapshot.library.entry and (now := leads_to(snapshot, entry)):
        followed["entry_id"], asked["was"] = now.id, [entry]
    changed = {name: now for name, now in followed.items() if now}
    if not changed and not following:
        return None
    address = url_for(request.endpoint, **{**values, **changed})
    query = f"?{urlencode(asked, doseq=True)}" if asked else ""
    return redirect(address + query, 308 if is_api_path(request.path) else 302)


def _following(snapshot: Snapshot, edition: str) -> str:
    """Return the id of the edition that replaced ``edition``; "" if ``edition`` is loaded or its
    replacement is not known.
    """
    if not edition or edition in snapshot.library.edition:
        return ""
    following = snapshot.following_edition(edition)
    return following.id if following else ""
