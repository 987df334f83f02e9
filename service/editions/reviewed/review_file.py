"""A file of reviews that comes back from a translator or an editor, whatever somebody has put into it: XLIFF, XLSX or DOCX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corpus.errors import WrongUse
from corpus.formats.format import UnreadableFile
from corpus.formats.shared.zip_package import MAGIC, ZipPackage, parse_xml
from service.editions.exports.review_table import COLUMNS, FINDINGS, ID, LEFT, NOTE, REVIEWER, RIGHT, STATE, STATES
from service.editions.reviewed.facing_rows import KEY_DIGITS
from service.editions.reviewed.reviews import LONGEST_NAME, LONGEST_NOTE, ReviewState
from service.editions.reviewed.units import ReviewFields

LARGEST = 16_000_000  # bytes of a file; that of Marvel Champions, 1,200 units, has 1.6 million as XLIFF
LARGEST_UNPACKED = 64_000_000  # bytes of all its parts
MOST_LINES = 20_000
ID_PATTERN = re.compile(rf"(?P<id>[0-9a-f]{{{KEY_DIGITS}}}(?:-[1-9]\d{{0,3}})?)")

_LINE_ID = re.compile(rf"{ID_PATTERN.pattern}\.(?P<stamp>[0-9a-f]{{4}})")
_NEEDED = (ID, LEFT, RIGHT, STATE, NOTE, REVIEWER)
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


class UnreadableReviews(WrongUse, ValueError):
    """A file that cannot be read as one of reviews; the message says why, and nothing of it is taken."""


class FileLine(NamedTuple):
    """A line or a unit of a file, found at ``place``.

    ``stamp`` says what its fields were when it was written. ``altered`` names the sides whose quotation is not what was written; None
    where only a comparison with the rulebook can tell. ``proposal`` is what somebody would have on the right instead.
    """

    place: str
    id: str
    stamp: str
    texts: tuple[str, str]
    fields: ReviewFields
    altered: tuple[str, ...] | None = None
    proposal: str = ""

    @property
    def key(self) -> str:
        """The key of its passages."""
        return self.id[:KEY_DIGITS]


class ReviewFile(NamedTuple):
    """What a file has: the ids of the editions it names, its lines, and what is wrong with others, by their places."""

    editions: tuple[str, str]
    lines: tuple[FileLine, ...]
    faults: tuple[tuple[str, str], ...] = ()


def read_review_file(raw: bytes) -> ReviewFile:
    """Return what ``raw`` has, whichever of the three formats it is in. Raises `UnreadableReviews`."""
    from service.editions.reviewed.tables import read_docx, read_xlsx  # loads openpyxl, which takes 0.1 s and is needed here alone
    from service.editions.reviewed.xliff_units import read_xliff

    if len(raw) > LARGEST:
        raise UnreadableReviews(f"the file has {len(raw):,} bytes, more than a file of reviews can have ({LARGEST:,}); nothing was taken")
    try:
        if not raw.startswith(MAGIC):
            if not _XML_START.match(raw):
                raise UnreadableReviews("the file is neither XLIFF nor XLSX nor DOCX; nothing was taken")
            found = read_xliff(parse_xml(raw))
        else:
            package = _checked(ZipPackage(raw))
            if "xl/workbook.xml" in package:
                found = table_file(read_xlsx(raw))
            elif "word/document.xml" in package:
                found = table_file(read_docx(package))
            else:
                raise UnreadableReviews("the file is neither XLIFF nor XLSX nor DOCX; nothing was taken")
    except UnreadableFile as fault:
        raise UnreadableReviews(f"the file cannot be read: {fault}; nothing was taken") from fault
    return _without_repeated_ids(found)


def table_file(rows: Sequence[Sequence[str]]) -> ReviewFile:
    """Return what a table has, whose first row has the headings. Raises `UnreadableReviews` where columns are missing."""
    headings = [cell.strip() for cell in rows[0]] if rows else []
    columns, editions = _columns(headings)
    lines, faults = [], []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        place = f"line {number}"
        if len(row) != len(headings):
            faults.append((place, f"has {len(row)} cells instead of {len(headings)}: cells were joined or divided"))
            continue
        line = _table_line(place, {name: row[at].strip() for name, at in columns.items()})
        if isinstance(line, FileLine):
            lines.append(line)
        else:
            faults.append((place, line))
    return ReviewFile(editions, tuple(lines), tuple(faults))


def _columns(headings: Sequence[str]) -> tuple[Mapping[str, int], tuple[str, str]]:
    """Return where each column is, and the editions that the headings of the quotations name."""
    columns: dict[str, int] = {}
    editions = {LEFT: "", RIGHT: ""}
    for at, heading in enumerate(headings):
        name, _, edition = (part.strip() for part in heading.partition(":"))
        name = name.casefold()
        if name not in COLUMNS:
            continue
        if name in columns:
            raise UnreadableReviews(f"the table has two columns {name!r}; nothing was taken")
        columns[name] = at
        if name in editions:
            editions[name] = edition
    if missing := [name for name in _NEEDED if name not in columns]:
        raise UnreadableReviews(f"the table has no column {', '.join(map(repr, missing))}; nothing was taken")
    columns.pop(FINDINGS, None)
    return columns, (editions[LEFT], editions[RIGHT])


def _table_line(place: str, cells: Mapping[str, str]) -> FileLine | str:
    """Return a line, or what is wrong with it."""
    id = _LINE_ID.fullmatch(cells[ID])
    if id is None:
        return f"has no id that was written here: {cells[ID][:40]!r}"
    return checked_line(FileLine(place, id["id"], id["stamp"], (cells[LEFT], cells[RIGHT]), ReviewFields(ReviewState.INITIAL)), cells)


def checked_line(line: FileLine, fields: Mapping[str, str]) -> FileLine | str:
    """Return ``line`` with the ``fields`` that a reviewer has written, or what is wrong with them."""
    state, reviewer, note = fields[STATE].casefold(), fields[REVIEWER].strip(), fields[NOTE].strip()
    if state not in STATES:
        return f"has a state that is none: {state[:40]!r}; there are: {', '.join(STATES)}"
    if len(note) > LONGEST_NOTE or len(reviewer) > LONGEST_NAME:
        return f"has a note of more than {LONGEST_NOTE:,} characters or a name of more than {LONGEST_NAME}"
    return line._replace(fields=ReviewFields(ReviewState(state), reviewer, note))


def _checked(package: ZipPackage) -> ZipPackage:
    """Return ``package`` if no part of it is a macro, defines entities or is written otherwise than office programs do."""
    total = 0
    for name in package.names():
        if name.lower().endswith("vbaproject.bin") or "/macros/" in f"/{name.lower()}":
            raise UnreadableReviews("the file has macros; save it without them, as .xlsx or .docx. Nothing was taken")
        raw = package.read(name)
        total += len(raw)
        if total > LARGEST_UNPACKED:
            raise UnreadableReviews(f"the file unpacks to more than {LARGEST_UNPACKED:,} bytes; nothing was taken")
        if name.lower().endswith((".xml", ".rels")) and (not _XML_START.match(raw) or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw):
            raise UnreadableReviews("the file has XML that no office program writes; open it and save it again. Nothing was taken")
    return package


def _without_repeated_ids(found: ReviewFile) -> ReviewFile:
    repeated = [id for id, count in Counter(line.id for line in found.lines).items() if count > 1]
    if repeated:
        places = ", ".join(line.place for line in found.lines if line.id == repeated[0])
        more = f" and {len(repeated) - 1} more ids" if len(repeated) > 1 else ""
        raise UnreadableReviews(f"the id {repeated[0]} stands in several places ({places}){more}; nothing was taken")
    return found
