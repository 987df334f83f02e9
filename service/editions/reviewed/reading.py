"""Read a file of reviews that comes back, XLIFF or XLSX, whatever somebody has put into it."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from corpus.errors import WrongUse
from corpus.formats import ZIP_MAGIC, UnreadableFile
from corpus.formats.packages import DAMAGED, ZipPackage, parse_xml
from glossary.comparison.reviews import (
    KEY_DIGITS,
    LONGEST_NAME,
    LONGEST_NOTE,
    ReviewState,
    flat_text,
)
from service.editions.reviewed.units import (
    COLUMNS,
    FINDINGS,
    ID,
    LEFT,
    NOTE,
    REVIEWER,
    RIGHT,
    SHEET,
    STATE,
    STATES,
    ReviewFields,
)

XLIFF = "urn:oasis:names:tc:xliff:document:2.0"  # that of 2.1, too
METADATA = "urn:oasis:names:tc:xliff:metadata:2.0"
GLOSSARY = "urn:oasis:names:tc:xliff:glossary:2.0"
REVIEW_NOTE = "review"  # category of the note that a reviewer wrote
OWN = "regula"  # prefix of our sub-states and of the categories of our notes and metadata
UNIT_PREFIX = "u"  # an id begins with a letter, which some tools ask for
MOST_LINES = 20_000
ID_PATTERN = re.compile(rf"(?P<id>[0-9a-f]{{{KEY_DIGITS}}}(?:-[1-9]\d{{0,3}})?)")
_LINE_ID = re.compile(rf"{ID_PATTERN.pattern}\.(?P<stamp>[0-9a-f]{{4}})")
_NEEDED = (ID, LEFT, RIGHT, STATE, NOTE, REVIEWER)
_STATES = tuple(state.value for state in ReviewState)  # from the first to the last
LARGEST = (
    16_000_000  # bytes of a file; that of Marvel Champions, 1,200 units, has 1.8 million as XLIFF
)
LARGEST_UNPACKED = 64_000_000  # bytes of all its parts
MOST_ROWS = 20_001
MOST_COLUMNS = 40
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def text_hash(texts: Iterable[str]) -> str:
    """Return a hash of ``texts`` of segments, by which a unit that comes back is known to have them
    unaltered but for white space.
    """
    return hashlib.sha256(flat_text(" ".join(texts)).encode()).hexdigest()[:16]


class UnreadableReviews(WrongUse, ValueError):
    """A file that cannot be read as one of reviews; the message says why, and nothing of it is
    taken.
    """


class FileLine(NamedTuple):
    """A line or a unit of a file, found at ``place``.

    ``stamp`` says what its fields were when it was written. ``altered`` names the sides whose
    quotation is not what was written; None where only a comparison with the rulebook can tell.
    ``proposal`` is what somebody would have on the right instead.
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
    """What a file has: the ids of the editions it names, its lines, and what is wrong with others,
    by their places.
    """

    editions: tuple[str, str]
    lines: tuple[FileLine, ...]
    faults: tuple[tuple[str, str], ...] = ()


def table_file(rows: Sequence[Sequence[str]]) -> ReviewFile:
    """Return what a table has, whose first row has the headings. Raises `UnreadableReviews` where
    columns are missing.
    """
    headings = [cell.strip() for cell in rows[0]] if rows else []
    columns, editions = _columns(headings)
    lines, faults = [], []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        place = f"line {number}"
        if len(row) != len(headings):
            faults.append(
                (
                    place,
                    f"has {len(row)} cells instead of {len(headings)}: cells were joined or divided",
                )
            )
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
        raise UnreadableReviews(
            f"the table has no column {', '.join(map(repr, missing))}; nothing was taken"
        )
    columns.pop(FINDINGS, None)
    return columns, (editions[LEFT], editions[RIGHT])


