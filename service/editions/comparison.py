"""Compare two editions, together with the edition they were translated from: compute, store, and
render as rows, for programs and for a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import shorten, wrap
from typing import NamedTuple

from corpus.errors import NotFound, WrongUse
from corpus.model import Edition, Entry, Passage
from corpus.titles import key
from corpus.workspace import workspace
from glossary.comparison import (
    Agreement,
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
    PassageDifference,
    compare_editions,
    with_source,
)
from glossary.comparison.card_texts import ORIGINAL
from glossary.comparison.pairings import (
    PairingBook,
    PairingsOfEditions,
    load_pairings,
    usable_pairings,
)
from glossary.comparison.reviews import (
    NO_REVIEWS,
    Marks,
    ReviewableRow,
    ReviewBook,
    ReviewMark,
    ReviewStatus,
    count_reviews,
    facing_rows,
    has_review_status,
    marked_rows,
    row_key,
)
from glossary.comparison.wording_checks import owner_checks, with_wording_checks
from glossary.concepts import load_concepts
from glossary.matching.printed_ties import tie_topics
from index.library.library import IndexedRulebook, Library
from service.core.i18n import N_, TranslatableText
from service.core.jobs.stored_works import Work, made, stored
from service.core.snapshot import SnapshotContents
from service.schemas.comparisons import (
    ComparedEntryOut,
    ComparedPassageOut,
    ComparisonOut,
    DifferenceOut,
    FacingPassagesOut,
    HintEvidenceOut,
    PairOut,
    ReviewCountsOut,
    ReviewOut,
    SidesOut,
)

NO_SOURCE = "none"  # requests no source edition, even if there would be one
_IN_WORDS = (DifferenceKind.NUMBERS, DifferenceKind.CONDITIONS, DifferenceKind.FALSE_FRIENDS)
_CLAUSE = 60  # characters of a clause that is named
_WIDTH = 120  # characters of a line on a terminal
_SIGNS = {
    ComparisonStatus.ONLY_LEFT: "<",
    ComparisonStatus.ONLY_RIGHT: ">",
    ComparisonStatus.CHANGED: "≠",
    ComparisonStatus.SAME: "=",
}


class NoSource(WrongUse, ValueError):
    """The source edition requested cannot be shown beside the others."""


class NotComparable(WrongUse, ValueError):
    """Two editions that cannot be compared."""


def source_edition(
    editions: Sequence[Edition], left: str, right: str, wanted: str | None = None
) -> str | None:
    """Return the id of the source edition to show beside ``left`` and ``right``, two of
    ``editions``, or None.

    If none is ``wanted``, only editions in two languages other than English have a source. The
    rest is as in `game_source`; `NoSource` is also raised if the source is one of the two.
    """
    known = {edition.id: edition for edition in editions}
    languages = {known[left].language, known[right].language}
    if wanted is None and (len(languages) < 2 or ORIGINAL in languages):
        return None
    found = game_source(editions, known[left].game, wanted)
    if found in (left, right):
        text = N_("%(edition)s is one of the two editions; name a third one as their source")
        raise NoSource(TranslatableText(text, {"edition": found}))
    return found


def game_source(editions: Sequence[Edition], game: str, wanted: str | None = None) -> str | None:
    """Return the id of the source edition to show beside a term list of ``game``, or None.

    ``wanted`` is the id of an edition, `NO_SOURCE`, or None for the English edition of the game if
    there is exactly one. Raises `NoSource` for an unknown edition or one of another game.
    """
    if wanted == NO_SOURCE:
        return None
    if wanted is None:
        found = [e.id for e in editions if (e.game, e.language) == (game, ORIGINAL)]
        return found[0] if len(found) == 1 else None
    games = {edition.id: edition.game for edition in editions}
    if wanted not in games:
        raise NoSource(unknown_edition(games, wanted))
    if games[wanted] != game:
        text = N_("%(edition)s is a rulebook of another game than %(game)s")
        raise NoSource(TranslatableText(text, {"edition": wanted, "game": game}))
    return wanted


def unknown_edition(known: Iterable[str], name: str) -> TranslatableText:
    """Return the message that there is no edition called ``name``, only those ``known``."""
    text = N_("no edition %(name)s here; there are: %(known)s")
    return TranslatableText(text, {"name": repr(name), "known": ", ".join(known)})


def check_comparable(library: Library, left: str, right: str) -> None:
    """Raise `NotFound` for an edition that is not in ``library``, `NotComparable` if both are the
    same or belong to two games.
    """
    for name in (left, right):
        if name not in library.edition:
            raise NotFound(unknown_edition(library.edition, name))
    if left == right:
        text = N_("%(edition)s is the same as itself; name two editions")
        raise NotComparable(TranslatableText(text, {"edition": left}))
    if library.edition[left].game != library.edition[right].game:
        text = N_("%(left)s and %(right)s are rulebooks of different games")
        raise NotComparable(TranslatableText(text, {"left": left, "right": right}))


def compare_in_library(
    library: Library,
    left: str,
    right: str,
    source: str | None = None,
    pairings: PairingBook | None = None,
) -> EditionComparison:
    """Return the comparison of two editions of ``library``, with the edition ``source`` if given,
    and with manual ``pairings``, by default those of the workspace.

    Raises what `check_comparable` raises, and `DataFileError` if the file of pairings or of checks
    is faulty.
    """

    def compare(left: str, right: str) -> EditionComparison:
        check_comparable(library, left, right)
        books: dict[str, IndexedRulebook] = {book.edition.id: book for book in library.rulebooks}
        sides = books[left], books[right]
        game = sides[0].edition.game
        concepts = load_concepts(game)
        topics = tie_topics(sides)
        book = load_pairings(workspace(), game) if pairings is None else pairings
        fixed = PairingsOfEditions(*sides, book.between(*(side.edition for side in sides))).rows
        compared = compare_editions(
            *sides, library.concepts, library.references_of, concepts, topics, fixed
        )
        return with_wording_checks(
            compared, owner_checks(workspace(), game, strict=pairings is None)
        )

    return _beside(compare, left, right, source)


def comparison_work(
    library: Library, left: str, right: str, pairings: PairingBook | None = None
) -> Work[EditionComparison]:
    """Return the job that compares two editions of ``library`` with manual ``pairings``, by default
    those of the workspace. Raises what `check_comparable` raises.
    """
    check_comparable(library, left, right)
    sides = library.edition[left], library.edition[right]
    book = usable_pairings(workspace(), sides[0].game) if pairings is None else pairings
    said = book.between(*sides)
    named = ("comparison", left, right, *filter(None, [said.digest]))
    return Work(named, _compared, (left, right, said), kept=True)


def _compared(
    snapshot: SnapshotContents, left: str, right: str, pairings: PairingBook
) -> EditionComparison:
    return compare_in_library(snapshot.library, left, right, pairings=pairings)


def snapshot_comparison(
    snapshot: SnapshotContents,
    left: str,
    right: str,
    source: str | None = None,
    pairings: PairingBook | None = None,
) -> EditionComparison:
    """Return the comparison of two editions of a ``snapshot``, from the store or computed now: for
    helper processes, as it takes seconds. Raises what `check_comparable` raises.
    """

    def compare(left: str, right: str) -> EditionComparison:
        return made(snapshot, comparison_work(snapshot.library, left, right, pairings))

    return _beside(compare, left, right, source)


def stored_comparison(
    snapshot: SnapshotContents,
    left: str,
    right: str,
    source: str | None,
    pairings: PairingBook | None,
) -> EditionComparison:
    """Return `snapshot_comparison` from a helper process. Also raises what `stored` raises."""

    def compare(left: str, right: str) -> EditionComparison:
        return stored(snapshot, comparison_work(snapshot.library, left, right, pairings))

    return _beside(compare, left, right, source)


def _beside(
    compare: Callable[[str, str], EditionComparison], left: str, right: str, source: str | None
) -> EditionComparison:
    compared = compare(left, right)
    if source is None:
        return compared
    return with_source(compared, compare(left, source), compare(right, source))


class ReviewedRow(NamedTuple):
    """A row of a comparison in the form all formats use: its pair of entries, its passages, its key
    for reviews, and its review.
    """

    pair: EntryPair
    passages: AlignedPassages
    facing: ReviewableRow
    mark: ReviewMark | None


def reviewed_rows(
    comparison: EditionComparison, reviews: ReviewBook, status: str
) -> Iterator[ReviewedRow]:
    """Yield the rows of ``comparison`` in order; if a ``status``, the value of a `ReviewStatus`, is
    given, only rows with it.
    """
    facing = facing_rows(comparison)
    marks = marked_rows(facing, comparison.left, comparison.right, reviews)
    rows = ((pair, passages) for pair in comparison.pairs for passages in pair.rows)
    for (pair, passages), each in zip(rows, facing, strict=True):
        if has_review_status(each, marks, status):
            yield ReviewedRow(pair, passages, each, marks.get(each.key))


def comparison_out(
    comparison: EditionComparison, reviews: ReviewBook, status: str
) -> ComparisonOut:
    """Return a comparison that begins with the number of entries of each status; with a review
    ``status``, only the rows with it, and the entries with such rows.
    """
    facing = facing_rows(comparison)
    marks = marked_rows(facing, comparison.left, comparison.right, reviews)
    sourced = comparison.source is not None
    rows: dict[int, list[FacingPassagesOut]] = {}
    for row in reviewed_rows(comparison, reviews, status):
        rows.setdefault(id(row.pair), []).append(_facing_passages_out(row, sourced))
    entries = []
    for pair in comparison.pairs:
        if status and id(pair) not in rows:
            continue
        left, right, source = (
            [compared_entry_out(entry) for entry in side]
            for side in (pair.left, pair.right, pair.source)
        )
        entries.append(
            PairOut(
                concept=pair.concept,
                status=pair.status,
                agreement=pair.agreement,
                renamed=pair.renamed,
                left=left,
                right=right,
                source=source if sourced else None,
                references=SidesOut(left=list(pair.references[0]), right=list(pair.references[1])),
                rows=rows.get(id(pair), []),
            )
        )
    return ComparisonOut(
        left=comparison.left.id,
        right=comparison.right.id,
        source=comparison.source.id if comparison.source else None,
        summary={status.value: count for status, count in comparison.counts.items()},
        reviews=ReviewCountsOut(**count_reviews(facing, marks)._asdict()),
        entries=entries,
    )


def compared_entry_out(entry: Entry) -> ComparedEntryOut:
    """Return an entry of one side of a comparison."""
    return ComparedEntryOut(
        entry=entry.id, heading=entry.heading, title=entry.title, lines=list(entry.lines)
    )


def _facing_passages_out(row: ReviewedRow, sourced: bool) -> FacingPassagesOut:
    passages = row.passages
    left, right, source = (
        [
            ComparedPassageOut(
                passage=passage.id,
                lines=list(passage.lines),
                spans=[[*span] for span in passage.spans],
                display=passage.display,
            )
            for passage in side
        ]
        for side in (passages.left, passages.right, passages.source)
    )
    review = None
    if row.mark:
        said = row.mark.review.model_dump(include={"state", "reviewer", "date", "note"})
        review = ReviewOut(status=row.mark.status, **said)
    return FacingPassagesOut(
        id=row.facing.id,
        status=passages.status,
        agreement=passages.agreement,
        moved=passages.moved,
        moved_to=[passage.id for passage in passages.elsewhere],
        by_hand=passages.by_hand or None,
        left=left,
        right=right,
        source=source if sourced else None,
        source_agreed=passages.source_agreed if sourced else None,
        differences=[_difference_out(each) for each in passages.differences],
        doubtful=[_difference_out(each) for each in passages.doubtful],
        review=review,
    )


def _difference_out(difference: PassageDifference) -> DifferenceOut:
    left, right = (
        [
            HintEvidenceOut(
                value=each.value,
                words=each.words,
                passage=each.passage,
                span=[each.start, each.end],
            )
            for each in side
        ]
        for side in difference.evidence
    )
    return DifferenceOut(
        sort=difference.kind,
        left=list(difference.left),
        right=list(difference.right),
        left_evidence=left,
        right_evidence=right,
    )


def comparison_table(
    comparison: EditionComparison, heading: str | None = None, reviews: ReviewBook = NO_REVIEWS
) -> str:
    """Return a comparison as text for a terminal: the summary, then each differing entry, with a
    line for each of its differences and its ``reviews``.

    With a ``heading`` (case does not matter), only the entries of either edition that have it, with
    the texts of both sides. Raises `NotFound` if there are none.
    """
    left, right = comparison.left, comparison.right
    lines = [f"{left.id}  |  {right.id}"]
    rows = facing_rows(comparison)
    marks = marked_rows(rows, left, right, reviews)
    if heading is None:
        lines += [f"  {_SIGNS[s]} {s.value:11}{n:5}" for s, n in comparison.counts.items()]
        pairs = [pair for pair in comparison.pairs if pair.status is not ComparisonStatus.SAME]
        if marks:
            counts = count_reviews(rows, marks)
            of = f"reviewed {counts.reviewed} of {counts.open + counts.reviewed} differences"
            before = f", {counts.reworded} before their wording changed" if counts.reworded else ""
            lines.append(f"  {of}{before}")
    else:
        sought = key(heading)
        pairs = [
            pair
            for pair in comparison.pairs
            if any(sought in (key(e.heading), key(e.title)) for e in (*pair.left, *pair.right))
        ]
        if not pairs:
            raise NotFound(f"no entry {heading!r} in {left.id} or {right.id}")
    for pair in pairs:
        names = (
            ", ".join(f"{entry.title} ({entry.lines.first})" for entry in side) or "–"
            for side in (pair.left, pair.right)
        )
        lines += ["", f"{_sign(pair)} {'  |  '.join(names)}"]
        lines += _pair_lines(pair, comparison, marks, texts=heading is not None)
    return "\n".join(lines)


def _sign(sides: EntryPair | AlignedPassages) -> str:
    """Return the sign before a line about ``sides``: "<", "≠", "~" if freely rendered, …"""
    free = sides.agreement is Agreement.FREELY_RENDERED
    return "~" if free and sides.status is ComparisonStatus.SAME else _SIGNS[sides.status]


def _pair_lines(
    pair: EntryPair, comparison: EditionComparison, marks: Marks, texts: bool
) -> Iterator[str]:
    """Return the lines of the table about the references and passages of ``pair``; with ``texts``,
    the texts of all passages too.
    """
    languages = comparison.left.language, comparison.right.language
    for side, names in zip(("left", "right"), pair.references, strict=True):
        if names:
            only = ", ".join(name.rpartition("/")[2] for name in names)
            yield f"    references only {side}: {only}"
    for row in pair.rows:
        if texts or (row.status is not ComparisonStatus.SAME and pair.left and pair.right):
            left, right = (first_lines(side) or "–" for side in (row.left, row.right))
            mark = marks.get(row_key(row, languages)) if marks else None
            said = "  ".join(filter(None, (differences_text(row), _mark_text(mark))))
            yield f"    {_sign(row)} {left}  |  {right}  {said}".rstrip()
        if texts:
            if row.doubtful:
                yield f"        perhaps {doubtful_text(row)}"
            for sign, text in zip("<>", row.texts, strict=True):
                yield from wrap(
                    text, _WIDTH, initial_indent=f"        {sign} ", subsequent_indent=" " * 10
                )


def _mark_text(mark: ReviewMark | None) -> str:
    """Return the review of a row: "[reviewed by Anna, 2031-05-01: a note]"."""
    if mark is None:
        return ""
    said = {
        ReviewStatus.OPEN: "note",
        ReviewStatus.REVIEWED: mark.review.state,
        ReviewStatus.REWORDED: "reviewed before the wording changed",
    }[mark.status]
    note = f": {' '.join(mark.review.note.split())}" if mark.review.note else ""
    return f"[{said} by {mark.review.reviewer}, {mark.review.date}{note}]"


def differences_text(row: AlignedPassages) -> str:
    """Return the differences between the two sides of a row, in one line."""
    moved = [*["moved"] * row.moved, *(f"moved to {p.id}" for p in row.elsewhere)]
    return "; ".join([*moved, *map(_difference_text, row.differences)])


def doubtful_text(row: AlignedPassages) -> str:
    """Return the possible differences between the two sides of a row, in one line."""
    return "; ".join(map(_difference_text, row.doubtful))


def _difference_text(difference: PassageDifference) -> str:
    left, right = (", ".join(named_values(difference, side)) or "–" for side in (0, 1))
    return f"{difference.kind.value}: {left} | {right}"


def named_values(difference: PassageDifference, side: int) -> list[str]:
    """Return the values that only one side has (0 is the left one), with the words they were read
    from if these tell more: "4 (vier)".
    """
    evidence = difference.evidence[side]
    if difference.kind is DifferenceKind.RENDERINGS:
        return [f"{each.value} ({each.passage})" for each in evidence]
    if difference.kind not in _IN_WORDS or not evidence:
        values = (difference.left, difference.right)[side]
        return [shorten(value, _CLAUSE, placeholder=" …") for value in values]
    named = [
        each.words if each.value == each.words.casefold() else f"{each.value} ({each.words})"
        for each in evidence
    ]
    return list(dict.fromkeys(named)) if difference.kind is DifferenceKind.CONDITIONS else named


def first_lines(things: tuple[Entry, ...] | tuple[Passage, ...]) -> str:
    """Return the numbers of the lines that ``things`` begin at: "12, 40"."""
    return ", ".join(str(thing.lines.first) for thing in things)
