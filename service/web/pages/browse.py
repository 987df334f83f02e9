"""The pages for leafing through the rulebooks."""

from __future__ import annotations

from functools import partial

from werkzeug.wrappers import Response

from service.answers.citations import edition_name
from service.browse.edition_contents import edition_contents
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot


@pages.get("/browse")
def browse() -> Response:
    """The editions that there are."""
    snapshot = current_snapshot()
    return page("browse.html", snapshot, edition_contents=partial(edition_contents, snapshot))


@pages.get("/browse/<edition_id>")
def browse_edition(edition_id: str) -> Response:
    """One edition: glossary, rules, sections."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    return page(
        "edition.html",
        snapshot,
        scope=edition.id,
        edition=edition,
        edition_name=edition_name(edition),
        contents=edition_contents(snapshot, edition.id),
    )
