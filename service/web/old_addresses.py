"""Addresses that name an edition which another one has replaced lead to that one."""

from __future__ import annotations

from flask import Flask, redirect, request, url_for
from werkzeug.wrappers import Response

from service.browse.former_entries import former_edition
from service.web.request_context import current_snapshot
from service.web.requests import is_api_path

_EDITIONS = ("edition_id", "left", "right")  # in the patterns of addresses


def register(app: Flask) -> None:
    """Let ``app`` lead old addresses on."""
    app.before_request(_lead_on)


def _lead_on() -> Response | None:
    values = request.view_args or {}
    named = [values[name] for name in _EDITIONS if name in values]
    if not named or "slug" in values or request.method != "GET" or not request.endpoint:
        return None
    snapshot = current_snapshot()
    followed = {
        name: following.id
        for name in _EDITIONS
        if name in values and values[name] not in snapshot.library.edition
        if (following := former_edition(snapshot, values[name]))
    }
    if not followed:
        return None
    asked = request.args.to_dict(flat=False)
    return redirect(
        url_for(request.endpoint, **{**asked, **values, **followed}),
        308 if is_api_path(request.path) else 302,
    )
