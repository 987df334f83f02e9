"""The table that reviewers fill in, as a workbook (XLSX) in which everything else is locked."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from corpus.model import Edition
from service.editions.exports.csv_tables import strip_unprintable
from service.editions.reviewed.review_table import (
    COLUMNS,
    EXPLANATION,
    SHEET,
    STATE,
    STATES,
    TO_FILL_IN,
    WIDTHS,
    review_headings,
    review_lines,
)
from service.editions.reviewed.units import ReviewUnit

_LINE, _HIGHEST = 13.5, 409.0  # points of a line, and of the highest row that a spreadsheet has
_TOP = Alignment(vertical="top", wrap_text=True)
_OPEN = Protection(locked=False)
_TO_FILL_IN = PatternFill("solid", fgColor="FFF8E1")


def review_xlsx(left: Edition, right: Edition, units: Iterable[ReviewUnit]) -> bytes:
    """Return the workbook: a sheet with a line for each unit, filters, a head that stays and a list of states, and one that explains it.

    Cells that are not to be filled in are locked without a password: against slips, not against intent.
    """
    workbook = Workbook(write_only=True)
    workbook.properties.creator = "Regula"
    workbook.properties.title = f"Review of {left.id} and {right.id}"
    sheet = workbook.create_sheet(SHEET)
    sheet.freeze_panes = "C2"
    for number, column in enumerate(COLUMNS, 1):
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS[column]
    sheet.sheet_properties.pageSetUpPr.fitToPage = True  # written with the first row, as widths are
    sheet.append([_cell(sheet, heading, bold=True) for heading in review_headings(left, right)])
    last = 1
    for line in review_lines(units):
        last += 1
        sheet.row_dimensions[last].height = _height(line)
        sheet.append([_cell(sheet, text, to_fill_in=column in TO_FILL_IN) for column, text in zip(COLUMNS, line, strict=True)])
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{last}"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    states = DataValidation(type="list", formula1=f'"{",".join(STATES)}"', allow_blank=False, showErrorMessage=True)
    letter = get_column_letter(COLUMNS.index(STATE) + 1)
    states.add(f"{letter}2:{letter}{max(last, 2)}")
    sheet.data_validations.append(states)
    protection = sheet.protection
    protection.sheet = True
    protection.autoFilter = protection.formatColumns = protection.formatRows = protection.formatCells = False  # which allows them
    _add_explanation(workbook)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def _height(line: Sequence[str]) -> float:
    """Return the points that a row needs, estimated: in a locked sheet, LibreOffice does not fit rows to their texts."""
    lines = (sum(-(-max(len(part), 1) // WIDTHS[column]) for part in text.split("\n")) for column, text in zip(COLUMNS, line, strict=True))
    return min(max(lines) * _LINE + 2.0, _HIGHEST)


def _cell(sheet: object, text: str, bold: bool = False, to_fill_in: bool = False) -> object:
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
        sheet.append([_cell(sheet, text)])
