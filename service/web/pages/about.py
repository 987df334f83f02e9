"""About: which documents are loaded, the index and its age, where programs go, whose the rulebooks
are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import Response, current_app

from corpus.model import Edition
from index.building.version_lookup import previous_version
from index.library.library import Library, SourceDocument
from service.answers.citations import edition_name
from service.core.snapshot import IndexDescription
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot, index_description


@dataclass(frozen=True)
class LoadedEdition:
    """An edition and its document; ``size`` in bytes if it is known, ``previous`` the version
    before it if it is loaded.
    """

    edition: Edition
    source: SourceDocument
    size: int | None
    entries: int
    passages: int
    references: int
    previous: Edition | None


@pages.get("/about")
def about() -> Response:
    """Show what Regula is, and what is loaded here."""
    snapshot = current_snapshot()
    library = snapshot.library
    description = index_description()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    return page(
        "about.html",
        snapshot,
        loaded=_loaded_editions(library, description),
        description=description,
        when=built,
        age=max(datetime.now(UTC) - built, timedelta()),
        edition_name=edition_name,
        served={rule.rule for rule in current_app.url_map.iter_rules()},
    )


def _loaded_editions(library: Library, description: IndexDescription | None) -> list[LoadedEdition]:
    found = []
    for book in library.rulebooks:
        edition, source = book.edition, library.sources[book.edition.id]
        previous = previous_version(
            edition, [other for other in library.rulebooks if other is not book]
        )
        found.append(
            LoadedEdition(
                edition=edition,
                source=source,
                size=description.sizes.get(source.sha256) if description else None,
                entries=len(book.entries),
                passages=len(book.passages),
                references=len(library.references_in(edition.id)),
                previous=previous.edition if previous else None,
            )
        )
    return found
