"""Compare two editions or cards with their English print, and review the differences."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from itertools import combinations
from typing import Any
from urllib.parse import quote

from flask import jsonify, redirect, request, url_for
from werkzeug.wrappers import Response

from corpus.cards.symbols import card_display
from corpus.dates import today
from corpus.errors import NotFound
from corpus.model import Edition, Passage, Role
from glossary.comparison.card_texts import ORIGINAL, CardDifference
from glossary.comparison.pairings import PairingsOfEditions
from glossary.comparison.reviews import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Reviewer,
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
    STATUSES,
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
from service.ops.comparison_pairings import drop_pairing, keep_pairing
from service.ops.comparison_reviews import take_in_reviews
from service.ops.workspace import NotKept
from service.schemas.comparisons import CardDifferenceOut, ComparedCardTextOut
from service.web.editing import (
    book_of,
    check_same_origin,
    editable_workspace,
    editor_key,
    may_edit,
    pairings_of,
)
from service.web.headers import private_page
from service.web.localization import gettext as _
from service.web.localization import language_name
from service.web.pages.layout import (
    HEAD,
    PAGE,
    address_with,
    games_with_editions,
    local_address,
    one_of,
    page,
    page_starts,
    pages,
    requested_page,
    search_words,
)
from service.web.request_context import current_snapshot

MOST_ROWS = 12  # rows of one entry in a list of entries
FEW_EDITIONS = 4  # games with at most this many editions get a link for every pair
_STATUSES = ("", *STATUSES, ALL_STATUSES)
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
_FORM = ("pair", "with")  # parameters that open the form for pairing
_DECISIONS = {"review": ReviewState.REVIEWED, "note": ReviewState.TRANSLATED}
_NOTHING = N_("Nothing was written")
_NO_PASSAGE = "There is no such passage in this comparison any more."
_NO_NAME = N_("Say who reviews, in at most 100 characters.")
_LONG_NOTE = N_("Write at most 2,000 characters.")
_CHANGED = N_(
    "Somebody else has said something of this passage since the page was shown. Look at it again."
)


@pages.get("/compare")
def choose() -> Response:
    """Show the choice of two editions; once both are chosen, redirect to their comparison."""
    left, right = (request.args.get(side, "") for side in ("left", "right"))
    if not left and not right:
        return _choice_page()
    error = _error_text(current_snapshot().library, left, right)
    if error is None:
        return redirect(url_for("pages.compare", left=left, right=right), 303)
    return _choice_page(left, right, error)


def _choice_page(left: str = "", right: str = "", error: str | None = None) -> Response:
    snapshot = current_snapshot()
    games = games_with_editions(snapshot.library)
    few = [game.editions for game in games if len(game.editions) <= FEW_EDITIONS]
    return page(
        "compare_choice.html",
        snapshot,
        422 if error else 200,
        games=[game for game in games if len(game.editions) > 1],
        offered=[pair for editions in few for pair in combinations(editions, 2)],
        chosen=(left, right),
        error=error,
        edition_name=edition_name,
        translated_cards=card_languages(snapshot),
    )


def _error_text(library: Library, left: str, right: str) -> str | None:
    """Return why two editions cannot be compared, None if they can be."""
    if left not in library.edition or right not in library.edition:
        return _("Please choose two editions of the list.")
    if left == right:
        return _("This is one edition twice. Please choose two different ones.")
    if library.edition[left].game != library.edition[right].game:
        return _("These are rulebooks of different games. Please choose two editions of one game.")
    return None


@pages.get("/compare/<left>/<right>")
def compare(left: str, right: str) -> Response:
    """Show the entries of two editions that the filters let through, or one entry alone."""
    snapshot = current_snapshot()
    one, other = snapshot.edition(left), snapshot.edition(right)
    if error := _error_text(snapshot.library, left, right):
        return _choice_page(left, right, error)
    wanted = one_of("source", [NO_SOURCE, *(e.id for e in _sources(snapshot.library, one, other))])
    source = source_edition(snapshot.library.editions, left, right, wanted or None)
    book = pairings_of(one.game)
    return _comparison_page(snapshot, searchable_comparison(snapshot, left, right, source, book))


def _sources(library: Library, left: Edition, right: Edition) -> list[Edition]:
    """Return the editions that can be shown beside two others as their source."""
    spoken = (left.language, right.language)
    return [e for e in library.editions if e.game == left.game and e.language not in spoken]


def _comparison_page(
    snapshot: Snapshot, comparison: SearchableComparison, status: int = 200, **values: object
) -> Response:
    """Return the page that the address asks for; ``values`` describe the result of an import."""
    left, right = comparison.view.left, comparison.view.right
    marks = review_marks(snapshot, comparison, book_of(left.game))
    hand = _pairings(snapshot, left, right)
    filters = ComparisonFilter(
        status=one_of("status", _STATUSES),
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
        "sources": {NO_SOURCE: _("no source edition")}
        | {each.id: edition_name(each) for each in _sources(snapshot.library, left, right)},
        "edition_name": edition_name,
        "comparison": comparison,
        "marks": marks,
        "hand": hand,
        "plain": address_with(**dict.fromkeys(_FORM)),
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
            listed=requested_page(found, PAGE, _entry_size),
            by_status=by_status,
            by_kind=by_kind,
            by_review=by_review,
            most_rows=MOST_ROWS,
            counts=count_reviews(comparison.rows, marks),
            **shown,
        )
    return private_page(made) if may_edit() else made


def _entry_size(compared: EntryComparison) -> int:
    """Return the room that ``compared`` takes, in characters, for `requested_page`."""
    rows = compared.rows[:MOST_ROWS]
    sides = [side for row in rows for side in (row.left, row.right, row.source) if side]
    return HEAD * (1 + len(rows)) + sum(len(run.text) for side in sides for run in side.text)


def _card_size(difference: CardDifferenceOut) -> int:
    sides = (difference.english, difference.translation)
    return HEAD + sum(len(side.text) for side in sides if side)


def _entry_page(
    comparison: SearchableComparison,
    found: list[EntryComparison],
    entry: str,
    values: dict[str, Any],
) -> Response:
    """Return the page of one ``entry``, with links to its neighbours in ``found``."""
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
            starts = page_starts(found, PAGE, _entry_size)
            number = bisect(starts, found.index(compared))
            listed = address_with(entry=None, page=number if number > 1 else None)
            back = f"{listed}#{quote(compared.id)}"
    fields, units = {}, None
    hand: PairingsOfEditions = values["hand"]
    if may_edit():
        marks = values["marks"]
        units = _units_to_pair(snapshot, comparison, compared) if compared else None
        fields = {row.key: fields_of(row, marks.get(row.key)) for row in comparison.rows}
    key = editor_key()
    return page(
        "compare_entry.html",
        snapshot,
        compared=compared,
        entry=snapshot.library.entry.get(entry),
        before=before,
        after=after,
        back=back,
        fields=fields,
        units=units,
        chosen=request.args.get("pair", type=int),
        away=_rows_elsewhere(comparison, compared, hand) if compared else [],
        last_name=hand.applied[-1].pairing.by if hand.applied else "",
        named=key.name if key else "",
        longest={"note": LONGEST_NOTE, "name": LONGEST_NAME},
        **values,
    )


def _pairings(snapshot: Snapshot, left: Edition, right: Edition) -> PairingsOfEditions:
    """Return the pairings made by hand for two editions; cached."""
    book = pairings_of(left.game).between(left, right)
    books = {each.edition.id: each for each in snapshot.library.rulebooks}
    return snapshot.cache.get(
        ("pairings", left.id, right.id, book.digest),
        lambda: PairingsOfEditions(books[left.id], books[right.id], book),
        most=8,
    )


def _units_to_pair(
    snapshot: Snapshot, comparison: SearchableComparison, compared: EntryComparison
) -> list[list[Passage]]:
    """Return the passages of both sides that can be paired: those in the rows of ``compared``, and
    those of another entry that the reader asks for.
    """
    sides: list[dict[str, Passage]] = [{}, {}]
    for row in compared.rows:
        for side, own in enumerate((row.left, row.right)):
            sides[side].update((p.id, p) for p in own.passages)
    editions = comparison.view.left.id, comparison.view.right.id
    further = snapshot.library.entry.get(request.args.get("with", ""))
    if further and further.edition in editions:
        sides[editions.index(further.edition)].update(
            (p.id, p) for p in snapshot.library.passages_of[further.id] if p.role is Role.TEXT
        )
    return [sorted(side.values(), key=lambda p: p.spans) for side in sides]


def _rows_elsewhere(
    comparison: SearchableComparison, compared: EntryComparison, hand: PairingsOfEditions
) -> list[EntryComparison]:
    """Return the entries to which passages of ``compared`` were moved by hand."""
    own = {entry.id for entry in (*compared.left, *compared.right)}
    shown = {p.id for row in compared.rows for p in row.passages}
    gone = {id for id in hand.by_passage if id.partition("#")[0] in own and id not in shown}
    return [
        each
        for each in comparison.entries
        if gone and any(p.id in gone for row in each.rows for p in row.passages)
    ]


# Cards beside their English print


@pages.get("/compare/cards/<game>")
def compare_cards(game: str) -> Response:
    """Show what differs between the cards of a game in one language and the English ones."""
    snapshot = current_snapshot()
    all_languages = card_languages(snapshot).get(game, ())
    if not all_languages:
        raise Problem.unknown("There are no cards of such a game here.")
    language = request.args.get("language", all_languages[0])
    try:
        comparison = compared_cards(snapshot, game, language)
    except NotFound as fault:
        raise Problem.unknown(f"There are no cards of {game} in this language.") from fault
    kind, words = one_of("sort", list(KINDS)), search_words()
    called = _with_words(comparison.differences, words)
    counts = Counter(difference.sort for difference in called)
    order = list(KINDS)
    found = [difference for difference in called if kind in ("", difference.sort)]
    return page(
        "compare_cards.html",
        snapshot,
        listed=requested_page(
            sorted(found, key=lambda each: order.index(each.sort)), PAGE, _card_size
        ),
        kinds=counts,
        kind_names=KINDS,
        filters={"kind": kind, "words": words},
        runs=text_runs,
        scope=game,
        game=next(each for each in games_with_editions(snapshot.library) if each.game == game),
        compared_language=language,
        languages={code: language_name(code) for code in all_languages},
        original=ORIGINAL,
    )


def text_runs(
    side: ComparedCardTextOut, game: str, language: str
) -> list[tuple[bool, tuple[CardTextRun, ...]]]:
    """Return the text of one side in runs, each with whether the other side lacks it."""
    runs, at = [], 0
    for start, end in side.spans:
        runs += [(False, side.text[at:start]), (True, side.text[start:end])]
        at = end
    runs.append((False, side.text[at:]))

    def readable(text: str) -> str:
        # Without markup; blanks at its ends separate a run from its neighbours.
        words = text.strip()
        start = len(text) - len(text.lstrip())
        return text[:start] + card_display(words, game, language) + text[start + len(words) :]

    return [
        (changed, symbol_runs(readable(text), game, language)) for changed, text in runs if text
    ]


def _with_words(differences: list[CardDifferenceOut], words: str) -> list[CardDifferenceOut]:
    """Return the card differences that have all ``words`` in names or ids."""
    sought = plain(words).split()

    def fits(each: CardDifferenceOut) -> bool:
        said = plain(f"{each.name} {each.translated_name or ''} {each.card}")
        return all(word in said for word in sought)

    return [each for each in differences if fits(each)] if sought else differences


# Reviews; all of this works without JavaScript


@pages.post("/compare/<left>/<right>/reviews")
def keep_comparison_review(left: str, right: str) -> Response:
    """Save the review of a row, and go back; 409 if that was changed since the page was shown."""
    home = editable_workspace()
    check_same_origin()
    comparison = _reviewed(current_snapshot(), left, right)
    form = request.form
    key = form.get("key", "")
    row = next((each for each in comparison.rows if each.key == key), None)
    state = _DECISIONS.get(form.get("do", ""))
    if row is None or state is None:
        raise Problem.unknown(_NO_PASSAGE)
    named = editor_key()
    name = named.name if named else form.get("reviewer", "").strip()
    note = form.get("note", "").replace("\r\n", "\n").strip()
    if not name or len(name) > LONGEST_NAME:
        raise _refused(422, _NO_NAME)
    if len(note) > LONGEST_NOTE:
        raise _refused(422, _LONG_NOTE)
    fields = ReviewFields(state, name, note)
    line = FileLine(key, row.id, form.get("stamp", ""), row.texts, fields)
    try:
        file = ReviewFile((left, right), (line,))
        taken = take_in_reviews(home, comparison.view.left.game, file, _editions(comparison), name)
    except NotKept as fault:
        raise _refused(409, str(fault)) from fault
    if taken.faults:
        raise _refused(409, _CHANGED)
    return redirect(local_address(form.get("next", "")), 303)


@pages.post("/compare/<left>/<right>/reviews/file")
def import_comparison_reviews(left: str, right: str) -> Response:
    """Import a file from reviewers; a caller with a key in the header Authorization gets JSON.

    No other site can make a browser send that header, so such a request need not come from a page
    of this one.
    """
    home = editable_workspace()
    by_program = "Authorization" in request.headers
    if not by_program:
        check_same_origin()
    snapshot = current_snapshot()
    comparison = _reviewed(snapshot, left, right)
    file = request.files.get("file")
    if file is None or not file.filename:
        return redirect(url_for("pages.compare", left=left, right=right), 303)
    named = editor_key()
    reviewer = named.name if named else request.form.get("reviewer", "").strip()[:LONGEST_NAME]
    game, editions = comparison.view.left.game, _editions(comparison)
    taken: TakenReviews | None = None
    trouble = ""
    try:
        taken = take_in_reviews(home, game, read_review_file(file.read()), editions, reviewer)
    except (NotKept, UnreadableReviews) as fault:
        trouble = str(fault)
    if not by_program:
        status = 409 if trouble else 200
        return _comparison_page(snapshot, comparison, status, taken=taken, trouble=trouble)
    if taken:
        faults = [fault._asdict() for fault in taken.faults]
        return jsonify(taken=len(taken.reviews), unchanged=taken.unchanged, faults=faults)
    response = jsonify(
        type="urn:regula:problem:out-of-range",
        title="Nothing was taken",
        status=422,
        detail=trouble,
    )
    response.status_code, response.mimetype = 422, "application/problem+json"
    return response


@pages.post("/compare/<left>/<right>/pairings")
def keep_comparison_pairing(left: str, right: str) -> Response:
    """Save or remove a manual pairing of passages; a caller with a key gets JSON, as in
    `import_comparison_reviews`.
    """
    home = editable_workspace()
    by_program = "Authorization" in request.headers
    if not by_program:
        check_same_origin()
    snapshot = current_snapshot()
    game = _checked_editions(snapshot, left, right)[0].game
    books = {each.edition.id: each for each in snapshot.library.rulebooks}
    form, named = request.form, editor_key()
    key = form.get("undo", "")
    try:
        if key:
            if not drop_pairing(home, game, key):
                raise Problem.unknown(_NO_PASSAGE)
        else:
            sides = tuple(list(dict.fromkeys(form.getlist(side))) for side in ("left", "right"))
            known = [
                {p.id for p in books[id].passages if p.role is Role.TEXT} for id in (left, right)
            ]
            if not any(sides) or not all(known[n].issuperset(sides[n]) for n in (0, 1)):
                raise Problem.unknown(_NO_PASSAGE)
            name = named.name if named else form.get("reviewer", "").strip()
            if not name or len(name) > LONGEST_NAME:
                raise _refused(422, _NO_NAME)
            by = Reviewer(name, today())
            key = keep_pairing(home, books[left], books[right], (sides[0], sides[1]), by).key
    except NotKept as fault:
        raise _refused(409, str(fault)) from fault
    if by_program:
        return jsonify(key=key)
    # Not "next", which a script sets to the address where the form is open.
    return redirect(local_address(form.get("back", "")), 303)


@pages.get("/compare/<left>/<right>/pairings")
@pages.get("/compare/<left>/<right>/reviews")
@pages.get("/compare/<left>/<right>/reviews/file")
def after_comparison_reviews(left: str, right: str) -> Response:
    """Redirect to the comparison: links on the page shown after an import lead here."""
    query = f"?{request.query_string.decode('ascii', 'replace')}" if request.query_string else ""
    return redirect(url_for("pages.compare", left=left, right=right) + query, 303)


def _checked_editions(snapshot: Snapshot, left: str, right: str) -> tuple[Edition, Edition]:
    one, other = snapshot.edition(left), snapshot.edition(right)
    if one.game != other.game or left == right:
        raise Problem.unknown("These editions cannot be compared.")
    return one, other


def _reviewed(snapshot: Snapshot, left: str, right: str) -> SearchableComparison:
    one, _other = _checked_editions(snapshot, left, right)
    return searchable_comparison(snapshot, left, right, pairings=pairings_of(one.game))


def _editions(comparison: SearchableComparison) -> ComparedEditions:
    return ComparedEditions(comparison.view.left, comparison.view.right, comparison.rows)


def _refused(status: int, why: str) -> Problem:
    return Problem(status, why, page=(_NOTHING, why))
