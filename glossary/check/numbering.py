"""Gaps in numbering: rules and sections, ordered lists, and list numbers that print lost and readers had to restore."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from corpus.layouts import LAYOUTS
from corpus.model import Entry, Fault, Kind, Passage, Role, Rulebook
from glossary.check.model import Certainty, Finding, FindingKind, shorten

_ITEM = re.compile(r"(?m)^([ \t]*)(?:[-•➤▶✦»>*][ \t]+)*[*_]{0,3}((?:\d{1,2}|[a-h]))(?:\.\)|[.)])[*_]{0,3}[ \t]+(?=[*_\"„“”«»(\[]*[^\W\d])")
_BARE = re.compile(r"[\W_]+")
_LONGEST = 30  # a larger number at the beginning of a line is a date or a quantity


def check_rule_numbers(rulebook: Rulebook) -> Iterator[Finding]:
    """Numbered rules and sections whose number does not follow the one before, or is given twice."""
    if not LAYOUTS[rulebook.edition.layout].numbered:
        return
    last: dict[tuple[int, ...], int] = {}
    seen: dict[tuple[int, ...], Entry] = {}
    for entry in rulebook.entries:
        if entry.number is None or entry.kind not in (Kind.RULE, Kind.SECTION) or not re.fullmatch(r"\d+(\.\d+)*", entry.number):
            continue
        number = tuple(int(step) for step in entry.number.split("."))
        before = last.get(number[:-1], 0)
        if number in seen:
            why = f"line {seen[number].lines.first} has this number already"
            yield _found(rulebook, entry.lines.first, FindingKind.NUMBER_TWICE, entry.number, None, Certainty.CERTAIN, why)
        elif number[-1] != before + 1:
            expected = ".".join(map(str, (*number[:-1], before + 1)))
            falls = number[-1] <= before
            why = f"comes after {'.'.join(map(str, (*number[:-1], before)))}" if before else "the first of its group"
            certainty = Certainty.LIKELY if falls or before else Certainty.POSSIBLE
            yield _found(rulebook, entry.lines.first, FindingKind.NUMBER_GAP, entry.number, expected, certainty, why)
        seen.setdefault(number, entry)
        last[number[:-1]] = max(before, number[-1])


def _found(rulebook: Rulebook, line: int, kind: FindingKind, printed: str, meant: str | None, certainty: Certainty, why: str) -> Finding:
    return Finding(rulebook.edition.id, line, kind, shorten(printed), meant, certainty, why)


class _Item(NamedTuple):
    """An item of an ordered list as readers see it: its indentation, its number, and where it is printed."""

    indent: int
    number: str
    line: int
    start: str
    is_lost: bool


def check_list_numbers(rulebook: Rulebook) -> Iterator[Finding]:
    """Ordered lists with a number lost, left out or given twice."""
    corrected = {
        line for c in rulebook.edition.corrections if c.fault is Fault.NUMBER for line in range(c.line, c.through + 1)
    }  # reported with the corrections
    passages: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            passages[passage.entry].append(passage)
    for found in passages.values():
        items = [item for passage in found for item in _items(rulebook, passage)]
        for item in items:
            if item.is_lost and item.line not in corrected:
                why = f"the item has lost its number {item.number}"
                yield _found(rulebook, item.line, FindingKind.NUMBER_LOST, item.start, f"{item.number}.", Certainty.LIKELY, why)
        yield from _gaps(rulebook, items)


def _items(rulebook: Rulebook, passage: Passage) -> Iterator[_Item]:
    """The items of ``passage``: those of its ``display``, whose numbers are complete, held against the evidence."""
    shown = list(_ITEM.finditer(passage.display))
    if not shown:
        return
    bare = [(_BARE.sub("", line.text), line.number) for span in passage.spans for line in _lines(rulebook, *span)]
    at = 0
    for match in shown:
        number = match.group(2)
        rest = passage.display[match.end() :].partition("\n")[0]
        start = _BARE.sub("", rest)[:16]
        if not start or (number.isdigit() and int(number) > _LONGEST):
            continue
        printed = next((n for n in range(at, len(bare)) if bare[n][0].startswith(number + start)), None)
        place = next((n for n in range(at, len(bare)) if bare[n][0].startswith(start)), None) if printed is None else printed
        if place is None:
            continue
        at, lost = place, printed is None
        depth = len(match.group(1)) + (2 * max(passage.depth, 1))
        yield _Item(depth, number, bare[place][1], rest, lost)


@dataclass(frozen=True)
class _NumberedText:
    text: str
    number: int


def _lines(rulebook: Rulebook, start: int, end: int) -> Iterator[_NumberedText]:
    first = rulebook.document.line_at(start)
    for line in rulebook.document.lines[first - 1 : rulebook.document.line_at(end - 1)]:
        yield _NumberedText(line.text[max(start - line.start, 0) : end - line.start], line.number)


def _gaps(rulebook: Rulebook, items: list[_Item]) -> Iterator[Finding]:
    """Items whose number does not follow the one before in the same list; lists begin with 1 or a."""
    open_lists: dict[tuple[int, bool], _Item] = {}
    for item in items:
        digits = item.number.isdigit()
        place = (item.indent, digits)
        before = open_lists.get(place)
        value = _value(item.number)
        open_lists = {p: i for p, i in open_lists.items() if p[0] <= item.indent}
        open_lists[place] = item
        if before is None or value == 1 or value == _value(before.number) + 1:
            continue
        if value == _value(before.number):
            why = f"line {before.line} has the number {before.number} too"
            yield _found(rulebook, item.line, FindingKind.NUMBER_TWICE, f"{item.number}. {item.start}", None, Certainty.LIKELY, why)
        else:
            expected = str(_value(before.number) + 1) if digits else chr(ord(before.number) + 1)
            why = f"the item before it, at line {before.line}, has the number {before.number}"
            yield _found(rulebook, item.line, FindingKind.NUMBER_GAP, f"{item.number}. {item.start}", f"{expected}.", Certainty.LIKELY, why)


def _value(number: str) -> int:
    return int(number) if number.isdigit() else ord(number) - ord("a") + 1
