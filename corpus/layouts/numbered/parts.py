"""Splits a numbered rulebook into its parts: front matter, contents table, numbered rules, glossary and change log."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from corpus.languages import any_of
from corpus.layouts.numbered.lines import SHORT, Number, NumberedRow
from corpus.titles import key

_CONTENTS = re.compile(rf"\W*{any_of('sections.contents', 'sections.components')}\W*", re.IGNORECASE)
_GLOSSARY = re.compile(rf"\W*{any_of('sections.glossary')}\W*", re.IGNORECASE)
_LOG = re.compile(rf"\W*{any_of('sections.changes')}", re.IGNORECASE)
_FEWEST = 5  # items that make a contents table where no heading says so
_NEAR = 6  # rows within which a change log names the first number that it changed


class PartRole(Enum):
    """What a part of a rulebook is."""

    FRONT = auto()
    CONTENTS = auto()
    RULES = auto()
    GLOSSARY = auto()
    LOG = auto()


@dataclass
class NumberedPart:
    """Rows that are read in the same way, the part's own heading among them if it has one."""

    role: PartRole
    rows: list[NumberedRow] = field(default_factory=list)


@dataclass(frozen=True)
class ContentsTable:
    """Where the contents table stands (rows ``first`` to ``last``, exclusive) and what it names, by number."""

    first: int = 0
    last: int = 0
    names: dict[Number, str] = field(default_factory=dict)


def contents(rows: list[NumberedRow]) -> ContentsTable:
    """The contents table among ``rows``: the first run of numbered headings with no rule between them."""
    first = 0
    while first < len(rows):
        row = rows[first]
        if row.number and len(row.number) > 2 and not row.brief:
            break  # rules have begun
        headed = _CONTENTS.fullmatch(row.plain) is not None and len(row.plain) < SHORT
        last = first + 1
        if headed or (row.number and row.brief):
            last, names = _run(rows, first + 1 if headed else first)
            if len(names) >= (1 if headed else _FEWEST):
                return ContentsTable(first, last, names)
        first = max(last, first + 1)
    return ContentsTable()


def _run(rows: list[NumberedRow], first: int) -> tuple[int, dict[Number, str]]:
    names: dict[Number, str] = {}
    last = first
    for index in range(first, len(rows)):
        row = rows[index]
        if row.number and row.brief:
            doubled = index > first and rows[index - 1].number == row.number
            if row.number in names and row.apart and not doubled:
                break  # the first chapter itself
            names.setdefault(row.number, key(_unpaged(row.name)))
        elif not (row.brief and (row.bullet or _GLOSSARY.fullmatch(_unpaged(row.plain))) and names):
            break
        last = index + 1
    return last, names


def _unpaged(name: str) -> str:
    return re.sub(r"[ .…·_]*[0-9]{1,3}$", "", name) or name


def parts(rows: list[NumberedRow], table: ContentsTable) -> list[NumberedPart]:
    """``rows`` divided into parts, in document order; every row is in exactly one."""
    sorter = _PartClassifier(rows, table)
    found: list[NumberedPart] = []
    for index, row in enumerate(rows):
        role, opens = sorter.place(index, row)
        if opens or not found:
            found.append(NumberedPart(role))
        found[-1].rows.append(row)
    return found


class _PartClassifier:
    """Goes through the rows once and says which part each belongs to."""

    def __init__(self, rows: list[NumberedRow], table: ContentsTable):
        self._rows = rows
        self._table = table
        self._following = following(rows)
        self._role = PartRole.FRONT
        self._chapter = 0
        self._terms = 0
        self._capitals = False

    def place(self, index: int, row: NumberedRow) -> tuple[PartRole, bool]:
        """The role of ``row``'s part, and whether a new part begins with it."""
        if self._table.first <= index < self._table.last:
            self._role = PartRole.CONTENTS
            return self._role, index == self._table.first
        before = self._role
        role = self._next(index, row)
        self._role = role
        again = role in (PartRole.GLOSSARY, PartRole.LOG) and before is not role
        return role, role is not before or again

    def _next(self, index: int, row: NumberedRow) -> PartRole:
        inside = PartRole.FRONT if self._role is PartRole.CONTENTS else self._role
        if row.brief and not row.bullet and _GLOSSARY.fullmatch(row.name):
            self._terms, self._capitals = 0, False
            return PartRole.GLOSSARY
        if is_chapter(row, self._table, self._following[index], self._chapter, strict=inside is not PartRole.RULES):
            self._chapter = row.number[0] if row.number else 0
            return PartRole.RULES
        if inside is PartRole.FRONT and row.number and len(row.number) > 1:
            return PartRole.RULES
        if inside is not PartRole.LOG and self._log(index, row):
            return PartRole.LOG
        if inside is PartRole.GLOSSARY and row.title:
            if self._terms >= _FEWEST and row.capitals and not self._capitals and len(row.plain) > 4:
                return PartRole.FRONT  # an appendix behind a glossary whose own headings are not in capitals
            self._terms += 1
            self._capitals = self._capitals or row.capitals
        return inside

    def _log(self, index: int, row: NumberedRow) -> bool:
        if not row.title or index + 1 == len(self._rows):
            return False
        after = self._rows[index + 1]
        if after.dated and after.apart:
            return not any(c.isdigit() for c in row.plain)
        near = self._rows[index + 1 : index + 1 + _NEAR]
        return _LOG.match(row.plain) is not None and any(r.number and len(r.number) > 1 and not r.brief for r in near)


def following(rows: list[NumberedRow]) -> list[Number]:
    """For each row, the number of at least two levels that comes next."""
    numbers: list[Number] = []
    number: Number = ()
    for row in reversed(rows):
        numbers.append(number)
        if row.number and len(row.number) > 1:
            number = row.number
    return numbers[::-1]


def is_chapter(row: NumberedRow, table: ContentsTable, coming: Number, last: int, strict: bool) -> bool:
    """Whether ``row`` is the heading of a chapter ("4. ZUGAKTIONEN") and no list item, date or rule.

    ``coming`` is the next number with more levels, ``last`` the chapter before. ``strict`` is for parts without
    rules, where lists and dates are likelier than chapters.
    """
    if row.number is None or len(row.number) != 1 or not row.brief or row.dated:
        return False
    number = row.number[0]
    listed = table.names.get(row.number) == key(row.name)
    announced = coming[:1] == (number,)
    succeeds = number == last + 1 and row.apart
    if strict:
        return (announced and (listed or row.capitals or succeeds)) or (row.capitals and succeeds)
    return listed or (announced and (row.apart or row.capitals)) or (row.capitals and succeeds)


def is_group(row: NumberedRow, table: ContentsTable) -> bool:
    """Whether ``row`` is the heading of a group of rules ("4.2. Eine Karte tinten") and no rule with two levels."""
    if row.number is None or len(row.number) != 2:
        return False
    return row.brief or table.names.get(row.number) == key(row.name)
