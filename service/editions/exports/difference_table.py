"""A comparison of two editions as a table with a line for each row of passages, and as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.model import Entry, Passage
from glossary.comparison import AlignedPassages, EditionComparison
from service.editions.comparison import differences_text, first_lines
from service.editions.exports.csv_tables import csv_file

DIFFERENCE_COLUMNS = ("concept", "status", "left heading", "left line", "left", "right heading", "right line", "right", "differences")
_SOURCE_COLUMNS = ("source heading", "source line", "source")


def difference_columns(comparison: EditionComparison) -> tuple[str, ...]:
    """Return the headings of the table: `DIFFERENCE_COLUMNS`, behind them those of the source edition where there is one."""
    return (*DIFFERENCE_COLUMNS, *_SOURCE_COLUMNS) if comparison.source else DIFFERENCE_COLUMNS


def difference_rows(comparison: EditionComparison) -> Iterator[tuple[AlignedPassages, tuple[str, ...]]]:
    """Yield each row of the comparison with its line of the table: a text for each of `difference_columns`."""
    for pair in comparison.pairs:
        for row in pair.rows:
            left, right = row.texts
            yield (
                row,
                (
                    *(pair.concept or "", row.status.value),
                    *(_heading(pair.left, row.left), first_lines(row.left), left),
                    *(_heading(pair.right, row.right), first_lines(row.right), right),
                    differences_text(row),
                    *((_heading(pair.source, row.source), first_lines(row.source), row.source_text) if comparison.source else ()),
                ),
            )


def _heading(entries: tuple[Entry, ...], passages: tuple[Passage, ...]) -> str:
    """Return the headings of the entries that ``passages`` stand in; of all entries where there are no passages."""
    own = {p.entry for p in passages}
    return ", ".join(e.heading for e in entries if e.id in own or not own)


def comparison_csv(comparison: EditionComparison) -> bytes:
    """Return a comparison as CSV."""
    return csv_file([difference_columns(comparison), *(line for _, line in difference_rows(comparison))])
