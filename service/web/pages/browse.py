"""The pages for leafing through the rulebooks: their contents, what is found in them, what is new
in them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from corpus.model import Edition
from corpus.versions import id_without_version
from service.answers.citations import edition_name
from service.browse.edition_contents import GENERAL, edition_contents, edition_formats
from service.browse.find_within import LONGEST, find_entries, listed_entry
from service.core.i18n import N_
from service.core.paging import list_page
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.edition_changes import (
    NewsKind,
    changed_words,
    edition_news,
    former_version,
    news_badges,
)
from service.web.pages.layout import page, pages
from service.web.pages.pagination import address_with, one_of, requested_page
from service.web.request_context import current_snapshot

_FOUND = 100  # entries found on one page
_NEWS = 40  # changed entries on one page

NEWS_KINDS = {
    NewsKind.NEW: N_("New"),
    NewsKind.REMOVED: N_("Removed"),
    NewsKind.REWORDED: N_("Reworded"),
    NewsKind.RENUMBERED: N_("Renamed, renumbered or moved"),
    NewsKind.REFERENCES: N_("Other references"),
}


@pages.get("/browse")
def browse() -> Response:
    """The editions that there are."""
    snapshot = current_snapshot()
    return page("browse.html", snapshot, edition_contents=partial(edition_contents, snapshot))


@pages.get("/browse/<edition_id>")
def browse_edition(edition_id: str) -> Response:
    """One edition: glossary, rules, sections; or the entries of one ``format``, and those that have
    the words to ``find``.
    """
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    formats = edition_formats(snapshot, edition.id)
    wanted = one_of("format", (GENERAL, *formats.names)) if formats.names else ""
    sought = sought_words()
    found = None
    if sought:
        found = find_entries(snapshot, edition.id, sought, lambda entry: formats.has(entry, wanted))
    elif wanted not in ("", GENERAL):
        found = [
            listed_entry(entry)
            for entry in formats.outermost(snapshot.library.entries_of(edition.id), wanted)
        ]
    return page(
        "edition.html",
        snapshot,
        scope=edition.id,
        edition=edition,
        edition_name=edition_name(edition),
        stem=id_without_version(edition.id, edition.version) or edition.id,
        source=snapshot.library.sources[edition.id],
        contents=edition_contents(snapshot, edition.id, general=wanted == GENERAL),
        formats=formats,
        wanted=wanted,
        sought=sought,
        listed=None if found is None else requested_page(found, _FOUND),
        match_count=sum(each.count for each in found or ()),
        news=news_badges(snapshot, edition.id),
        former=former_version(snapshot.library, edition.id),
        address_with=address_with,
    )


@pages.get("/browse/<edition_id>/new")
def browse_news(edition_id: str) -> Response:
    """What is new in an edition against the version before it. Raises `Problem` (404) where there
    is none.
    """
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    former = former_version(snapshot.library, edition.id)
    if former is None:
        raise Problem.unknown("There is no version before this edition here.")
    values = _names(snapshot, edition, former)
    news = edition_news(snapshot, edition.id)
    kind = one_of("kind", tuple(NewsKind))
    items = [item for item in news.items if kind in ("", item.kind)]
    place = next(
        (
            n
            for n, item in enumerate(items)
            if request.args.get("entry") in {each.id for each in item.right}
        ),
        None,
    )
    listed = (
        requested_page(items, _NEWS)
        if place is None
        else list_page(items, place // _NEWS + 1, _NEWS)
    )
    return page(
        "news.html",
        snapshot,
        news=news,
        kind=kind,
        kinds=NEWS_KINDS,
        listed=listed,
        changed_words=partial(changed_words, snapshot.library, news),
        address_with=address_with,
        **values,
    )


def _names(snapshot: Snapshot, edition: Edition, former: Edition) -> dict[str, Any]:
    return {
        "scope": edition.id,
        "edition": edition,
        "edition_name": edition_name(edition),
        "former_name": edition_name(former),
    }


def sought_words() -> str:
    """Return what the address looks for within an edition or an entry."""
    return request.args.get("find", "").strip()[:LONGEST]
