"""Workbooks (XLSX) in which no text can become a formula."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.rich_text import CellRichText
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from service.editions.exports.csv_tables import strip_unprintable

_WIDEST_COLUMN = 60  # characters of a column

Cell: TypeAlias = str | int | CellRichText


class Sheet(NamedTuple):
    """One sheet of a workbook; the rows above the cell ``frozen`` and the columns left of it do not scroll."""

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
        _add_sheet(workbook, sheet)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def _add_sheet(workbook: Workbook, sheet: Sheet) -> None:
    added = workbook.create_sheet(sheet.name)
    table = [sheet.headings, *sheet.rows]
    added.freeze_panes = sheet.frozen
    added.auto_filter.ref = f"A1:{get_column_letter(len(sheet.headings))}{len(table)}"
    for number, cells in enumerate(zip(*table, strict=True), 1):
        longest = max(len(line) for cell in cells for line in str(cell).split("\n"))
        added.column_dimensions[get_column_letter(number)].width = min(longest + 2, _WIDEST_COLUMN)
    for number, row in enumerate(table):
        added.append([_cell(added, value, heading=number == 0) for value in row])


def _cell(sheet: object, value: Cell, heading: bool) -> object:
    if value == "":
        return None
    cell = WriteOnlyCell(sheet, strip_unprintable(value) if isinstance(value, str) else value)
    if not isinstance(value, int):
        cell.data_type = "s"
    cell.font = Font(bold=heading)
    cell.alignment = Alignment(vertical="top", wrap_text=True)
    return cell
