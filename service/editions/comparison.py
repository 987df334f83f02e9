"""The comparison of two editions of a library, beside the edition they were translated from: for
programs and for a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from corpus.errors import NotFound, WrongUse
from corpus.model import Edition, Entry, Passage
from corpus.titles import key
from glossary.comparison import (
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
from glossary.comparison.segments import SegmentedComparison, segmented
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

NO_SOURCE = "none"  # asks for no source edition where there would be one
_IN_WORDS = (DifferenceKind.NUMBERS, DifferenceKind.CONDITIONS, DifferenceKind.FALSE_FRIENDS)
_WIDTH = 120  # characters of a line on a terminal
_SIGNS = {
    ComparisonStatus.ONLY_LEFT: "<",
    ComparisonStatus.ONLY_RIGHT: ">",
    ComparisonStatus.CHANGED: "≠",
    ComparisonStatus.SAME: "=",
}


class NoSource(WrongUse, ValueError):
    """An edition that two others cannot be shown beside; the message says why."""


def source_edition(
    editions: Sequence[Edition], left: str, right: str, wanted: str | None = None
) -> str | None:
    """Return the id of the edition that ``left`` and ``right``, two of ``editions``, are shown
    beside; None for none.

    Without a ``wanted`` one, only editions in two languages other than English are shown beside
    one. Else as `game_source`; raises `NoSource` for one of the two, too.
    """
    known = {edition.id: edition for edition in editions}
    languages = {known[left].language, known[right].language}
    if wanted is None and (len(languages) < 2 or ORIGINAL in languages):
        return None
    found = game_source(editions, known[left].game, wanted)
    if found in (left, right):
        raise NoSource(
            TranslatableText(
                N_("%(edition)s is one of the two editions; name a third one as their source"),
                {"edition": found},
            )
        )
    return found


def game_source(editions: Sequence[Edition], game: str, wanted: str | None = None) -> str | None:
    """Return the id of the edition that a term list of ``game`` is shown beside; None for none.

    ``wanted`` is the id of an edition, `NO_SOURCE`, or None for the English edition of the game
    where there is exactly one. Raises `NoSource` for an unknown edition or one of another game.
    """
    if wanted == NO_SOURCE:
        return None
    if wanted is None:
        found = [
            edition.id
            for edition in editions
            if (edition.game, edition.language) == (game, ORIGINAL)
        ]
        return found[0] if len(found) == 1 else None
    games = {edition.id: edition.game for edition in editions}
    if wanted not in games:
        known = {"name": repr(wanted), "known": ", ".join(games)}
        raise NoSource(
            TranslatableText(N_("no edition %(name)s here; there are: %(known)s"), known)
        )
    if games[wanted] != game:
        raise NoSource(
            TranslatableText(
                N_("%(edition)s is a rulebook of another game than %(game)s"),
                {"edition": wanted, "game": game},
            )
        )
    return wanted


class NotComparable(WrongUse, ValueError):
    """Two editions that have nothing to be compared by; the message says why."""


def compare_in_library(
    library: Library, left: str, right: str, source: str | None = None
) -> EditionComparison:
    """Return the comparison of the editions ``left`` and ``right`` of ``library``, beside the
    edition ``source`` where it is given.

    Raises what `check_comparable` raises.
    """
    check_comparable(library, left, right)
    if source is not None:
        return with_source(
            *(
                compare_in_library(library, *sides)
                for sides in ((left, right), (left, source), (right, source))
            )
        )
    books: dict[str, IndexedRulebook] = {b.edition.id: b for b in library.rulebooks}
    one, other = books[left], books[right]
    return compare_editions(
        one,
        other,
        library.concepts,
        library.references_of,
        load_concepts(one.edition.game),
        tie_topics((one, other)),
    )


def check_comparable(library: Library, left: str, right: str) -> None:
    """Raise `NotFound` for an edition that is not in ``library``, `NotComparable` for one edition
    twice or editions of two games.
    """
    for name in (left, right):
        if name not in library.edition:
            raise NotFound(unknown_edition(library, name))
    if left == right:
        raise NotComparable(
            TranslatableText(
                N_("%(edition)s is the same as itself; name two editions"), {"edition": left}
            )
        )
    if library.edition[left].game != library.edition[right].game:
        text = TranslatableText(
            N_("%(left)s and %(right)s are rulebooks of different games"),
            {"left": left, "right": right},
        )
        raise NotComparable(text)


def unknown_edition(library: Library, name: str) -> TranslatableText:
    """Say that there is no edition called ``name``, and which there are."""
    return TranslatableText(
        N_("no edition %(name)s here; there are: %(known)s"),
        {"name": repr(name), "known": ", ".join(library.edition)},
    )


def comparison_work(left: str, right: str) -> Work[EditionComparison]:
    """Return the work of comparing two editions."""
    return Work(("comparison", left, right), _compared, (left, right), kept=True)


def segments_work(left: str, right: str, source: str | None) -> Work[SegmentedComparison]:
    """Return the work of aligning the sentences of two editions, beside the edition ``source``
    where there is one.
    """
    return Work(
        ("sentences", left, right, source or ""), _segmented, (left, right, source), kept=True
    )


def _compared(snapshot: SnapshotContents, left: str, right: str) -> EditionComparison:
    return compare_in_library(snapshot.library, left, right)


def _segmented(
    snapshot: SnapshotContents, left: str, right: str, source: str | None
) -> SegmentedComparison:
    return segmented(snapshot_comparison(snapshot, left, right, source))


def snapshot_comparison(
    snapshot: SnapshotContents, left: str, right: str, source: str | None = None
) -> EditionComparison:
    """Return the comparison of two editions of a ``snapshot``, beside the edition ``source`` where
    it is given: stored, or made now.

    This takes seconds, so it is for helper processes; others call `stored_comparison`. Raises what
    `compare_in_library` raises.
    """
    return _beside(
        lambda one, other: made(snapshot, comparison_work(one, other)), left, right, source
    )


def stored_comparison(
    snapshot: SnapshotContents,
    left: str,
    right: str,
    source: str | None = None,
    patience: float | None = None,
) -> EditionComparison:
    """Return the same as a helper process makes it. Raises as
    `service.core.jobs.stored_works.stored`.
    """
    check_comparable(snapshot.library, left, right)
    return _beside(
        lambda one, other: stored(snapshot, comparison_work(one, other), patience),
        left,
        right,
        source,
    )


def _beside(
    compare: Callable[[str, str], EditionComparison], left: str, right: str, source: str | None
) -> EditionComparison:
    compared = compare(left, right)
    return (
        compared
        if source is None
        else with_source(compared, compare(left, source), compare(right, source))
    )


class ReviewedRow(NamedTuple):
    """A row of a comparison, as every format has it: its pair of entries, its passages, what
    reviews know it by, and its review.
    """

    pair: EntryPair
    passages: AlignedPassages
    facing: ReviewableRow
    mark: ReviewMark | None


def reviewed_rows(
    comparison: EditionComparison, reviews: ReviewBook = NO_REVIEWS, status: str = ""
) -> Iterator[ReviewedRow]:
    """Yield the rows of ``comparison`` in order; with the value of a `ReviewStatus`, only those
    that have this ``status``.
    """
    facing = facing_rows(comparison)
    marks = marked_rows(facing, comparison.left, comparison.right, reviews)
    rows = ((pair, passages) for pair in comparison.pairs for passages in pair.rows)
    for (pair, passages), each in zip(rows, facing, strict=True):
        if has_review_status(each, marks, status):
            yield ReviewedRow(pair, passages, each, marks.get(each.key))


def comparison_out(
    comparison: EditionComparison, reviews: ReviewBook = NO_REVIEWS, status: str = ""
) -> ComparisonOut:
    """Return a comparison with the number of entries of each status first, and what ``reviews`` say
    of its passages.

    With the value of a `ReviewStatus`, only the passages that have this ``status``, and the entries
    that have such.
    """
    facing = facing_rows(comparison)
    marks = marked_rows(facing, comparison.left, comparison.right, reviews)
    sourced = comparison.source is not None
    rows: dict[int, list[FacingPassagesOut]] = {}
    for row in reviewed_rows(comparison, reviews, status):
        rows.setdefault(id(row.pair), []).append(_facing_passages_out(row, sourced))
    return ComparisonOut(
        left=comparison.left.id,
        right=comparison.right.id,
        source=comparison.source.id if comparison.source else None,
        summary={status.value: count for status, count in comparison.counts.items()},
        reviews=ReviewCountsOut(**count_reviews(facing, marks)._asdict()),
        entries=[
            PairOut(
                concept=pair.concept,
                status=pair.status,
                renamed=pair.renamed,
                left=[compared_entry_out(entry) for entry in pair.left],
                right=[compared_entry_out(entry) for entry in pair.right],
                source=[compared_entry_out(entry) for entry in pair.source] if sourced else None,
                references=SidesOut(left=list(pair.references[0]), right=list(pair.references[1])),
                rows=rows.get(id(pair), []),
            )
            for pair in comparison.pairs
            if not status or id(pair) in rows
        ],
    )


def compared_entry_out(entry: Entry) -> ComparedEntryOut:
    """Return an entry of one side of a comparison."""
    return ComparedEntryOut(
        entry=entry.id, heading=entry.heading, title=entry.title, lines=list(entry.lines)
    )


def _facing_passages_out(row: ReviewedRow, sourced: bool) -> FacingPassagesOut:
    passages, review = row.passages, row.mark.review if row.mark else None
    return FacingPassagesOut(
        id=row.facing.id,
        status=passages.status,
        moved=passages.moved,
        left=[_compared_passage_out(passage) for passage in passages.left],
        right=[_compared_passage_out(passage) for passage in passages.right],
        source=[_compared_passage_out(passage) for passage in passages.source] if sourced else None,
        source_agreed=passages.source_agreed if sourced else None,
        differences=[_difference_out(each) for each in passages.differences],
        doubtful=[_difference_out(each) for each in passages.doubtful],
        review=ReviewOut(
            status=row.mark.status,
            state=review.state,
            reviewer=review.reviewer,
            date=review.date,
            note=review.note,
        )
        if row.mark and review
        else None,
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


def _compared_passage_out(passage: Passage) -> ComparedPassageOut:
    return ComparedPassageOut(
        passage=passage.id,
        lines=list(passage.lines),
        spans=[[start, end] for start, end in passage.spans],
        display=passage.display,
    )


def comparison_table(
    comparison: EditionComparison, heading: str | None = None, reviews: ReviewBook = NO_REVIEWS
) -> str:
    """Return a comparison as text for a terminal: the summary, then each entry that differs, with a
    line for each of its differences.

    The summary says how many differences are reviewed where there are ``reviews`` of any, and their
    lines end with who did. With a ``heading``, in whatever capitals, only the entries of either
    edition that have it, with the texts of both sides. Raises `NotFound` where there is none.
    """
    lines = [f"{comparison.left.id}  |  {comparison.right.id}"]
    facing = facing_rows(comparison)
    marks = marked_rows(facing, comparison.left, comparison.right, reviews)
    if heading is None:
        lines += [
            f"  {_SIGNS[status]} {status.value:11}{count:5}"
            for status, count in comparison.counts.items()
        ]
        pairs = [pair for pair in comparison.pairs if pair.status is not ComparisonStatus.SAME]
        if marks:
            counts = count_reviews(facing, marks)
            before = f", {counts.reworded} before their wording changed" if counts.reworded else ""
            lines.append(
                f"  reviewed {counts.reviewed} of {counts.open + counts.reviewed} differences{before}"
            )
    else:
        sought = key(heading)
        pairs = [
            pair
            for pair in comparison.pairs
            if any(sought in (key(e.heading), key(e.title)) for e in (*pair.left, *pair.right))
        ]
        if not pairs:
            raise NotFound(f"no entry {heading!r} in {comparison.left.id} or {comparison.right.id}")
    for pair in pairs:
        lines += [
            "",
            f"{_SIGNS[pair.status]} {_entry_names(pair.left)}  |  {_entry_names(pair.right)}",
        ]
        lines += _pair_lines(pair, comparison, marks, texts=heading is not None)
    return "\n".join(lines)


def _pair_lines(
    pair: EntryPair, comparison: EditionComparison, marks: Marks, texts: bool
) -> Iterator[str]:
    """Yield the lines of the table on the references and passages of ``pair``; with ``texts`` those
    of all passages.
    """
    for side, names in zip(("left", "right"), pair.references, strict=True):
        if names:
            yield f"    references only {side}: {', '.join(name.rpartition('/')[2] for name in names)}"
    for row in pair.rows:
        if texts or (row.status is not ComparisonStatus.SAME and pair.left and pair.right):
            left, right = (first_lines(side) or "–" for side in (row.left, row.right))
            mark = (
                marks.get(row_key(row, (comparison.left.language, comparison.right.language)))
                if marks
                else None
            )
            said = "  ".join(filter(None, (differences_text(row), _mark_text(mark))))
            yield f"    {_SIGNS[row.status]} {left}  |  {right}  {said}".rstrip()
        if texts:
            if row.doubtful:
                yield f"        perhaps {doubtful_text(row)}"
            for sign, text in zip("<>", row.texts, strict=True):
                yield from wrap(
                    text, _WIDTH, initial_indent=f"        {sign} ", subsequent_indent="          "
                )


def _mark_text(mark: ReviewMark | None) -> str:
    """Return in one line what has been said of a row: "[reviewed by Anna, 2031-05-01: a note]"."""
    if mark is None:
        return ""
    said = {
        ReviewStatus.OPEN: "note",
        ReviewStatus.REVIEWED: mark.review.state,
        ReviewStatus.REWORDED: "reviewed before the wording changed",
    }
    note = f": {' '.join(mark.review.note.split())}" if mark.review.note else ""
    return f"[{said[mark.status]} by {mark.review.reviewer}, {mark.review.date}{note}]"


def differences_text(row: AlignedPassages) -> str:
    """Return in what the two sides of a row differ, in one line."""
    return "; ".join(
        filter(None, ["moved" if row.moved else "", *map(_difference_text, row.differences)])
    )


def doubtful_text(row: AlignedPassages) -> str:
    """Return in what the two sides of a row may differ, in one line: hints that are none to many
    readers.
    """
    return "; ".join(map(_difference_text, row.doubtful))


def _difference_text(difference: PassageDifference) -> str:
    left, right = (", ".join(named_values(difference, side)) or "–" for side in (0, 1))
    return f"{difference.kind.value}: {left} | {right}"


def named_values(difference: PassageDifference, side: int) -> list[str]:
    """Return what only one side has (0 is the left one), with the words that it was read from where
    these tell more: "4 (vier)".
    """
    evidence = difference.evidence[side]
    if difference.kind not in _IN_WORDS or not evidence:
        return list((difference.left, difference.right)[side])
    named = (
        each.words if each.value == each.words.casefold() else f"{each.value} ({each.words})"
        for each in evidence
    )
    return (
        list(dict.fromkeys(named)) if difference.kind is DifferenceKind.CONDITIONS else list(named)
    )


def _entry_names(entries: tuple[Entry, ...]) -> str:
    """Return titles with the lines they begin at: "Activation (103), Attack (120)"."""
    return ", ".join(f"{e.title} ({e.lines.first})" for e in entries) or "–"


def first_lines(things: tuple[Entry, ...] | tuple[Passage, ...]) -> str:
    """Return the numbers of the lines that ``things`` begin at: "12, 40"."""
    return ", ".join(str(thing.lines.first) for thing in things)
