"""Workbooks (XLSX) in which no text can become a formula: comparisons, term lists, and the table
that reviewers fill in and send back.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from corpus.formats import UnreadableFile
from corpus.formats.packages import DAMAGED
from corpus.model import Entry
from glossary.comparison import ComparisonStatus, DifferenceKind, EditionComparison, EntryPair
from glossary.comparison.rewording import TextRun, diff_words
from glossary.terms.term_list import TermList
from index.library.library import Library
from service.answers.citations import edition_name
from service.editions.comparison import first_lines
from service.editions.exports.formats import ExportOptions, strip_unprintable
from service.editions.exports.tables import (
    difference_columns,
    difference_rows,
    term_columns,
    term_rows,
)
from service.editions.exports.xliff import ID_PATTERN, MOST_LINES
from service.editions.review_units import (
    STATES,
    FileLine,
    ReviewFile,
    ReviewUnit,
    UnreadableReviews,
    read_fields,
    review_units,
)

Cell: TypeAlias = str | int | CellRichText
_WIDEST_COLUMN = 60  # characters of a column
_ENTRY_COLUMNS = (
    *("concept", "status", "renamed", "left", "left lines", "right", "right lines"),
    *(f"rows {status}" for status in ComparisonStatus),
    *("rows moved", "references only left", "references only right"),
    *("source", "source lines"),
)
_TOP = Alignment(vertical="top", wrap_text=True)
# Changed words can be told without colours.
_REMOVED, _ADDED = InlineFont(strike=True), InlineFont(b=True, u="single")

SHEET = "Review"  # of a workbook
_EXPLANATION = (
    "Each line has aligned passages. What is quoted comes from the rulebooks and is never changed "
    "by this file.",
    f"Fill in: state ({', '.join(STATES)}), note and reviewer. With the state 'reviewed' or "
    "'final', a line counts as reviewed.",
    "Leave ids and quotations as they are: by them 'regula review import FILE', or the page of the "
    "comparison, reads the file back.",
)
_WIDTHS = {
    "id": 23,
    "entry": 24,
    "left": 60,
    "right": 60,
    "state": 13,
    "note": 30,
    "reviewer": 16,
    "findings": 36,
}  # the columns of the table, and their characters
_TO_FILL_IN = ("state", "note", "reviewer")
_NEEDED = ("id", "left", "right", *_TO_FILL_IN)
_LINE, _HIGHEST = 13.5, 409.0  # points of a line, and of the highest row that a spreadsheet has
_FILL = PatternFill("solid", fgColor="FFF8E1")
_LINE_ID = re.compile(rf"{ID_PATTERN.pattern}\.(?P<stamp>[0-9a-f]{{4}})")
MOST_COLUMNS = 40


class Sheet(NamedTuple):
    """One sheet of a workbook; the cells above and left of the cell ``frozen`` do not scroll."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    frozen: str = "B2"


def _new_workbook(title: str) -> Workbook:
    workbook = Workbook(write_only=True)
    workbook.properties.creator = "Regula"
    workbook.properties.title = title
    return workbook


def _saved(workbook: Workbook) -> bytes:
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def write_workbook(title: str, sheets: Iterable[Sheet]) -> bytes:
    """Return a workbook; the headings of each sheet are bold and have filters."""
    workbook = _new_workbook(title)
    for sheet in sheets:
        added = workbook.create_sheet(sheet.name)
        table = [sheet.headings, *sheet.rows]
        added.freeze_panes = sheet.frozen
        added.auto_filter.ref = f"A1:{get_column_letter(len(sheet.headings))}{len(table)}"
        for number, cells in enumerate(zip(*table, strict=True), 1):
            longest = max(len(line) for cell in cells for line in str(cell).split("\n"))
            width = min(longest + 2, _WIDEST_COLUMN)
            added.column_dimensions[get_column_letter(number)].width = width
        for number, row in enumerate(table):
            bold = number == 0
            added.append([None if value == "" else _cell(added, value, bold) for value in row])
    return _saved(workbook)


def _cell(sheet: Any, value: Cell, bold: bool | None) -> Any:
    cell = WriteOnlyCell(sheet, strip_unprintable(value) if isinstance(value, str) else value)
    if not isinstance(value, int):
        cell.data_type = "s"  # no text becomes a formula
    if bold is not None:
        cell.font = Font(bold=bold)
    cell.alignment = _TOP
    return cell


