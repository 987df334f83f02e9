"""The pages on time: the sequences of each rulebook as lists of steps, and which step one is at."""

from __future__ import annotations

from functools import partial

from flask import Response, request

from corpus.errors import NotFound
from index.timing.library_timing import timing_of
from service.answers.citations import edition_name
from service.browse.timing import sequence_title, shown_step, step_link
from service.core.problems import Problem
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot


@pages.get("/timing")
def timing() -> Response:
    """List the rulebooks, with how many sequences each has."""
    snapshot = current_snapshot()
    timing = timing_of(snapshot.library)
    counts = {
        edition.id: len(timing.sequences(edition.id)) for edition in snapshot.library.editions
    }
    return page("timings.html", snapshot, counts=counts, edition_name=edition_name)


@pages.get("/timing/<edition_id>")
def edition_timing(edition_id: str) -> Response:
    """Show the sequences of a rulebook; ``step`` is the one that one is at."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    chosen = request.args.get("step") or None
    at = None
    if chosen is not None:
        try:
            at = (
                step_link(snapshot.library, chosen) if chosen.startswith(f"{edition_id}/") else None
            )
        except NotFound:
            at = None
        if at is None:
            raise Problem.unknown("There is no such step in this rulebook.")
    return page(
        "timing.html",
        snapshot,
        scope=edition_id,
        edition=edition,
        edition_name=edition_name(edition),
        sequences=timing_of(snapshot.library).sequences(edition_id),
        path=snapshot.library.path,
        title=partial(sequence_title, snapshot.library),
        shown=partial(shown_step, snapshot.library),
        chosen=chosen,
        step=(chosen, at) if chosen and at else None,
    )
