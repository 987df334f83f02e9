"""Two editions side by side, cards beside their English print, and reviews of what differs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any
from urllib.parse import quote

from flask import jsonify, redirect, request, url_for
from werkzeug.wrappers import Response

from corpus.cards.symbols import card_display
from corpus.errors import NotFound
from corpus.model import Edition
from glossary.comparison import ComparisonStatus
from glossary.comparison.card_texts import ORIGINAL, CardDifference
from glossary.comparison.reviews import (
    LONGEST_NAME,
    LONGEST_NOTE,
    ReviewState,
    ReviewStatus,
    count_reviews,
)
from index.analysis import plain
from index.library.library import Library
from service.answers.citations import edition_name
from service.browse.card_page import (
    CardTextRun,
    symbol_runs,
)
from service.core.i18n import N_
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
from service.editions.exported_files import compared_cards
from service.editions.review_import import ComparedEditions, TakenReviews, read_review_file
from service.editions.review_units import (
    FileLine,
    ReviewFields,
    ReviewFile,
    UnreadableReviews,
    fields_of,
)
from service.ops.comparison_reviews import take_in_reviews
from service.ops.workspace import NotKept
from service.schemas.comparisons import CardDifferenceOut, ComparedCardTextOut
from service.web.editing import (
    book_of,
    check_same_origin,
    editable_workspace,
    editor_key,
    may_edit,
)
from service.web.headers import private_page
from service.web.localization import gettext as _
from service.web.pages.layout import (
    address_with,
    games_with_editions,
    local_address,
    one_of,
    page,
    pages,
    requested_page,
    search_words,
)
from service.web.request_context import current_snapshot

LENGTH = 25  # entries or differences on one page
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
) -> Response:
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
) -> Response:
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
    few = [
        game.editions for game in games_with_editions(library) if len(game.editions) <= FEW_EDITIONS
    ]
    return [pair for editions in few for pair in combinations(editions, 2)]


def _error_text(library: Library, left: str, right: str) -> str | None:
    if left not in library.edition or right not in library.edition:
        return _("Please choose two editions of the list.")
    if left == right:
        return _("This is one edition twice. Please choose two different ones.")
    if library.edition[left].game != library.edition[right].game:
        return _("These are rulebooks of different games. Please choose two editions of one game.")
    return None


KINDS = {
    CardDifference.NUMBERS: N_("Number"),
    CardDifference.SYMBOLS: N_("Symbol"),
    CardDifference.TERMS: N_("Term"),
    CardDifference.CONDITIONS: N_("Condition"),
    CardDifference.UNTRANSLATED: N_("Text still in English"),
    CardDifference.TEXT: N_("Text without a translation"),
    CardDifference.FACE: N_("Face without a translation"),
    CardDifference.CARD: N_("Card without a translation"),
}


@pages.get("/compare/cards/<game>")
def compare_cards(game: str) -> Response:
    """Show what differs between the cards of a game in one language and the English ones, by
    pages.
    """
    snapshot = current_snapshot()
    languages = card_languages(snapshot).get(game, ())
    if not languages:
        raise Problem.unknown("There are no cards of such a game here.")
    language = request.args.get("language", languages[0])
    shown: dict[str, Any] = {
        "scope": game,
        "game": next(
            scope for scope in games_with_editions(snapshot.library) if scope.game == game
        ),
        "compared_language": language,
        "languages": languages,
        "original": ORIGINAL,
        "address_with": address_with,
    }
    try:
        comparison = compared_cards(snapshot, game, language)
    except NotFound as fault:
        raise Problem.unknown(f"There are no cards of {game} in this language.") from fault
    kind, words = one_of("sort", list(KINDS)), search_words()
    called = _with_words(comparison.differences, words)
    counts = Counter(difference.sort for difference in called)
    found = [difference for difference in called if kind in ("", difference.sort)]
    return page(
        "compare_cards.html",
        snapshot,
        listed=requested_page(
            sorted(found, key=lambda difference: _ORDER[difference.sort]), LENGTH
        ),
        kinds=[(each, counts[each]) for each in KINDS if counts[each] or each == kind],
        kind_names=KINDS,
        filters={"kind": kind, "words": words},
        runs=text_runs,
        **shown,
    )


_ORDER = {kind: number for number, kind in enumerate(KINDS)}


def text_runs(
    side: ComparedCardTextOut, game: str, language: str
) -> list[tuple[bool, tuple[CardTextRun, ...]]]:
    """Return the text of one side for readers, cut into runs with their symbols; with each, whether
    the other side has nothing for it.
    """
    runs, at = [], 0
    for start, end in side.spans:
        runs += [(False, side.text[at:start]), (True, side.text[start:end])]
        at = end
    runs.append((False, side.text[at:]))
    return [
        (changed, symbol_runs(_readable(text, game, language), game, language))
        for changed, text in runs
        if text
    ]


def _readable(text: str, game: str, language: str) -> str:
    words = text.strip()
    start = len(text) - len(text.lstrip())
    return text[:start] + card_display(words, game, language) + text[start + len(words) :]


def _with_words(differences: list[CardDifferenceOut], words: str) -> list[CardDifferenceOut]:
    sought = plain(words).split()
    if not sought:
        return differences
    return [
        d
        for d in differences
        if all(word in plain(f"{d.name} {d.translated_name or ''} {d.card}") for word in sought)
    ]


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
    one, other = snapshot.edition(left), snapshot.edition(right)
    if one.game != other.game or left == right:
        raise Problem.unknown("These editions cannot be compared.")
    return searchable_comparison(snapshot, left, right)


def _compared(comparison: SearchableComparison) -> ComparedEditions:
    return ComparedEditions(comparison.view.left, comparison.view.right, comparison.rows)


def _refused(status: int, why: str) -> Problem:
    return Problem(status, why, page=(_NOTHING, why))