def _table_line(place: str, cells: Mapping[str, str]) -> FileLine | str:
    """Return a line, or what is wrong with it."""
    id = _LINE_ID.fullmatch(cells[ID])
    if id is None:
        return f"has no id that was written here: {cells[ID][:40]!r}"
    return checked_line(
        FileLine(
            place,
            id["id"],
            id["stamp"],
            (cells[LEFT], cells[RIGHT]),
            ReviewFields(ReviewState.INITIAL),
        ),
        cells,
    )


def checked_line(line: FileLine, fields: Mapping[str, str]) -> FileLine | str:
    """Return ``line`` with the ``fields`` that a reviewer has written, or what is wrong with
    them.
    """
    state, reviewer, note = fields[STATE].casefold(), fields[REVIEWER].strip(), fields[NOTE].strip()
    if state not in STATES:
        return f"has a state that is none: {state[:40]!r}; there are: {', '.join(STATES)}"
    if len(note) > LONGEST_NOTE or len(reviewer) > LONGEST_NAME:
        return f"has a note of more than {LONGEST_NOTE:,} characters or a name of more than {LONGEST_NAME}"
    return line._replace(fields=ReviewFields(ReviewState(state), reviewer, note))


def read_xliff(root: Any) -> ReviewFile:
    """Return the units below ``root``. Raises `UnreadableFile` where it is no XLIFF 2."""
    if root.tag != f"{{{XLIFF}}}xliff" or not (root.get("version") or "").startswith("2."):
        raise UnreadableFile("is XML, but not XLIFF 2")
    units = list(root.iter(f"{{{XLIFF}}}unit"))
    if len(units) > MOST_LINES:
        raise UnreadableFile(f"has more than {MOST_LINES:,} units")
    file = root.find(f"{{{XLIFF}}}file")
    named = _metadata(file, "editions") if file is not None else {}
    lines, faults = [], []
    for unit in units:
        place = f"unit {(unit.get('id') or '')[:40]}"
        line = _line(place, unit)
        if isinstance(line, FileLine):
            lines.append(line)
        else:
            faults.append((place, line))
    return ReviewFile((named.get("left", ""), named.get("right", "")), tuple(lines), tuple(faults))


def _line(place: str, unit: Any) -> FileLine | str:
    """Return what ``unit`` says, or what is wrong with it."""
    id = ID_PATTERN.fullmatch((unit.get("id") or "").removeprefix(UNIT_PREFIX))
    fields = _metadata(unit, "unit")
    if id is None or "stamp" not in fields:
        return "was not written here: it has another id, or its metadata is gone"
    source, target = (_texts(unit, side) for side in ("source", "target"))
    altered = tuple(
        side
        for side, texts in (("source", source), ("target", target))
        if text_hash(texts) != fields.get(f"{side}-hash", text_hash(texts))
    )
    texts = "\n".join(source), "\n".join(target)
    proposal = flat_text(texts[1]) if "target" in altered else ""
    line = FileLine(
        place,
        id["id"],
        fields["stamp"],
        texts,
        ReviewFields(ReviewState.INITIAL),
        altered,
        proposal,
    )
    return checked_line(
        line,
        {
            STATE: _state(unit, fields.get("state", "")),
            REVIEWER: fields.get("reviewer", ""),
            NOTE: "\n".join(_notes(unit)),
        },
    )


def _texts(unit: Any, side: str) -> list[str]:
    """Return the source or target texts of the segments of ``unit`` and of what stands between
    them, without marks.
    """
    elements = (
        part.find(f"{{{XLIFF}}}{side}")
        for part in unit.iter(f"{{{XLIFF}}}segment", f"{{{XLIFF}}}ignorable")
    )
    found = ("".join(element.itertext()) for element in elements if element is not None)
    return [text for text in found if text.strip()]


def _state(unit: Any, written: str) -> str:
    """Return the state of the translated segment that is least far; what was ``written`` where none
    is translated.

    Without a translation, a segment has to be in its initial state, whatever a reviewer said of
    that.
    """
    segments = list(unit.iter(f"{{{XLIFF}}}segment"))
    translated = [
        each
        for each in segments
        if "".join(each.xpath("string(x:target)", namespaces={"x": XLIFF})).strip()
    ]
    states = [each.get("state") or ReviewState.INITIAL.value for each in translated or segments]
    first = min(
        states,
        key=lambda state: _STATES.index(state) if state in _STATES else -1,
        default=ReviewState.INITIAL.value,
    )
    return written if written and not translated and first == ReviewState.INITIAL else first


