"""The pages on time: the sequences of each rulebook as charts, and which step one is at."""

from __future__ import annotations

from flask import Response, request

from corpus.errors import NotFound
from index.timing.library_timing import timing_of
from service.answers.citations import edition_name
from service.browse.timing_view import ChartedSequence, TimingView, step_link, timing_view
from service.core.problems import Problem
from service.web.localization import gettext as _
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot


@pages.get("/timing")
def timing() -> Response:
    """List the rulebooks, with how many sequences each has."""
    snapshot = current_snapshot()
    timing = timing_of(snapshot.library)
    counts = {edition.id: len(timing.sequences(edition.id)) for edition in snapshot.library.editions}
    return page("timings.html", snapshot, counts=counts, edition_name=edition_name)


@pages.get("/timing/<edition_id>")
def edition_timing(edition_id: str) -> Response:
    """The charts of a rulebook; ``step`` is the one that one is at."""
    from service.browse.timing_chart import as_svg  # loads what draws, which is not needed to answer

    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    chosen = request.args.get("step") or None
    view = snapshot.cache.get(("timing", edition_id), lambda: timing_view(snapshot.library, edition), most=16)
    at = None
    if chosen is not None:
        try:
            at = step_link(snapshot.library, chosen) if chosen.startswith(f"{edition_id}/") else None
        except NotFound:
            at = None
        if at is None:
            raise Problem.unknown("There is no such step in this rulebook.")
        view = timing_view(snapshot.library, edition, chosen)

    def drawn(sequence: ChartedSequence) -> str:
        title = _("%(name)s, step by step", name=sequence.title)
        return as_svg(sequence, title, _in_words(sequence), _("We are here: %(step)s", step="%s"))

    return page(
        "timing.html",
        snapshot,
        scope=edition_id,
        edition=edition,
        edition_name=edition_name(edition),
        view=view,
        drawn=drawn,
        step=(chosen, at) if chosen and at else None,
        any_step=_any_step(view),
    )


def _in_words(sequence: ChartedSequence) -> str:
    """Return what the chart of ``sequence`` shows, for those who do not see it."""
    count = _("%(count)s steps, each a link to its rule.", count=len(list(sequence.walk())))
    if sequence.again is None:
        return count
    return f"{count} " + _("After the last one it goes on with: %(step)s", step=sequence.again.short)


def _any_step(view: TimingView) -> bool:
    return bool(view.spans or view.others)
