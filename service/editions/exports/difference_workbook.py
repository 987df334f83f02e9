"""A comparison of two editions as a workbook with three sheets: summary, entries, passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from corpus.model import Entry
from glossary.comparison import AlignedPassages, ComparisonStatus, DifferenceKind, EditionComparison, EntryPair
from glossary.comparison.reviews import NO_REVIEWS, ReviewBook
from glossary.comparison.rewording import TextRun, diff_words
from service.answers.citations import edition_name
from service.editions.comparison import first_lines
from service.editions.exports.csv_tables import strip_unprintable
from service.editions.exports.difference_table import DIFFERENCE_COLUMNS, difference_columns, difference_rows
from service.editions.exports.xlsx import Cell, Sheet, write_workbook

_LEFT, _RIGHT = DIFFERENCE_COLUMNS.index("left"), DIFFERENCE_COLUMNS.index("right")
_ENTRY_COLUMNS = (
    *("concept", "status", "renamed", "left", "left lines", "right", "right lines"),
    *(f"rows {status}" for status in ComparisonStatus),
    *("rows moved", "references only left", "references only right"),
)
_SOURCE_COLUMNS = ("source", "source lines")
_REMOVED, _ADDED = InlineFont(strike=True), InlineFont(b=True, u="single")  # distinguishable without colours


def comparison_xlsx(comparison: EditionComparison, reviews: ReviewBook = NO_REVIEWS, status: str = "") -> bytes:
    """Return a comparison as a workbook (XLSX): how much differs, then entry by entry, then passage by passage.

    Between versions in one language, words that only the left one has are struck out, and words that only the right one has are
    bold and underlined; the column "differences" names them too. The sheet of passages has what `difference_rows` gives of ``reviews``.
    """
    columns = (*_ENTRY_COLUMNS, *_SOURCE_COLUMNS * (comparison.source is not None))
    passages = [_marked_row(row, line) for row, line in difference_rows(comparison, reviews, status)]
    return write_workbook(
        f"{comparison.left.id} and {comparison.right.id}",
        [
            Sheet("Summary", ("", *(status.value for status in ComparisonStatus), "all"), list(_summary_rows(comparison))),
            Sheet("Entries", columns, [_entry_row(pair)[: len(columns)] for pair in comparison.pairs], frozen="A2"),
            Sheet("Passages", difference_columns(comparison), passages, frozen="A2"),
        ],
    )


def _summary_rows(comparison: EditionComparison) -> Iterator[tuple[Cell, ...]]:
    counts = {"entries": comparison.counts, "passages": Counter(row.status for pair in comparison.pairs for row in pair.rows)}
    for name, count in counts.items():
        yield (name, *(count[status] for status in ComparisonStatus), sum(count.values()))
    for side, edition in (("left", comparison.left), ("right", comparison.right), ("source", comparison.source)):
        if edition is None:
            continue
        yield (side, edition.id, edition_name(edition), *("" for _ in range(len(ComparisonStatus) - 1)))


def _entry_row(pair: EntryPair) -> tuple[Cell, ...]:
    counts = Counter(row.status for row in pair.rows)
    return (
        *(pair.concept or "", pair.status.value, "yes" if pair.renamed else ""),
        *(_titles(pair.left), first_lines(pair.left), _titles(pair.right), first_lines(pair.right)),
        *(counts[status] for status in ComparisonStatus),
        sum(row.moved for row in pair.rows),
        *(", ".join(names) for names in pair.references),
        *(_titles(pair.source), first_lines(pair.source)),
    )


def _titles(entries: tuple[Entry, ...]) -> str:
    return ", ".join(entry.title for entry in entries)


def _marked_row(row: AlignedPassages, line: tuple[str, ...]) -> tuple[Cell, ...]:
    """Return ``line`` of the table with the changed words marked in its two texts."""
    if not any(difference.kind is DifferenceKind.WORDS for difference in row.differences):
        return line
    cells: list[Cell] = list(line)
    left, right = diff_words(*row.texts)
    cells[_LEFT], cells[_RIGHT] = _rich_text(left, _REMOVED), _rich_text(right, _ADDED)
    return tuple(cells)


def _rich_text(runs: tuple[TextRun, ...], font: InlineFont) -> CellRichText:
    return CellRichText(*(TextBlock(font, strip_unprintable(run.text)) if run.changed else strip_unprintable(run.text) for run in runs))
