"""Two editions side by side, and filters for what differs between them."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from urllib.parse import quote

from flask import Response as FlaskResponse
from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from corpus.model import Edition
from glossary.comparison import ComparisonStatus
from glossary.comparison.reviews import LONGEST_NAME, LONGEST_NOTE, ReviewStatus, count_reviews
from index.library.library import Library
from service.answers.citations import edition_name
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.card_comparison import card_languages
from service.editions.comparison import NO_SOURCE, source_edition
from service.editions.comparison_view import (
    ALL_STATUSES,
    DIFFERENCE_KINDS,
    ComparisonFilter,
    EntryComparison,
    SearchableComparison,
    count_by_kind,
    count_by_review,
    count_by_status,
    filter_entries,
    review_marks,
    searchable_comparison,
)
from service.editions.reviewed.units import fields_of
from service.web.editing import editor_key, may_edit, private_page
from service.web.localization import gettext as _
from service.web.pages.layout import games_with_editions, page, pages
from service.web.pages.pagination import address_with, one_of, requested_page, search_words
from service.web.request_context import current_snapshot
from service.web.reviewing import book_of

LENGTH = 25  # entries on one page
FEW_EDITIONS = 4  # games with at most so many editions have a link for every two of them

STATUSES = ("", *(status.value for status in ComparisonStatus), ALL_STATUSES)


@pages.get("/compare")
def choose() -> Response:
    """Show the choice of two editions; once both are chosen, lead to their comparison."""
    snapshot = current_snapshot()
    library = snapshot.library
    left, right = (request.args.get(side, "") for side in ("left", "right"))
    if left or right:
        error = _error_text(library, left, right)
        if error is None:
            return redirect(url_for("pages.compare", left=left, right=right), 303)
        return _choice_page(left, right, error)
    return _choice_page()


@pages.get("/compare/<left>/<right>")
def compare(left: str, right: str) -> Response:
    """Show two editions side by side: the entries that the filters let through, by pages, or one
    entry alone.
    """
    snapshot = current_snapshot()
    left_edition, right_edition = snapshot.edition(left), snapshot.edition(right)
    if error := _error_text(snapshot.library, left, right):
        return _choice_page(left, right, error)
    source, _sources = _source_editions(snapshot.library, left_edition, right_edition)
    return comparison_page(snapshot, searchable_comparison(snapshot, left, right, source))


def comparison_page(
    snapshot: Snapshot, comparison: SearchableComparison, status: int = 200, **values: object
) -> FlaskResponse:
    """Return the page of a ``comparison`` that the address asks for; ``values`` say what came of a
    file that was sent to it.
    """
    left, right = comparison.view.left, comparison.view.right
    _, sources = _source_editions(snapshot.library, left, right)
    marks = review_marks(snapshot, comparison, book_of(left.game))
    filters = ComparisonFilter(
        status=one_of("status", STATUSES),
        kind=one_of("sort", DIFFERENCE_KINDS),
        words=search_words(),
        review=one_of("review", list(ReviewStatus)),
        marks=marks,
    )
    found = filter_entries(comparison, filters)
    shown: dict[str, Any] = {
        "left": left,
        "right": right,
        "source": comparison.view.source,
        "sources": sources,
        "edition_name": edition_name,
        "address_with": address_with,
        "comparison": comparison,
        "marks": marks,
        **values,
    }
    if entry := request.args.get("entry"):
        made = _entry_page(comparison, found, entry, shown)
    else:
        by_status, by_kind, by_review = (
            count(comparison, filters)
            for count in (count_by_status, count_by_kind, count_by_review)
        )
        made = page(
            "compare.html",
            snapshot,
            status,
            filters=filters,
            listed=requested_page(found, LENGTH),
            statuses=[(status, by_status[status]) for status in STATUSES],
            kinds=[
                (kind, by_kind[kind])
                for kind in DIFFERENCE_KINDS
                if by_kind[kind] or kind == filters.kind
            ],
            reviews=[(review, by_review[review]) for review in ("", *ReviewStatus)]
            if marks or filters.review
            else [],
            counts=count_reviews(comparison.rows, marks),
            **shown,
        )
    return private_page(made) if may_edit() else made


def _source_editions(
    library: Library, left: Edition, right: Edition
) -> tuple[str | None, list[Edition]]:
    """Return the id of the edition that two others are shown beside, and those that the reader may
    choose; an unknown one is the usual.
    """
    choices = [
        e
        for e in library.editions
        if e.game == left.game and e.language not in (left.language, right.language)
    ]
    wanted = one_of("source", [NO_SOURCE, *(edition.id for edition in choices)]) or None
    return source_edition(library.editions, left.id, right.id, wanted), choices


def _entry_page(
    comparison: SearchableComparison,
    found: list[EntryComparison],
    entry: str,
    values: dict[str, Any],
) -> FlaskResponse:
    """Return the page of one ``entry`` of a ``comparison``, with links to the entries of ``found``
    before and after it.
    """
    snapshot = current_snapshot()
    compared = comparison.by_entry.get(entry)
    if compared is None and entry not in snapshot.library.entry:
        raise Problem.unknown("There is no such entry here; GET /v1/entries lists those there are.")
    before = after = None
    back = address_with(entry=None)
    if compared is not None:
        order = {each.id: number for number, each in enumerate(comparison.entries)}
        position = order[compared.id]
        before = next((each for each in reversed(found) if order[each.id] < position), None)
        after = next((each for each in found if order[each.id] > position), None)
        if compared in found:
            number = found.index(compared) // LENGTH + 1
            back = f"{address_with(entry=None, page=number if number > 1 else None)}#{quote(compared.id)}"
    return page(
        "compare_entry.html",
        snapshot,
        compared=compared,
        entry=snapshot.library.entry.get(entry),
        before=before,
        after=after,
        back=back,
        fields={row.key: fields_of(row, values["marks"].get(row.key)) for row in comparison.rows}
        if may_edit()
        else {},
        named=key.name if (key := editor_key()) else "",
        longest={"note": LONGEST_NOTE, "name": LONGEST_NAME},
        **values,
    )


def _choice_page(left: str = "", right: str = "", error: str | None = None) -> Response:
    snapshot = current_snapshot()
    games = [game for game in games_with_editions(snapshot.library) if len(game.editions) > 1]
    return page(
        "compare_choice.html",
        snapshot,
        422 if error else 200,
        games=games,
        offered=_offered_pairs(snapshot.library),
        chosen=(left, right),
        error=error,
        edition_name=edition_name,
        translated_cards=card_languages(snapshot),
    )


def _offered_pairs(library: Library) -> list[tuple[Edition, Edition]]:
    """Return every two editions of a game, for games that have few."""
    few = [
        game.editions for game in games_with_editions(library) if len(game.editions) <= FEW_EDITIONS
    ]
    return [pair for editions in few for pair in combinations(editions, 2)]


def _error_text(library: Library, left: str, right: str) -> str | None:
    """Return why two editions cannot be compared, None where they can be."""
    if left not in library.edition or right not in library.edition:
        return _("Please choose two editions of the list.")
    if left == right:
        return _("This is one edition twice. Please choose two different ones.")
    if library.edition[left].game != library.edition[right].game:
        return _("These are rulebooks of different games. Please choose two editions of one game.")
    return None
