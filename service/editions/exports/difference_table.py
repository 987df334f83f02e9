"""What differs between two editions as a table of lines, and as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.model import Entry, Passage
from glossary.comparison import Comparison, Row
from service.editions.comparison import told
from service.editions.exports.csv_tables import csv_file

COLUMNS = ("concept", "status", "left heading", "left line", "left", "right heading", "right line", "right", "differences")


def rows(comparison: Comparison) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """Each row of the comparison with its line of the table."""
    for pair in comparison.pairs:
        for row in pair.rows:
            left, right = row.texts
            yield (
                row,
                (
                    *(pair.concept or "", row.status.value),
                    *(_heading(pair.left, row.left), places(row.left), left),
                    *(_heading(pair.right, row.right), places(row.right), right),
                    told(row),
                ),
            )


def _heading(entries: tuple[Entry, ...], passages: tuple[Passage, ...]) -> str:
    """The headings of the entries that ``passages`` stand in; where the side has none of them, of all its entries."""
    own = {p.entry for p in passages}
    return ", ".join(e.heading for e in entries if e.id in own or not own)


def places(things: tuple[Entry, ...] | tuple[Passage, ...]) -> str:
    """The lines that ``things`` begin at."""
    return ", ".join(str(thing.lines.first) for thing in things)


def as_csv(comparison: Comparison) -> bytes:
    """A comparison for a spreadsheet: a line for each row of passages, with the texts of both sides."""
    return csv_file([COLUMNS, *(line for _, line in rows(comparison))])
