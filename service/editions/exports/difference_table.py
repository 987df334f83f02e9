"""A comparison of two editions as a table with a line for each row of passages, and as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.model import Entry, Passage
from glossary.comparison import AlignedPassages, EditionComparison
from glossary.comparison.reviews import NO_REVIEWS, ReviewBook, ReviewMark, facing_rows, has_review_status, marked_rows
from service.editions.comparison import differences_text, doubtful_text, first_lines
from service.editions.exports.csv_tables import csv_file

DIFFERENCE_COLUMNS = (
    *("concept", "status", "left heading", "left line", "left", "right heading", "right line", "right"),
    *("differences", "doubtful"),
)
REVIEW_COLUMNS = ("review", "reviewer", "reviewed on", "review note")
_SOURCE_COLUMNS = ("source heading", "source line", "source")


def difference_columns(comparison: EditionComparison) -> tuple[str, ...]:
    """Return the headings of the table: `DIFFERENCE_COLUMNS`, `REVIEW_COLUMNS`, then those of the source edition where there is one."""
    return (*DIFFERENCE_COLUMNS, *REVIEW_COLUMNS, *(_SOURCE_COLUMNS if comparison.source else ()))


def difference_rows(
    comparison: EditionComparison, reviews: ReviewBook = NO_REVIEWS, status: str = ""
) -> Iterator[tuple[AlignedPassages, tuple[str, ...]]]:
    """Yield each row of the comparison with its line of the table: a text for each of `difference_columns`.

    With the value of a `ReviewStatus`, only the rows that have this ``status``.
    """
    facing = facing_rows(comparison)
    marks = marked_rows(facing, comparison.left, comparison.right, reviews)
    pairs = ((pair, row) for pair in comparison.pairs for row in pair.rows)
    for found, (pair, row) in zip(facing, pairs, strict=True):
        if has_review_status(found, marks, status):
            left, right = row.texts
            line = (
                *(pair.concept or "", row.status.value),
                *(_heading(pair.left, row.left), first_lines(row.left), left),
                *(_heading(pair.right, row.right), first_lines(row.right), right),
                *(differences_text(row), doubtful_text(row)),
                *_review_cells(marks.get(found.key)),
                *((_heading(pair.source, row.source), first_lines(row.source), row.source_text) if comparison.source else ()),
            )
            yield row, line


def _review_cells(mark: ReviewMark | None) -> tuple[str, ...]:
    return (mark.status.value, mark.review.reviewer, mark.review.date, mark.review.note) if mark else ("",) * len(REVIEW_COLUMNS)


def _heading(entries: tuple[Entry, ...], passages: tuple[Passage, ...]) -> str:
    """Return the headings of the entries that ``passages`` stand in; of all entries where there are no passages."""
    own = {p.entry for p in passages}
    return ", ".join(e.heading for e in entries if e.id in own or not own)


def comparison_csv(comparison: EditionComparison, reviews: ReviewBook = NO_REVIEWS, status: str = "") -> bytes:
    """Return a comparison as CSV; arguments as for `difference_rows`."""
    return csv_file([difference_columns(comparison), *(line for _, line in difference_rows(comparison, reviews, status))])
