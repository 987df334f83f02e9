"""Splits a numbered rulebook into its parts: front matter, contents table, numbered rules, glossary
and change log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from corpus.languages import any_of
from corpus.layouts.numbered.lines import SHORT, Number, NumberedLine
from corpus.titles import key

_CONTENTS = re.compile(
    rf"\W*{any_of('sections.contents', 'sections.components')}\W*", re.IGNORECASE
)
_GLOSSARY = re.compile(rf"\W*{any_of('sections.glossary')}\W*", re.IGNORECASE)
_LOG = re.compile(rf"\W*{any_of('sections.changes')}", re.IGNORECASE)
_FEWEST = 5  # items of a contents table that has no heading
_NEAR = 6  # lines within which a change log has its first rule number


class NumberedPartKind(Enum):
    """The kind of a part of a rulebook."""

    FRONT = auto()
    CONTENTS = auto()
    RULES = auto()
    GLOSSARY = auto()
    CHANGE_LOG = auto()


@dataclass
class NumberedPart:
    """The lines of a part, including its own heading if it has one."""

    kind: NumberedPartKind
    lines: list[NumberedLine] = field(default_factory=list)


@dataclass(frozen=True)
class ContentsTable:
    """The contents table: its lines, from index ``first`` to ``last`` (exclusive), and the keys of
    its names by number.
    """

    first: int = 0
    last: int = 0
    names: dict[Number, str] = field(default_factory=dict)


def find_contents(lines: list[NumberedLine]) -> ContentsTable:
    """Find the contents table in ``lines``: the first run of numbered headings without a rule
    between them. Empty if there is none.
    """
    first = 0
    while first < len(lines):
        line = lines[first]
        if line.number and len(line.number) > 2 and not line.is_brief:
            break  # the rules begin
        headed = _CONTENTS.fullmatch(line.plain) is not None and len(line.plain) < SHORT
        last = first + 1
        if headed or (line.number and line.is_brief):
            last, names = _run(lines, first + 1 if headed else first)
            if len(names) >= (1 if headed else _FEWEST):
                return ContentsTable(first, last, names)
        first = max(last, first + 1)
    return ContentsTable()


def _run(lines: list[NumberedLine], first: int) -> tuple[int, dict[Number, str]]:
    """The run of items of a contents table from index ``first``: the index behind it, and the keys
    of its names by number.
    """
    names: dict[Number, str] = {}
    last = first
    for index in range(first, len(lines)):
        line = lines[index]
        if line.number and line.is_brief:
            doubled = index > first and lines[index - 1].number == line.number
            if line.number in names and line.after_blank and not doubled:
                break  # the heading of the first chapter
            names.setdefault(line.number, key(_unpaged(line.name)))
        elif not (
            line.is_brief
            and (line.has_bullet or _GLOSSARY.fullmatch(_unpaged(line.plain)))
            and names
        ):
            break
        last = index + 1
    return last, names


def _unpaged(name: str) -> str:
    """``name`` without the page number at its end."""
    return re.sub(r"(?:(?<![ .…·_])[ .…·_]+)?[0-9]{1,3}$", "", name) or name


def split_parts(lines: list[NumberedLine], table: ContentsTable) -> list[NumberedPart]:
    """Divide ``lines`` into parts, in document order; every line is in exactly one part."""
    classifier = _PartClassifier(lines, table)
    found: list[NumberedPart] = []
    for index, line in enumerate(lines):
        role, opens = classifier.classify(index, line)
        if opens or not found:
            found.append(NumberedPart(role))
        found[-1].lines.append(line)
    return found


class _PartClassifier:
    """Decides which part each line belongs to; lines are passed to `classify` once and in order."""

    def __init__(self, lines: list[NumberedLine], table: ContentsTable):
        self._lines = lines
        self._table = table
        self._following = following_numbers(lines)
        self._kind = NumberedPartKind.FRONT
        self._chapter = 0
        self._terms = 0
        self._capitals = False

    def classify(self, index: int, line: NumberedLine) -> tuple[NumberedPartKind, bool]:
        """The role of the part that ``line`` belongs to, and whether the part begins with it."""
        if self._table.first <= index < self._table.last:
            self._kind = NumberedPartKind.CONTENTS
            return self._kind, index == self._table.first
        before = self._kind
        role = self._next_kind(index, line)
        self._kind = role
        again = (
            role in (NumberedPartKind.GLOSSARY, NumberedPartKind.CHANGE_LOG) and before is not role
        )
        return role, role is not before or again

    def _next_kind(self, index: int, line: NumberedLine) -> NumberedPartKind:
        """The kind of the part that ``line`` belongs to, outside the contents table."""
        inside = NumberedPartKind.FRONT if self._kind is NumberedPartKind.CONTENTS else self._kind
        if line.is_brief and not line.has_bullet and _GLOSSARY.fullmatch(line.name):
            self._terms, self._capitals = 0, False
            return NumberedPartKind.GLOSSARY
        if is_chapter(
            line,
            self._table,
            self._following[index],
            self._chapter,
            strict=inside is not NumberedPartKind.RULES,
        ):
            self._chapter = line.number[0] if line.number else 0
            return NumberedPartKind.RULES
        if inside is NumberedPartKind.FRONT and line.number and len(line.number) > 1:
            return NumberedPartKind.RULES
        if inside is not NumberedPartKind.CHANGE_LOG and self._log(index, line):
            return NumberedPartKind.CHANGE_LOG
        if inside is NumberedPartKind.GLOSSARY and line.is_heading:
            if (
                self._terms >= _FEWEST
                and line.is_capitals
                and not self._capitals
                and len(line.plain) > 4
            ):
                return (
                    NumberedPartKind.FRONT
                )  # an appendix after a glossary whose headings are not in capitals
            self._terms += 1
            self._capitals = self._capitals or line.is_capitals
        return inside

    def _log(self, index: int, line: NumberedLine) -> bool:
        if not line.is_heading or index + 1 == len(self._lines):
            return False
        after = self._lines[index + 1]
        if after.is_date and after.after_blank:
            return not any(c.isdigit() for c in line.plain)
        near = self._lines[index + 1 : index + 1 + _NEAR]
        return _LOG.match(line.plain) is not None and any(
            r.number and len(r.number) > 1 and not r.is_brief for r in near
        )


def following_numbers(lines: list[NumberedLine]) -> list[Number]:
    """For each line, the next number of at least two levels in the lines after it; () if there is
    none.
    """
    numbers: list[Number] = []
    number: Number = ()
    for line in reversed(lines):
        numbers.append(number)
        if line.number and len(line.number) > 1:
            number = line.number
    return numbers[::-1]


def is_chapter(
    line: NumberedLine, table: ContentsTable, following: Number, last: int, strict: bool
) -> bool:
    """Whether ``line`` is the heading of a chapter ("4. ZUGAKTIONEN") and not a list item, date or
    rule.

    ``following`` is the next number of at least two levels, ``last`` the number of the previous
    chapter. ``strict`` is for parts without rules, where list items and dates are more likely than
    chapters.
    """
    if line.number is None or len(line.number) != 1 or not line.is_brief or line.is_date:
        return False
    number = line.number[0]
    listed = table.names.get(line.number) == key(line.name)
    announced = following[:1] == (number,)
    succeeds = number == last + 1 and line.after_blank
    if strict:
        return (announced and (listed or line.is_capitals or succeeds)) or (
            line.is_capitals and succeeds
        )
    return (
        listed
        or (announced and (line.after_blank or line.is_capitals))
        or (line.is_capitals and succeeds)
    )


def is_group(line: NumberedLine, table: ContentsTable) -> bool:
    """Whether ``line`` is the heading of a group of rules ("4.2. Eine Karte tinten") and not a rule
    with two levels.
    """
    if line.number is None or len(line.number) != 2:
        return False
    return line.is_brief or table.names.get(line.number) == key(line.name)
