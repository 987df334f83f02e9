"""The keys that the pages know, as a page; with script also as a dialog over any other."""

from __future__ import annotations

from typing import NamedTuple

from flask import Response

from service.core.i18n import N_
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot


class KeyGroup(NamedTuple):
    """Where the ``keys`` do something, and what each does; several names for one press stand
    together.
    """

    title: str
    keys: tuple[tuple[tuple[str, ...], str], ...]


KEY_GROUPS = (
    KeyGroup(
        N_("On every page"),
        (
            (("/",), N_("Go to the question")),
            (("?",), N_("Show these keys")),
            (("Tab",), N_("Go to the next link or button")),
        ),
    ),
    KeyGroup(
        N_("Suggestions"),
        (
            (("↓", "↑"), N_("Choose one")),
            (("Enter",), N_("Open what is chosen, or ask")),
            (("Esc",), N_("Close the list")),
        ),
    ),
    KeyGroup(
        N_("Answers"),
        (
            (("↓", "↑"), N_("Next and previous passage")),
            (("Enter",), N_("Open the whole entry")),
            (("c",), N_("Copy the citation")),
        ),
    ),
    KeyGroup(N_("Reading an entry"), ((("j", "k"), N_("Next and previous entry")),)),
    KeyGroup(
        N_("Searching in a rulebook or an entry"),
        ((("Enter",), N_("Next match; with Shift the previous one")),),
    ),
    KeyGroup(
        N_("Whole screen"),
        (
            (("→", "←"), N_("Next and previous passage")),
            (("f",), N_("Fill the screen")),
            (("Esc",), N_("Back to the page")),
        ),
    ),
)


@pages.get("/keys")
def list_keys() -> Response:
    """What can be done by key."""
    return page("keys.html", current_snapshot(), groups=KEY_GROUPS)
