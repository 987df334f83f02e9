"""The table that reviewers fill in, as a document (DOCX) for word processors."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from docx import Document
from docx.enum.section import WD_ORIENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt

from corpus.model import Edition
from service.editions.exports.csv_tables import strip_unprintable
from service.editions.reviewed.review_table import (
    COLUMNS,
    ENTRY,
    EXPLANATION,
    FINDINGS,
    ID,
    LEFT,
    NOTE,
    REVIEWER,
    RIGHT,
    STATE,
    STATES,
    review_headings,
    review_lines,
)
from service.editions.reviewed.units import ReviewUnit

_PAGE = (Mm(297), Mm(210))  # A4, landscape
_MARGIN = Mm(12)
_SIZE = Pt(8)
_WIDTHS = {ID: 17, ENTRY: 25, LEFT: 52, RIGHT: 52, STATE: 19, NOTE: 32, REVIEWER: 18, FINDINGS: 32}  # in proportion


def review_docx(left: Edition, right: Edition, units: Iterable[ReviewUnit]) -> bytes:
    """Return the document: what it is for, then a table whose head is repeated on every page, with a list of states in each line."""
    document = Document()
    document.core_properties.author = "Regula"
    document.core_properties.title = f"Review of {left.id} and {right.id}"
    document.styles["Normal"].font.size = _SIZE
    section = document.sections[0]
    section.orientation = WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = _PAGE
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = _MARGIN
    document.add_heading(f"{left.full_title} ({left.language}) – {right.full_title} ({right.language})", level=1)
    for text in EXPLANATION:
        document.add_paragraph(text)
    table = document.add_table(rows=0, cols=len(COLUMNS), style="Table Grid")
    table.autofit = False
    # Rows are made as XML: python-docx walks through the whole table for each row that it adds.
    room = section.page_width - 2 * _MARGIN
    widths = [room * _WIDTHS[column] // sum(_WIDTHS.values()) for column in COLUMNS]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    rows = table._tbl
    rows.append(_row(review_headings(left, right), widths, heading=True))
    for line in review_lines(units):
        rows.append(_row(line, widths))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _row(texts: Sequence[str], widths: Sequence[int], heading: bool = False) -> Any:
    row = OxmlElement("w:tr")
    properties = _add(row, "w:trPr")
    _add(properties, "w:cantSplit")
    if heading:
        _add(properties, "w:tblHeader")
    for column, text, width in zip(COLUMNS, texts, widths, strict=True):
        cell = _add(row, "w:tc")
        _add(_add(cell, "w:tcPr"), "w:tcW", w=str(width // 635), type="dxa")  # 635 EMU are a twentieth of a point
        paragraph = _add(cell, "w:p")
        _add_text(_add_choice(paragraph, text) if column == STATE and not heading else paragraph, text, bold=heading)
    return row


def _add_choice(paragraph: Any, chosen: str) -> Any:
    """Add a list to choose a state from; return where its text goes."""
    control = _add(paragraph, "w:sdt")
    choice = _add(_add(control, "w:sdtPr"), "w:dropDownList", lastValue=chosen)
    for state in STATES:
        _add(choice, "w:listItem", displayText=state, value=state)
    return _add(control, "w:sdtContent")


def _add_text(parent: Any, text: str, bold: bool = False) -> None:
    run = _add(parent, "w:r")
    if bold:
        _add(_add(run, "w:rPr"), "w:b")
    for number, line in enumerate(strip_unprintable(text).split("\n")):
        if number:
            _add(run, "w:br")
        words = _add(run, "w:t")
        words.text = line
        words.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _add(parent: Any, name: str, **attributes: str) -> Any:
    element = OxmlElement(name)
    for attribute, value in attributes.items():
        element.set(qn(f"w:{attribute}"), value)
    parent.append(element)
    return element
