"""Looks up entries by number, and finds what a misprinted number most likely means."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from corpus.model import Kind, Rulebook
from corpus.titles import key
from glossary.model import ReferenceProblem

_LEADING = re.compile(r"^\s*[0-9]+(?:\.[0-9]+)*\.?\s*")


class NumberMatch(NamedTuple):
    """The id of the entry that a number refers to, and the problem of the printed number; None for
    either if there is none.
    """

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
            if (
                entry.number is None
                or entry.kind not in (Kind.RULE, Kind.SECTION)
                or entry.number in self._ids
            ):
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
        """The id of the entry with ``number``; None if there is none."""
        return self._ids.get(number)

    def has_title(self, title: str) -> bool:
        """Whether a section or rule has ``title``."""
        return key(title) in self._numbers_by_title

    def find(self, number: str, title: str | None, from_number: str) -> NumberMatch:
        """The entry that ``number``, printed with ``title`` in the rule ``from_number``, refers to.

        If the entry with that number has another title or does not exist, and exactly one entry has
        the printed title, that entry is meant. A number without an entry may lack a level ("5.7"
        for "5.1.7"): it is completed if exactly one entry fits, or exactly one in the same rule as
        ``from_number``.
        """
        title_key = key(title) if title else ""
        with_title = self._numbers_by_title.get(title_key, set())
        if number in self._ids:
            if not title_key or number not in self._titles or self._titles[number] == title_key:
                return NumberMatch(self._ids[number])
            if len(with_title) == 1:
                return NumberMatch(self._ids[next(iter(with_title))], ReferenceProblem.WRONG_NUMBER)
            return NumberMatch(self._ids[number], ReferenceProblem.TITLE_DIFFERS)
        if len(with_title) == 1:
            return NumberMatch(self._ids[next(iter(with_title))], ReferenceProblem.WRONG_NUMBER)
        completed = self._completed(number, from_number)
        return (
            NumberMatch(self._ids[completed], ReferenceProblem.WRONG_NUMBER)
            if completed
            else NumberMatch(None, ReferenceProblem.MISSING)
        )

    def range_start(self, first: str, last: str, end: NumberMatch) -> NumberMatch | None:
        """The entry meant by the ``first`` number of a range if the ``last`` lacks a level and was
        completed to ``end``, else None.

        An example is "5.1 to 5.12" for "5.1.1 to 5.1.12": the number 5.1 exists, but is not the one
        that is meant.
        """
        if end.problem is not ReferenceProblem.WRONG_NUMBER or first.count(".") != last.count("."):
            return None
        number = next(
            (n for n in self._by_shortened.get(last, ()) if self._ids[n] == end.target), ""
        )
        meant = f"{number.rpartition('.')[0]}.{first.rpartition('.')[2]}"
        return (
            NumberMatch(self._ids[meant], ReferenceProblem.WRONG_NUMBER)
            if meant in self._ids and meant.startswith(f"{first}.")
            else None
        )

    def _completed(self, number: str, near: str) -> str | None:
        candidates = self._by_shortened.get(number, [])
        if len(candidates) > 1:
            candidates = [
                c
                for c in candidates
                if near.startswith(c.rpartition(".")[0] + ".") or near == c.rpartition(".")[0]
            ]
        return candidates[0] if len(candidates) == 1 else None
