"""Read a file of reviews that comes back, XLIFF or XLSX, whatever somebody has put into it."""

from __future__ import annotations

import io
import re
from collections import Counter

from corpus.formats.format import UnreadableFile
from corpus.formats.shared.zip_package import DAMAGED, MAGIC, ZipPackage, parse_xml
from service.editions.reviewed.review_file import ReviewFile, UnreadableReviews, table_file
from service.editions.reviewed.review_table import SHEET
from service.editions.reviewed.xliff_units import read_xliff

LARGEST = 16_000_000  # bytes of a file; that of Marvel Champions, 1,200 units, has 1.8 million as XLIFF
LARGEST_UNPACKED = 64_000_000  # bytes of all its parts
MOST_ROWS = 20_001
MOST_COLUMNS = 40

_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def read_review_file(raw: bytes) -> ReviewFile:
    """Return what ``raw`` has, XLIFF or XLSX. Raises `UnreadableReviews`."""
    if len(raw) > LARGEST:
        raise UnreadableReviews(f"the file has {len(raw):,} bytes, more than a file of reviews can have ({LARGEST:,}); nothing was taken")
    try:
        if not raw.startswith(MAGIC):
            if not _XML_START.match(raw):
                raise UnreadableReviews("the file is neither XLIFF nor XLSX; nothing was taken")
            found = read_xliff(parse_xml(raw))
        else:
            if "xl/workbook.xml" not in _checked(ZipPackage(raw)):
                raise UnreadableReviews("the file is neither XLIFF nor XLSX; nothing was taken")
            found = table_file(_rows(raw))
    except UnreadableFile as fault:
        raise UnreadableReviews(f"the file cannot be read: {fault}; nothing was taken") from fault
    return _without_repeated_ids(found)


def _checked(package: ZipPackage) -> ZipPackage:
    """Return ``package`` if no part of it is a macro, defines entities or is written otherwise than office programs do."""
    total = 0
    for name in package.names():
        if name.lower().endswith("vbaproject.bin") or "/macros/" in f"/{name.lower()}":
            raise UnreadableReviews("the file has macros; save it without them, as .xlsx. Nothing was taken")
        raw = package.read(name)
        total += len(raw)
        if total > LARGEST_UNPACKED:
            raise UnreadableReviews(f"the file unpacks to more than {LARGEST_UNPACKED:,} bytes; nothing was taken")
        if name.lower().endswith((".xml", ".rels")) and (not _XML_START.match(raw) or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw):
            raise UnreadableReviews("the file has XML that no office program writes; open it and save it again. Nothing was taken")
    return package


def _rows(raw: bytes) -> list[list[str]]:
    """Return the rows of the sheet of reviews in the workbook ``raw``, or of its first sheet, all as wide as the first.

    Formulas, objects and other sheets are not read. Raises `UnreadableFile`.
    """
    from openpyxl import load_workbook  # takes 0.1 s to load

    try:
        workbook = load_workbook(io.BytesIO(raw), read_only=True, keep_links=False)
        sheets = workbook.worksheets
        sheet = next((each for each in sheets if each.title == SHEET), sheets[0])
        rows = [
            ["" if value is None else str(value) for value in row]
            for row in sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS, values_only=True)
        ]
    except Exception as fault:  # openpyxl raises a dozen kinds of exceptions for damaged files
        raise UnreadableFile(DAMAGED) from fault
    if len(rows) > MOST_ROWS:
        raise UnreadableFile(f"has more than {MOST_ROWS - 1:,} lines")
    # Office programs leave out empty cells at the end of a row, and add some.
    while rows and rows[0] and not rows[0][-1].strip():
        rows[0].pop()
    wide = len(rows[0]) if rows else 0
    return [(row + [""] * wide)[:wide] for row in rows]


def _without_repeated_ids(found: ReviewFile) -> ReviewFile:
    repeated = [id for id, count in Counter(line.id for line in found.lines).items() if count > 1]
    if repeated:
        places = ", ".join(line.place for line in found.lines if line.id == repeated[0])
        more = f" and {len(repeated) - 1} more ids" if len(repeated) > 1 else ""
        raise UnreadableReviews(f"the id {repeated[0]} stands in several places ({places}){more}; nothing was taken")
    return found
