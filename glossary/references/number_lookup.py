"""The numbers of a rulebook's entries, and what a number that is wrong in print most likely means."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from corpus.model import Kind, Rulebook
from corpus.titles import key
from glossary.model import ReferenceProblem

_LEADING = re.compile(r"^\s*[0-9]+(?:\.[0-9]+)*\.?\s*")


class NumberMatch(NamedTuple):
    """The entry that a number leads to, and what is wrong with the number in print."""

    target: str | None
    problem: ReferenceProblem | None = None


class NumberLookup:
    """Sections and rules of one rulebook by number and by title."""

    def __init__(self, rulebook: Rulebook):
        self._ids: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._numbers_by_title: dict[str, set[str]] = defaultdict(set)
        self._by_shortened: dict[str, list[str]] = defaultdict(list)
        for entry in rulebook.entries:
            if entry.number is None or entry.kind not in (Kind.RULE, Kind.SECTION) or entry.number in self._ids:
                continue
            self._ids[entry.number] = entry.id
            if name := key(_LEADING.sub("", entry.title)):
                self._titles[entry.number] = name
                self._numbers_by_title[name].add(entry.number)
            steps = entry.number.split(".")
            for shorter in {".".join(steps[:n] + steps[n + 1 :]) for n in range(1, len(steps) - 1)}:
                self._by_shortened[shorter].append(entry.number)

    def __contains__(self, number: str) -> bool:
        return number in self._ids

    def get(self, number: str) -> str | None:
        """The entry with ``number``."""
        return self._ids.get(number)

    def has_title(self, title: str) -> bool:
        """Whether some section or rule has ``title``."""
        return key(title) in self._numbers_by_title

    def find(self, number: str, title: str | None, from_number: str) -> NumberMatch:
        """The entry that ``number``, printed with ``title``, leads to from the rule ``near``.

        A title tells a wrong number: where the number has another title, or no entry, and one entry has that title,
        that one is meant. A number without entry that lacks a level ("5.7" for "5.1.7") is completed if only one
        entry, or only one in the same rule as ``near``, fits.
        """
        wanted = key(title) if title else ""
        elsewhere = self._numbers_by_title.get(wanted, set())
        if number in self._ids:
            if not wanted or number not in self._titles or self._titles[number] == wanted:
                return NumberMatch(self._ids[number])
            if len(elsewhere) == 1:
                return NumberMatch(self._ids[next(iter(elsewhere))], ReferenceProblem.WRONG_NUMBER)
            return NumberMatch(self._ids[number], ReferenceProblem.TITLE_DIFFERS)
        if len(elsewhere) == 1:
            return NumberMatch(self._ids[next(iter(elsewhere))], ReferenceProblem.WRONG_NUMBER)
        completed = self._completed(number, from_number)
        return (
            NumberMatch(self._ids[completed], ReferenceProblem.WRONG_NUMBER) if completed else NumberMatch(None, ReferenceProblem.MISSING)
        )

    def range_start(self, first: str, last: str, end: NumberMatch) -> NumberMatch | None:
        """What the first number of a range means where the last had a level completed and the first has the same fault.

        "5.1 to 5.12" for "5.1.1 to 5.1.12": the first number exists, but heads the list of those that are meant.
        """
        if end.problem is not ReferenceProblem.WRONG_NUMBER or first.count(".") != last.count("."):
            return None
        number = next((n for n in self._by_shortened.get(last, ()) if self._ids[n] == end.target), "")
        meant = f"{number.rpartition('.')[0]}.{first.rpartition('.')[2]}"
        return (
            NumberMatch(self._ids[meant], ReferenceProblem.WRONG_NUMBER) if meant in self._ids and meant.startswith(f"{first}.") else None
        )

    def _completed(self, number: str, near: str) -> str | None:
        candidates = self._by_shortened.get(number, [])
        if len(candidates) > 1:
            candidates = [c for c in candidates if near.startswith(c.rpartition(".")[0] + ".") or near == c.rpartition(".")[0]]
        return candidates[0] if len(candidates) == 1 else None
