"""What a file of reviews has that comes back from a translator or an editor, line by line, and what is wrong with a line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corpus.errors import WrongUse
from glossary.comparison.reviews import KEY_DIGITS, LONGEST_NAME, LONGEST_NOTE, ReviewState
from service.editions.reviewed.review_table import COLUMNS, FINDINGS, ID, LEFT, NOTE, REVIEWER, RIGHT, STATE, STATES
from service.editions.reviewed.units import ReviewFields

MOST_LINES = 20_000
ID_PATTERN = re.compile(rf"(?P<id>[0-9a-f]{{{KEY_DIGITS}}}(?:-[1-9]\d{{0,3}})?)")

_LINE_ID = re.compile(rf"{ID_PATTERN.pattern}\.(?P<stamp>[0-9a-f]{{4}})")
_NEEDED = (ID, LEFT, RIGHT, STATE, NOTE, REVIEWER)


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
