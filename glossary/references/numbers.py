"""Look up entries by number, also by misprinted ones, and restore the full stops of numbers printed
without them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from corpus.model import Entry, Kind, Rulebook
from corpus.titles import key
from glossary.model import ReferenceProblem

_LEADING = re.compile(r"^\s*[0-9]+(?:\.[0-9]+)*\.?\s*")
_FEWEST = 8  # rules whose numbers begin with the parent's: at least so many omit full stops


class NumberMatch(NamedTuple):
    """The id of the entry to which a number refers, and the problem with the number, if any."""

    target: str | None
    problem: ReferenceProblem | None = None


class NumberLookup:
    """Sections and rules of one rulebook by number and by title."""

    def __init__(self, rulebook: Rulebook):
        self.ids: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self.numbers_by_title: dict[str, set[str]] = defaultdict(set)
        self._by_shortened: dict[str, list[str]] = defaultdict(list)
        for entry in rulebook.entries:
            if (
                entry.number is None
                or entry.kind not in (Kind.RULE, Kind.SECTION)
                or entry.number in self.ids
            ):
                continue
            self.ids[entry.number] = entry.id
            if name := key(_LEADING.sub("", entry.title)):
                self._titles[entry.number] = name
                self.numbers_by_title[name].add(entry.number)
            steps = entry.number.split(".")
            for shorter in {".".join(steps[:n] + steps[n + 1 :]) for n in range(1, len(steps) - 1)}:
                self._by_shortened[shorter].append(entry.number)

    def find(self, number: str, title: str | None, from_number: str) -> NumberMatch:
        """Return the entry to which ``number``, printed with ``title`` in the rule ``from_number``,
        refers.

        If the entry with that number has another title or does not exist, and exactly one entry has
        the printed title, that entry is meant. If a number has no entry, a level may be missing
        ("5.7" for "5.1.7"): it is completed if exactly one entry fits, or exactly one in the rule
        ``from_number``.
        """
        title_key = key(title) if title else ""
        known = self.ids.get(number)
        if known and (not title_key or self._titles.get(number, title_key) == title_key):
            return NumberMatch(known)
        with_title = self.numbers_by_title.get(title_key, set())
        if len(with_title) == 1:
            return NumberMatch(self.ids[next(iter(with_title))], ReferenceProblem.WRONG_NUMBER)
        if known:
            return NumberMatch(known, ReferenceProblem.TITLE_DIFFERS)
        candidates = self._by_shortened.get(number, [])
        if len(candidates) > 1:
            candidates = [
                each
                for each in candidates
                if f"{from_number}.".startswith(each.rpartition(".")[0] + ".")
            ]
        if len(candidates) != 1:
            return NumberMatch(None, ReferenceProblem.MISSING)
        return NumberMatch(self.ids[candidates[0]], ReferenceProblem.WRONG_NUMBER)

    def range_start(self, first: str, last: str, end: NumberMatch) -> NumberMatch | None:
        """Return the entry meant by the ``first`` number of a range if its ``last`` number lacked a
        level and was completed to ``end``; otherwise None.

        Example: "5.1 to 5.12" means 5.1.1 to 5.1.12, although 5.1 exists, too.
        """
        if end.problem is not ReferenceProblem.WRONG_NUMBER or first.count(".") != last.count("."):
            return None
        completed = (n for n in self._by_shortened.get(last, ()) if self.ids[n] == end.target)
        meant = f"{next(completed, '').rpartition('.')[0]}.{first.rpartition('.')[2]}"
        if meant in self.ids and meant.startswith(f"{first}."):
            return NumberMatch(self.ids[meant], ReferenceProblem.WRONG_NUMBER)
        return None


def dotted_numbers(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the numbers of ``entries`` with full stops, by entry id: 421 in 42 in 4 is 4.2.1.

    Markdown lists cannot count "4.2.1.", so rules are numbered without full stops there, while
    other rules refer to 4.2.1. Empty if only few numbers are nested.
    """
    by_id = {entry.id: entry for entry in entries}
    found: dict[str, str] = {}
    # The unprinted chapter number at the beginning of rule numbers, by parent entry.
    chapters: dict[str | None, str] = {}
    for entry in by_id.values():  # parents come first
        number = _whole(entry)
        if number is None:
            continue
        around = by_id.get(entry.parent or "")
        while around is not None and not around.number:
            around = by_id.get(around.parent or "")
        if around is None and len(number) > 1 and number.endswith("1"):
            chapters.setdefault(entry.parent, number[:-1])
        outer = chapters.get(entry.parent) if around is None else _whole(around)
        if outer and number.startswith(outer) and len(number) > len(outer):
            dotted = found.get(around.id, outer) if around else outer
            found[entry.id] = f"{dotted}.{number[len(outer) :]}"
    nested = [number for number in found.values() if number.count(".") > 1]
    return found if len(nested) >= _FEWEST else {}


def _whole(entry: Entry) -> str | None:
    """Return the number of ``entry`` if it has one part ("421" for "421."), or None."""
    number = (entry.number or "").rstrip(".")
    return number if number.isdigit() else None
