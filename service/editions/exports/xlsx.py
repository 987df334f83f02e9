"""Workbooks that a spreadsheet opens without harm: every text stays text, whatever it begins with."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.rich_text import CellRichText
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from service.editions.exports.csv_tables import printable

_WIDEST = 60  # characters of a column

Cell: TypeAlias = str | int | CellRichText


class Sheet(NamedTuple):
    """One sheet of a workbook; the rows above and the columns left of the cell ``frozen`` stay in view while one scrolls."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    frozen: str = "B2"


def workbook(title: str, sheets: Iterable[Sheet]) -> bytes:
    """A workbook, the headings of each sheet bold, fixed and with filters."""
    book = Workbook(write_only=True)
    book.properties.creator = "Regula"
    book.properties.title = title
    for sheet in sheets:
        _add(book, sheet)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _add(book: Workbook, sheet: Sheet) -> None:
    added = book.create_sheet(sheet.name)
    table = [sheet.headings, *sheet.rows]
    added.freeze_panes = sheet.frozen
    added.auto_filter.ref = f"A1:{get_column_letter(len(sheet.headings))}{len(table)}"
    for number, cells in enumerate(zip(*table, strict=True), 1):
        longest = max(len(line) for cell in cells for line in str(cell).split("\n"))
        added.column_dimensions[get_column_letter(number)].width = min(longest + 2, _WIDEST)
    for number, row in enumerate(table):
        added.append([_cell(added, value, heading=number == 0) for value in row])


def _cell(sheet: object, value: Cell, heading: bool) -> object:
    if value == "":
        return None
    cell = WriteOnlyCell(sheet, printable(value) if isinstance(value, str) else value)
    if not isinstance(value, int):
        cell.data_type = "s"
    cell.font = Font(bold=heading)
    cell.alignment = Alignment(vertical="top", wrap_text=True)
    return cell