def terms_xlsx(terms: TermList, options: ExportOptions) -> bytes:
    """Return a term list as a workbook."""
    sheet = Sheet("Terms", term_columns(terms, options), list(term_rows(terms, options)))
    return write_workbook(f"Terms of {terms.game}", [sheet])


def comparison_xlsx(comparison: EditionComparison, options: ExportOptions) -> bytes:
    """Return a comparison as a workbook: how much differs, then entry by entry, then passage by
    passage.

    Between versions in one language, words that only the left one has are struck out, and words
    that only the right one has are bold and underlined.
    """
    left, right = comparison.left, comparison.right
    columns = _ENTRY_COLUMNS[: None if comparison.source else -2]
    entries = [tuple(_entry_row(pair))[: len(columns)] for pair in comparison.pairs]
    headings = difference_columns(comparison)
    passages: list[Sequence[Cell]] = []
    for row, line in difference_rows(comparison, options):
        cells: list[Cell] = list(line)
        if any(difference.kind is DifferenceKind.WORDS for difference in row.differences):
            for side, (runs, font) in enumerate(
                zip(diff_words(*row.texts), (_REMOVED, _ADDED), strict=True)
            ):
                cells[headings.index(("left", "right")[side])] = _rich_text(runs, font)
        passages.append(cells)
    summary = ("", *(status.value for status in ComparisonStatus), "all")
    return write_workbook(
        f"{left.id} and {right.id}",
        [
            Sheet("Summary", summary, list(_summary_rows(comparison))),
            Sheet("Entries", columns, entries, frozen="A2"),
            Sheet("Passages", headings, passages, frozen="A2"),
        ],
    )


def _summary_rows(comparison: EditionComparison) -> Iterator[tuple[Cell, ...]]:
    passages = Counter(row.status for pair in comparison.pairs for row in pair.rows)
    for name, count in (("entries", comparison.counts), ("passages", passages)):
        yield (name, *(count[status] for status in ComparisonStatus), sum(count.values()))
    sides = {"left": comparison.left, "right": comparison.right, "source": comparison.source}
    for side, edition in sides.items():
        if edition:
            empty = ("",) * (len(ComparisonStatus) - 1)
            yield (side, edition.id, edition_name(edition), *empty)


def _entry_row(pair: EntryPair) -> Iterator[Cell]:
    def titles(entries: tuple[Entry, ...]) -> str:
        return ", ".join(entry.title for entry in entries)

    counts = Counter(row.status for row in pair.rows)
    yield from (pair.concept or "", pair.status.value, "yes" if pair.renamed else "")
    yield from (titles(pair.left), first_lines(pair.left))
    yield from (titles(pair.right), first_lines(pair.right))
    yield from (counts[status] for status in ComparisonStatus)
    yield sum(row.moved for row in pair.rows)
    yield from (", ".join(names) for names in pair.references)
    yield from (titles(pair.source), first_lines(pair.source))


def _rich_text(runs: tuple[TextRun, ...], font: InlineFont) -> CellRichText:
    texts = ((run.changed, strip_unprintable(run.text)) for run in runs)
    return CellRichText(*(TextBlock(font, text) if changed else text for changed, text in texts))


def review_xlsx(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    """Return the workbook that reviewers fill in: a line for each unit, with filters and a list of
    states, and a sheet that explains it.

    Other cells are locked without a password, against accidental edits.
    """
    left, right = comparison.left, comparison.right
    workbook = _new_workbook(f"Review of {left.id} and {right.id}")
    sheet = workbook.create_sheet(SHEET)
    sheet.freeze_panes = "C2"
    for number, width in enumerate(_WIDTHS.values(), 1):
        sheet.column_dimensions[get_column_letter(number)].width = width
    sheet.sheet_properties.pageSetUpPr.fitToPage = True  # written with the first row, as widths are
    headings = {"left": f"left: {left.id}", "right": f"right: {right.id}"}
    sheet.append([_review_cell(sheet, headings.get(c, c), bold=True) for c in _WIDTHS])
    last = 1
    for unit in review_units(comparison, library, options.reviews, options.review):
        last += 1
        line = dict(zip(_WIDTHS, _review_line(unit), strict=True))
        # In a locked sheet, LibreOffice does not fit rows to their texts: they are estimated.
        lines = max(
            sum(-(-max(len(part), 1) // _WIDTHS[column]) for part in text.split("\n"))
            for column, text in line.items()
        )
        sheet.row_dimensions[last].height = min(lines * _LINE + 2.0, _HIGHEST)
        sheet.append(
            [_review_cell(sheet, text, fill=column in _TO_FILL_IN) for column, text in line.items()]
        )
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(_WIDTHS))}{last}"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    states = DataValidation(
        type="list", formula1=f'"{",".join(STATES)}"', allow_blank=False, showErrorMessage=True
    )
    letter = get_column_letter([*_WIDTHS].index("state") + 1)
    states.add(f"{letter}2:{letter}{max(last, 2)}")
    sheet.data_validations.append(states)
    sheet.protection.sheet = True
    for allowed in ("autoFilter", "formatColumns", "formatRows", "formatCells"):
        setattr(sheet.protection, allowed, False)
    explanation = workbook.create_sheet("Read me")
    explanation.column_dimensions["A"].width = 120
    for text in _EXPLANATION:
        explanation.append([_review_cell(explanation, text)])
    return _saved(workbook)


