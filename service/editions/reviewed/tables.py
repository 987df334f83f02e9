"""The table of reviews in a workbook or a document, as texts; formulas, objects and other sheets are not read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from corpus.formats.format import UnreadableFile
from corpus.formats.shared.zip_package import DAMAGED, ZipPackage
from service.editions.reviewed.review_table import COLUMNS, ID, SHEET

MOST_ROWS = 20_001
MOST_COLUMNS = 40
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def read_xlsx(raw: bytes) -> list[list[str]]:
    """Return the rows of the sheet of reviews in the workbook ``raw``, of the first sheet where none is called so.

    Raises `UnreadableFile`.
    """
    from openpyxl import load_workbook  # which takes 0.1 s to load and is needed here alone

    try:
        workbook = load_workbook(io.BytesIO(raw), read_only=True, keep_links=False)
        sheets = workbook.worksheets
        sheet = next((each for each in sheets if each.title == SHEET), sheets[0])
        rows = [
            ["" if value is None else str(value) for value in row]
            for row in sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS, values_only=True)
        ]
    except Exception as fault:  # whatever openpyxl meets in a file that is none: it says so by a dozen kinds of exceptions
        raise UnreadableFile(DAMAGED) from fault
    return _rectangular(_few(rows))


def read_docx(package: ZipPackage) -> list[list[str]]:
    """Return the rows of the first table in the document that has the column of ids. Raises `UnreadableFile`."""
    body = package.xml("word/document.xml")
    for table in body.iter(f"{_W}tbl"):
        rows = [[_cell_text(cell) for cell in _own(row, "tc", table)] for row in _own(table, "tr", table) if not _deleted(row)]
        if rows and ID in (cell.strip().casefold() for cell in rows[0]):
            return _few(rows)
    raise UnreadableFile(f"has no table with the columns {', '.join(COLUMNS)}")


def _few(rows: list[list[str]]) -> list[list[str]]:
    if len(rows) > MOST_ROWS:
        raise UnreadableFile(f"has more than {MOST_ROWS - 1:,} lines")
    return rows


def _rectangular(rows: list[list[str]]) -> list[list[str]]:
    """Return ``rows`` as wide as the first; office programs leave out empty cells at the end, and add some."""
    while rows and rows[0] and not rows[0][-1].strip():
        rows[0].pop()
    wide = len(rows[0]) if rows else 0
    return [(row + [""] * wide)[:wide] for row in rows]


def _own(parent: Any, name: str, table: Any) -> Iterator[Any]:
    """Yield the rows or cells below ``parent`` that belong to ``table``, not to one within it."""
    for element in parent.iter(f"{_W}{name}"):
        if next(element.iterancestors(f"{_W}tbl")) is table:
            yield element


def _deleted(row: Any) -> bool:
    """Whether ``row`` was deleted while changes were recorded."""
    return row.find(f"{_W}trPr/{_W}del") is not None


def _cell_text(cell: Any) -> str:
    """Return the text of a cell, a paragraph a line, as it is with recorded changes accepted."""
    return "\n".join("".join(_pieces(paragraph)) for paragraph in cell.iter(f"{_W}p"))


def _pieces(paragraph: Any) -> Iterator[str]:
    for element in paragraph.iter(f"{_W}t", f"{_W}br", f"{_W}cr", f"{_W}tab"):
        if next(element.iterancestors(f"{_W}moveFrom", f"{_W}del"), None) is not None:
            continue
        if element.tag == f"{_W}t":
            yield element.text or ""
        elif element.getparent().tag == f"{_W}r":  # not a tab stop of the paragraph
            yield "\t" if element.tag == f"{_W}tab" else "\n"
