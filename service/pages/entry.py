"""The page of an entry: its text in its place, and what leads there and from there."""

from __future__ import annotations

from werkzeug.wrappers import Response

from service.answer import name
from service.desk import desk
from service.pages.layout import page, pages
from service.problems import Problem
from service.reading import mentions, neighbours, part, place


@pages.get("/e/<path:entry_id>")
def read(entry_id: str) -> Response:
    """The page of an entry."""
    snapshot = desk().snapshot()
    library = snapshot.library
    entry = library.entry.get(entry_id)
    if entry is None:
        raise Problem.unknown("There is no such entry here.")
    before, after = neighbours(library, entry)
    return page(
        "entry.html",
        snapshot,
        scope=entry.edition,
        entry=entry,
        name=name(library, entry),
        path=library.path(entry)[:-1],
        place=place(library, entry),
        source=library.sources[entry.edition],
        part=part(library, entry),
        mentions=mentions(library, entry),
        referring=library.referring_to.get(entry.id, ()),
        before=before,
        after=after,
    )