def _notes(unit: Any) -> Iterator[str]:
    """Yield the notes of a reviewer: the one that was written here, and those that a tool has
    added.
    """
    for note in unit.iter(f"{{{XLIFF}}}note"):
        text, category = "".join(note.itertext()).strip(), note.get("category") or REVIEW_NOTE
        if text and not category.startswith(f"{OWN}:"):
            yield text


def _metadata(parent: Any, category: str) -> Mapping[str, str]:
    """Return the metadata that was written for ``parent`` here, by its types."""
    group = parent.find(
        f"{{{METADATA}}}metadata/{{{METADATA}}}metaGroup[@category='{OWN}-{category}']"
    )
    return (
        {meta.get("type") or "": (meta.text or "").strip() for meta in group}
        if group is not None
        else {}
    )


def read_review_file(raw: bytes) -> ReviewFile:
    """Return what ``raw`` has, XLIFF or XLSX. Raises `UnreadableReviews`."""
    if len(raw) > LARGEST:
        raise UnreadableReviews(
            f"the file has {len(raw):,} bytes, more than a file of reviews can have ({LARGEST:,}); nothing was taken"
        )
    try:
        if not raw.startswith(ZIP_MAGIC):
            if not _XML_START.match(raw):
                raise UnreadableReviews("the file is neither XLIFF nor XLSX; nothing was taken")
            found = read_xliff(parse_xml(raw))
        else:
            if "xl/workbook.xml" not in _checked(ZipPackage(raw)):
                raise UnreadableReviews("the file is neither XLIFF nor XLSX; nothing was taken")
            found = table_file(_rows(raw))
    except UnreadableFile as fault:
        raise UnreadableReviews(f"the file cannot be read: {fault}; nothing was taken") from fault
    repeated = [id for id, count in Counter(line.id for line in found.lines).items() if count > 1]
    if repeated:
        places = ", ".join(line.place for line in found.lines if line.id == repeated[0])
        more = f" and {len(repeated) - 1} more ids" if len(repeated) > 1 else ""
        raise UnreadableReviews(
            f"the id {repeated[0]} stands in several places ({places}){more}; nothing was taken"
        )
    return found


def _checked(package: ZipPackage) -> ZipPackage:
    """Return ``package`` if no part of it is a macro, defines entities or is written otherwise than
    office programs do.
    """
    total = 0
    for name in package.names():
        if name.lower().endswith("vbaproject.bin") or "/macros/" in f"/{name.lower()}":
            raise UnreadableReviews(
                "the file has macros; save it without them, as .xlsx. Nothing was taken"
            )
        raw = package.read(name)
        total += len(raw)
        if total > LARGEST_UNPACKED:
            raise UnreadableReviews(
                f"the file unpacks to more than {LARGEST_UNPACKED:,} bytes; nothing was taken"
            )
        if name.lower().endswith((".xml", ".rels")) and (
            not _XML_START.match(raw) or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw
        ):
            raise UnreadableReviews(
                "the file has XML that no office program writes; open it and save it again. Nothing was taken"
            )
    return package


def _rows(raw: bytes) -> list[list[str]]:
    """Return the rows of the sheet of reviews in the workbook ``raw``, or of its first sheet, all
    as wide as the first.

    Formulas, objects and other sheets are not read. Raises `UnreadableFile`.
    """
    from openpyxl import load_workbook  # takes 0.1 s to load

    try:
        workbook = load_workbook(io.BytesIO(raw), read_only=True, keep_links=False)
        sheets = workbook.worksheets
        sheet = next((each for each in sheets if each.title == SHEET), sheets[0])
        rows = [
            ["" if value is None else str(value) for value in row]
            for row in sheet.iter_rows(
                max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS, values_only=True
            )
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
