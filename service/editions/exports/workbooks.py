"""Workbooks (XLSX) in which no text can become a formula: comparisons, and the table that reviewers
fill in.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from corpus.model import Entry
from glossary.comparison import (
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
)
from glossary.comparison.rewording import TextRun, diff_words
from glossary.terms.term_list import TermList
from index.library.library import Library
from service.answers.citations import edition_name
from service.editions.comparison import first_lines
from service.editions.exports.formats import ExportOptions, strip_unprintable
from service.editions.exports.tables import (
    DIFFERENCE_COLUMNS,
    difference_columns,
    difference_rows,
    term_columns,
    term_rows,
)
from service.editions.reviewed.units import (
    COLUMNS,
    EXPLANATION,
    SHEET,
    STATE,
    STATES,
    TO_FILL_IN,
    WIDTHS,
    review_headings,
    review_lines,
    review_units,
)

_WIDEST_COLUMN = 60  # characters of a column

Cell: TypeAlias = str | int | CellRichText
_LEFT, _RIGHT = DIFFERENCE_COLUMNS.index("left"), DIFFERENCE_COLUMNS.index("right")
_ENTRY_COLUMNS = (
    *("concept", "status", "renamed", "left", "left lines", "right", "right lines"),
    *(f"rows {status}" for status in ComparisonStatus),
    *("rows moved", "references only left", "references only right"),
)
_SOURCE_COLUMNS = ("source", "source lines")
_REMOVED, _ADDED = (
    InlineFont(strike=True),
    InlineFont(b=True, u="single"),
)  # distinguishable without colours
_LINE, _HIGHEST = 13.5, 409.0  # points of a line, and of the highest row that a spreadsheet has
_TOP = Alignment(vertical="top", wrap_text=True)
_OPEN = Protection(locked=False)
_TO_FILL_IN = PatternFill("solid", fgColor="FFF8E1")


class Sheet(NamedTuple):
    """One sheet of a workbook; the rows above the cell ``frozen`` and the columns left of it do not
    scroll.
    """

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    frozen: str = "B2"


def write_workbook(title: str, sheets: Iterable[Sheet]) -> bytes:
    """Return a workbook; the headings of each sheet are bold and have filters."""
    workbook = Workbook(write_only=True)
    workbook.properties.creator = "Regula"
    workbook.properties.title = title
    for sheet in sheets:
        added = workbook.create_sheet(sheet.name)
        table = [sheet.headings, *sheet.rows]
        added.freeze_panes = sheet.frozen
        added.auto_filter.ref = f"A1:{get_column_letter(len(sheet.headings))}{len(table)}"
        for number, cells in enumerate(zip(*table, strict=True), 1):
            longest = max(len(line) for cell in cells for line in str(cell).split("\n"))
            added.column_dimensions[get_column_letter(number)].width = min(
                longest + 2, _WIDEST_COLUMN
            )
        for number, row in enumerate(table):
            added.append([_cell(added, value, heading=number == 0) for value in row])
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def _cell(sheet: object, value: Cell, heading: bool) -> object:
    if value == "":
        return None
    cell = WriteOnlyCell(sheet, strip_unprintable(value) if isinstance(value, str) else value)
    if not isinstance(value, int):
        cell.data_type = "s"
    cell.font = Font(bold=heading)
    cell.alignment = Alignment(vertical="top", wrap_text=True)
    return cell


def comparison_xlsx(comparison: EditionComparison, options: ExportOptions) -> bytes:
    """Return a comparison as a workbook (XLSX): how much differs, then entry by entry, then passage
    by passage.

    Between versions in one language, words that only the left one has are struck out, and words
    that only the right one has are bold and underlined; the column "differences" names them too.
    The sheet of passages has what `difference_rows` gives.
    """
    columns = (*_ENTRY_COLUMNS, *_SOURCE_COLUMNS * (comparison.source is not None))
    passages = [_marked_row(row, line) for row, line in difference_rows(comparison, options)]
    return write_workbook(
        f"{comparison.left.id} and {comparison.right.id}",
        [
            Sheet(
                "Summary",
                ("", *(status.value for status in ComparisonStatus), "all"),
                list(_summary_rows(comparison)),
            ),
            Sheet(
                "Entries",
                columns,
                [_entry_row(pair)[: len(columns)] for pair in comparison.pairs],
                frozen="A2",
            ),
            Sheet("Passages", difference_columns(comparison), passages, frozen="A2"),
        ],
    )


def _summary_rows(comparison: EditionComparison) -> Iterator[tuple[Cell, ...]]:
    counts = {
        "entries": comparison.counts,
        "passages": Counter(row.status for pair in comparison.pairs for row in pair.rows),
    }
    for name, count in counts.items():
        yield (name, *(count[status] for status in ComparisonStatus), sum(count.values()))
    for side, edition in (
        ("left", comparison.left),
        ("right", comparison.right),
        ("source", comparison.source),
    ):
        if edition is None:
            continue
        yield (
            side,
            edition.id,
            edition_name(edition),
            *("" for _ in range(len(ComparisonStatus) - 1)),
        )


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
    return CellRichText(
        *(
            TextBlock(font, strip_unprintable(run.text))
            if run.changed
            else strip_unprintable(run.text)
            for run in runs
        )
    )


def review_xlsx(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    """Return the workbook: a sheet with a line for each unit, filters, a head that stays and a list
    of states, and one that explains it.

    Cells that are not to be filled in are locked without a password: against slips, not against
    intent.
    """
    workbook = Workbook(write_only=True)
    workbook.properties.creator = "Regula"
    left, right = comparison.left, comparison.right
    workbook.properties.title = f"Review of {left.id} and {right.id}"
    sheet = workbook.create_sheet(SHEET)
    sheet.freeze_panes = "C2"
    for number, column in enumerate(COLUMNS, 1):
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS[column]
    sheet.sheet_properties.pageSetUpPr.fitToPage = True  # written with the first row, as widths are
    sheet.append(
        [_review_cell(sheet, heading, bold=True) for heading in review_headings(left, right)]
    )
    last = 1
    for line in review_lines(review_units(comparison, library, options.reviews, options.review)):
        last += 1
        sheet.row_dimensions[last].height = _height(line)
        sheet.append(
            [
                _review_cell(sheet, text, to_fill_in=column in TO_FILL_IN)
                for column, text in zip(COLUMNS, line, strict=True)
            ]
        )
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{last}"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    states = DataValidation(
        type="list", formula1=f'"{",".join(STATES)}"', allow_blank=False, showErrorMessage=True
    )
    letter = get_column_letter(COLUMNS.index(STATE) + 1)
    states.add(f"{letter}2:{letter}{max(last, 2)}")
    sheet.data_validations.append(states)
    protection = sheet.protection
    protection.sheet = True
    protection.autoFilter = protection.formatColumns = protection.formatRows = (
        protection.formatCells
    ) = False  # which allows them
    _add_explanation(workbook)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def _height(line: Sequence[str]) -> float:
    """Return the points that a row needs, estimated: in a locked sheet, LibreOffice does not fit
    rows to their texts.
    """
    lines = (
        sum(-(-max(len(part), 1) // WIDTHS[column]) for part in text.split("\n"))
        for column, text in zip(COLUMNS, line, strict=True)
    )
    return min(max(lines) * _LINE + 2.0, _HIGHEST)


def _review_cell(sheet: object, text: str, bold: bool = False, to_fill_in: bool = False) -> object:
    cell = WriteOnlyCell(sheet, strip_unprintable(text))
    cell.data_type = "s"  # no text becomes a formula
    cell.alignment = _TOP
    if bold:
        cell.font = Font(bold=True)
    if to_fill_in:
        cell.protection = _OPEN
        cell.fill = _TO_FILL_IN
    return cell


def _add_explanation(workbook: Workbook) -> None:
    sheet = workbook.create_sheet("Read me")
    sheet.column_dimensions["A"].width = 120
    for text in EXPLANATION:
        sheet.append([_review_cell(sheet, text)])


def terms_xlsx(terms: TermList) -> bytes:
    """Return a term list as a workbook."""
    return write_workbook(
        f"Terms of {terms.game}", [Sheet("Terms", term_columns(terms), list(term_rows(terms)))]
    )
