"""Saying of a difference that it is reviewed, and taking in files that come back from reviewers.
All of it works without script.
"""

from __future__ import annotations

from flask import jsonify, redirect, request, url_for
from werkzeug.wrappers import Response

from glossary.comparison.reviews import LONGEST_NAME, LONGEST_NOTE, ReviewState
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.comparison_view import SearchableComparison, searchable_comparison
from service.editions.reviewed.reading import (
    FileLine,
    ReviewFile,
    UnreadableReviews,
    read_review_file,
)
from service.editions.reviewed.taking_in import ComparedEditions, TakenReviews
from service.editions.reviewed.units import ReviewFields
from service.ops.comparison_reviews import take_in_reviews
from service.ops.workspace_files import NotKept
from service.web.editing import editable_workspace, editor_key
from service.web.pages.compare import comparison_page
from service.web.pages.layout import pages
from service.web.pages.preferences import local_address
from service.web.request_context import current_snapshot
from service.web.same_origin import check_same_origin

_DECISIONS = {"review": ReviewState.REVIEWED, "note": ReviewState.TRANSLATED}
_NOTHING = N_("Nothing was written")
_NO_NAME = N_("Say who reviews, in at most 100 characters.")
_LONG_NOTE = N_("Write at most 2,000 characters.")
_CHANGED = N_(
    "Somebody else has said something of this passage since the page was shown. Look at it again."
)


@pages.post("/compare/<left>/<right>/reviews")
def keep_comparison_review(left: str, right: str) -> Response:
    """Write what is said of one row, and go back; 409 where somebody else has said something of it
    since the page was shown.
    """
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    comparison = _comparison(snapshot, left, right)
    key = request.form.get("key", "")
    row = next((each for each in comparison.rows if each.key == key), None)
    state = _DECISIONS.get(request.form.get("do", ""))
    if row is None or state is None:
        raise Problem.unknown("There is no such passage in this comparison any more.")
    named = editor_key()
    name = named.name if named else request.form.get("reviewer", "").strip()
    note = request.form.get("note", "").replace("\r\n", "\n").strip()
    if not name or len(name) > LONGEST_NAME:
        raise _refused(422, _NO_NAME)
    if len(note) > LONGEST_NOTE:
        raise _refused(422, _LONG_NOTE)
    line = FileLine(
        key, row.id, request.form.get("stamp", ""), row.texts, ReviewFields(state, name, note)
    )
    try:
        file = ReviewFile((left, right), (line,))
        taken = take_in_reviews(home, comparison.view.left.game, file, _compared(comparison), name)
    except NotKept as fault:
        raise _refused(409, str(fault)) from fault
    if taken.faults:
        raise _refused(409, _CHANGED)
    return redirect(local_address(request.form.get("next", "")), 303)


@pages.post("/compare/<left>/<right>/reviews/file")
def import_comparison_reviews(left: str, right: str) -> Response:
    """Take in a file that comes back from reviewers, and show what came of it; who sends a key in a
    header is answered with JSON.

    No page of another site can have a browser send that header, so such a request need not come
    from a page of this one.
    """
    home = editable_workspace()
    by_program = "Authorization" in request.headers
    if not by_program:
        check_same_origin()
    snapshot = current_snapshot()
    comparison = _comparison(snapshot, left, right)
    file = request.files.get("file")
    if file is None or not file.filename:
        return redirect(url_for("pages.compare", left=left, right=right), 303)
    named = editor_key()
    reviewer = named.name if named else request.form.get("reviewer", "").strip()[:LONGEST_NAME]
    taken: TakenReviews | None = None
    trouble = ""
    try:
        taken = take_in_reviews(
            home,
            comparison.view.left.game,
            read_review_file(file.read()),
            _compared(comparison),
            reviewer,
        )
    except (NotKept, UnreadableReviews) as fault:
        trouble = str(fault)
    if by_program:
        return _account(taken) if taken else _problem(trouble)
    return comparison_page(
        snapshot, comparison, 409 if trouble else 200, taken=taken, trouble=trouble
    )


@pages.get("/compare/<left>/<right>/reviews")
@pages.get("/compare/<left>/<right>/reviews/file")
def after_comparison_reviews(left: str, right: str) -> Response:
    """Lead back to the comparison: what came of a file is shown under the address it was sent to,
    and its links begin with that.
    """
    query = f"?{request.query_string.decode('ascii', 'replace')}" if request.query_string else ""
    return redirect(url_for("pages.compare", left=left, right=right) + query, 303)


def _account(taken: TakenReviews) -> Response:
    faults = [fault._asdict() for fault in taken.faults]
    return jsonify(taken=len(taken.reviews), unchanged=taken.unchanged, faults=faults)


def _problem(trouble: str) -> Response:
    response = jsonify(
        type="urn:regula:problem:out-of-range",
        title="Nothing was taken",
        status=422,
        detail=trouble,
    )
    response.status_code, response.mimetype = 422, "application/problem+json"
    return response


def _comparison(snapshot: Snapshot, left: str, right: str) -> SearchableComparison:
    """Return the comparison. Raises `Problem` 404 for editions that cannot be compared, 503 where
    it takes too long.
    """
    one, other = snapshot.edition(left), snapshot.edition(right)
    if one.game != other.game or left == right:
        raise Problem.unknown("These editions cannot be compared.")
    return searchable_comparison(snapshot, left, right)


def _compared(comparison: SearchableComparison) -> ComparedEditions:
    return ComparedEditions(comparison.view.left, comparison.view.right, comparison.rows)


def _refused(status: int, why: str) -> Problem:
    return Problem(status, why, page=(_NOTHING, why))
