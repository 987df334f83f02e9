"""What differs between two editions as a workbook of three sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from corpus.model import Entry
from glossary.comparison import Comparison, Pair, Row, Sort, Status
from glossary.comparison.rewording import Run, reworded
from service.answers.answer import edition_name
from service.editions.exports.csv_tables import printable
from service.editions.exports.difference_table import COLUMNS, places, rows
from service.editions.exports.xlsx import Cell, Sheet, workbook

_LEFT, _RIGHT = COLUMNS.index("left"), COLUMNS.index("right")
_ENTRIES = (
    *("concept", "status", "renamed", "left", "left lines", "right", "right lines"),
    *(f"rows {status}" for status in Status),
    *("rows moved", "references only left", "references only right"),
)
_GONE, _NEW = InlineFont(strike=True), InlineFont(b=True, u="single")  # told apart without colour


def as_xlsx(comparison: Comparison) -> bytes:
    """A comparison as a workbook: how much differs, then entry by entry, then passage by passage.

    Between versions of one language, words that only the left one has are struck out, those that only the right one has
    bold and underlined; the column of differences names them too.
    """
    return workbook(
        f"{comparison.left.id} and {comparison.right.id}",
        [
            Sheet("Summary", ("", *(status.value for status in Status), "all"), list(_summary(comparison))),
            Sheet("Entries", _ENTRIES, [_entry(pair) for pair in comparison.pairs], frozen="A2"),
            Sheet("Passages", COLUMNS, [_marked(row, line) for row, line in rows(comparison)], frozen="A2"),
        ],
    )


def _summary(comparison: Comparison) -> Iterator[tuple[Cell, ...]]:
    counts = {"entries": comparison.counts, "passages": Counter(row.status for pair in comparison.pairs for row in pair.rows)}
    for name, count in counts.items():
        yield (name, *(count[status] for status in Status), sum(count.values()))
    for side, edition in (("left", comparison.left), ("right", comparison.right)):
        yield (side, edition.id, edition_name(edition), *("" for _ in range(len(Status) - 1)))


def _entry(pair: Pair) -> tuple[Cell, ...]:
    counts = Counter(row.status for row in pair.rows)
    return (
        *(pair.concept or "", pair.status.value, "yes" if pair.renamed else ""),
        *(_titles(pair.left), places(pair.left), _titles(pair.right), places(pair.right)),
        *(counts[status] for status in Status),
        sum(row.moved for row in pair.rows),
        *(", ".join(names) for names in pair.references),
    )


def _titles(entries: tuple[Entry, ...]) -> str:
    return ", ".join(entry.title for entry in entries)


def _marked(row: Row, line: tuple[str, ...]) -> tuple[Cell, ...]:
    """``line`` with the changed words marked in the texts."""
    if not any(difference.sort is Sort.WORDS for difference in row.differences):
        return line
    cells: list[Cell] = list(line)
    left, right = reworded(*row.texts)
    cells[_LEFT], cells[_RIGHT] = _rich(left, _GONE), _rich(right, _NEW)
    return tuple(cells)


def _rich(runs: tuple[Run, ...], font: InlineFont) -> CellRichText:
    return CellRichText(*(TextBlock(font, printable(run.text)) if run.changed else printable(run.text) for run in runs))
