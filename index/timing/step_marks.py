"""What marks a step: the number or letter of an item, the words "first", "second", the heading "Phase 2"; and runs of such marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from corpus.languages import any_of
from corpus.model import Entry, Passage, Role
from index.library.library import Library

MOST_PARTS = 60  # passages of one entry, or entries under one, that are looked through
_MARK = re.compile(r"\W*(?:(?P<number>\d{1,2})|(?P<letter>[a-zA-Z]))(?:\.\)|[.)])(?![\d\w])")
_RULE_NUMBER = re.compile(r"^\W*\d+(?:\.\d+)*\.?\w?\s+")


class StepPatterns:
    """Words of steps in a ``language``."""

    def __init__(self, language: str):
        def words(name: str) -> str:
            return any_of(f"sequences.{name}", language=language)

        self.first = re.compile(rf"{words('first')}\b", re.IGNORECASE)
        self.following = re.compile(rf"{words('following')}\b", re.IGNORECASE)
        self.step = re.compile(rf"\b{words('step')}\s+(?P<number>\d{{1,2}})\b", re.IGNORECASE)
        self.announced = re.compile(rf"\b{words('announced')}", re.IGNORECASE)


step_patterns = cache(StepPatterns)


def texts_of(library: Library, entry: Entry) -> list[Passage]:
    """Return the first passages of running text of ``entry``."""
    return [each for each in library.passages_of.get(entry.id, ())[:MOST_PARTS] if each.role is Role.TEXT]


def children_of(library: Library, entry: str) -> Sequence[Entry]:
    """Return the first entries directly inside ``entry``."""
    return library.children_of.get(entry, ())[:MOST_PARTS]


def step_of(library: Library, entry: Entry, patterns: StepPatterns) -> int | None:
    """Return which step ``entry`` is by its heading or by how its text begins, 0 for any that follows another; None for none."""
    if found := patterns.step.search(entry.heading):
        return int(found["number"])
    if entry.number is None:
        return mark_of(entry.heading)
    text = next((without_rule_number(each.display) for each in texts_of(library, entry)[:1]), "")
    if patterns.first.match(text):
        return 1
    return 0 if patterns.following.match(text) else None


def without_rule_number(text: str) -> str:
    """Return ``text`` without the number of a rule that it begins with."""
    return _RULE_NUMBER.sub("", text)


def mark_of(text: str) -> int | None:
    """Return the number that ``text`` begins with, or the place of its letter in the alphabet; None where it begins with neither."""
    found = _MARK.match(text)
    if found is None:
        return None
    return int(found["number"]) if found["number"] else ord(found["letter"].lower()) - ord("a") + 1


def split_mark(text: str) -> tuple[str, str]:
    """Return the number or letter that ``text`` begins with, "" for none, and the words behind it."""
    found = _MARK.match(text)
    return (found["number"] or found["letter"], text[found.end() :].lstrip(")").strip()) if found else ("", text.strip())


def runs_of(marks: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yield first and last place of every run 1, 2, 3 among ``marks``; 0 goes on with any, and what has no mark may be in between."""
    first = last = 0
    reached = 0
    for place, mark in enumerate([*marks, 1]):
        if mark is None:
            continue
        if reached and mark in (0, reached, reached + 1) and mark != 1:
            last, reached = place, reached + 1 if mark == 0 else mark
            continue
        if reached > 1:
            yield first, last
        first, last, reached = place, place, int(mark == 1)