def _review_line(unit: ReviewUnit) -> tuple[str, ...]:
    entries = dict.fromkeys(unit.entries), " | ".join(filter(None, unit.lines))
    state, reviewer, note = unit.fields
    return (
        f"{unit.row.id}.{unit.fields.stamp}",
        "\n".join(filter(None, (*entries[0], entries[1]))),
        *unit.row.texts,
        *(state.value, note, reviewer),
        "\n".join(text for _, text in unit.findings),
    )


def _review_cell(sheet: Any, text: str, bold: bool | None = None, fill: bool = False) -> Any:
    cell = _cell(sheet, text, bold)
    if fill:
        cell.protection = Protection(locked=False)
        cell.fill = _FILL
    return cell


def read_review_rows(raw: bytes) -> list[list[str]]:
    """Return the rows of the sheet of reviews in the workbook ``raw``, or of its first sheet, all
    as wide as the first row.

    Formulas, objects and other sheets are not read. Raises `UnreadableFile`.
    """
    most = MOST_LINES + 1
    try:
        workbook = load_workbook(io.BytesIO(raw), read_only=True, keep_links=False)
        sheets = workbook.worksheets
        sheet = next((each for each in sheets if each.title == SHEET), sheets[0])
        values = sheet.iter_rows(max_row=most + 1, max_col=MOST_COLUMNS, values_only=True)
        rows = [["" if value is None else str(value) for value in row] for row in values]
    except Exception as fault:  # openpyxl raises a dozen kinds of exceptions for damaged files
        raise UnreadableFile(DAMAGED) from fault
    if len(rows) > most:
        raise UnreadableFile(f"has more than {MOST_LINES:,} lines")
    # Office programs leave out empty cells at the end of a row, and add some.
    while rows and rows[0] and not rows[0][-1].strip():
        rows[0].pop()
    wide = len(rows[0]) if rows else 0
    return [(row + [""] * wide)[:wide] for row in rows]


def read_table(rows: Sequence[Sequence[str]]) -> ReviewFile:
    """Return the lines of a table whose first row has the headings. Raises `UnreadableReviews` if
    columns are missing.
    """
    columns: dict[str, int] = {}
    editions = {"left": "", "right": ""}
    for at, heading in enumerate(rows[0] if rows else ()):
        name, _, edition = (part.strip() for part in heading.partition(":"))
        name = name.casefold()
        if name not in _WIDTHS:
            continue
        if name in columns:
            raise UnreadableReviews(f"the table has two columns {name!r}; nothing was taken")
        columns[name] = at
        if name in editions:
            editions[name] = edition
    if missing := [name for name in _NEEDED if name not in columns]:
        named = ", ".join(map(repr, missing))
        raise UnreadableReviews(f"the table has no column {named}; nothing was taken")
    found = []
    for number, row in enumerate(rows[1:], 2):
        if any(cell.strip() for cell in row):
            place = f"line {number}"
            cells = {name: row[columns[name]].strip() for name in _NEEDED}
            found.append((place, _read_line(place, cells)))
    return ReviewFile.of((editions["left"], editions["right"]), found)


def _read_line(place: str, cells: dict[str, str]) -> FileLine | str:
    """Return a line, or the fault in it."""
    id = _LINE_ID.fullmatch(cells["id"])
    if id is None:
        return f"has no id that was written here: {cells['id'][:40]!r}"
    fields = read_fields(cells["state"], cells["reviewer"], cells["note"])
    if isinstance(fields, str):
        return fields
    return FileLine(place, id["id"], id["stamp"], (cells["left"], cells["right"]), fields)
