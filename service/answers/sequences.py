"""The numbered sequence that a passage is a step of: items of a list, lettered sections, rules that begin with "first", "second".

What belongs together is told by numbers and letters, and by words of the language of the rulebook (``sequences`` in its file).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from corpus.languages import FALLBACK, any_of
from corpus.model import Entry, Passage, Role
from index.analysis import plain
from index.library.library import Library
from index.model import SearchResult

MOST_CHARACTERS = 4_000  # of the passages of a sequence that are shown
_MOST_PARTS = 60  # passages of one entry, or entries under one, that are looked through
_MARK = re.compile(r"\W*(?:(?P<number>\d{1,2})|(?P<letter>[a-zA-Z]))(?:\.\)|[.)])(?![\d\w])")
_RULE_NUMBER = re.compile(r"^\W*\d+(?:\.\d+)*\.?\w?\s+")


@dataclass(frozen=True)
class StepSequence:
    """``steps`` in order, what introduces them first; ``at`` is which of them the passage in question is.

    ``left_out`` are so many passages that are too far from it for `MOST_CHARACTERS`.
    """

    steps: tuple[Passage, ...]
    at: int
    left_out: int = 0


def sequence_around(library: Library, passage: Passage) -> StepSequence | None:
    """Return the sequence that ``passage`` is a step of or introduces, the innermost one; None where there is none."""
    entry = library.entry.get(passage.entry)
    if entry is None or passage.role is not Role.TEXT:
        return None
    steps = _listed(_texts(library, entry), passage)
    around: Entry | None = entry
    for _ in range(2):  # the entry itself, and the one around it
        steps = steps or (_in_entries(library, around, passage) if around else [])
        around = library.entry.get(around.parent or "") if around else None
    places = [place for place, step in enumerate(steps) if step.id == passage.id]
    return _shortened(steps, places[0]) if places and len(steps) > 1 else None


def asks_for_order(result: SearchResult) -> bool:
    """Return whether the question of ``result`` asks what comes after what."""
    return _order(result.language).search(plain(result.query.question)) is not None


@cache
def _order(language: str) -> re.Pattern[str]:
    words = "|".join(any_of("sequences.order", language=each) for each in dict.fromkeys((language, FALLBACK)))
    return re.compile(rf"\b(?:{words})\b")


class _StepPatterns:
    """Words of steps in a ``language``."""

    def __init__(self, language: str):
        def words(name: str) -> str:
            return any_of(f"sequences.{name}", language=language)

        self.first = re.compile(rf"{words('first')}\b", re.IGNORECASE)
        self.following = re.compile(rf"{words('following')}\b", re.IGNORECASE)
        self.step = re.compile(rf"\b{words('step')}\s+(?P<number>\d{{1,2}})\b", re.IGNORECASE)
        self.announced = re.compile(rf"\b{words('announced')}", re.IGNORECASE)


_patterns = cache(_StepPatterns)


def _texts(library: Library, entry: Entry) -> list[Passage]:
    """Return the first passages of running text of ``entry``."""
    return [each for each in library.passages_of.get(entry.id, ())[:_MOST_PARTS] if each.role is Role.TEXT]


def _listed(texts: Sequence[Passage], passage: Passage) -> list[Passage]:
    """Return the numbered items among ``texts``, with what leads in to them and stands between them, where ``passage`` is one."""
    for first, last in _runs([_mark(each.display) for each in texts]):
        if texts[last].display.rstrip().endswith(":"):  # what the last item says stands in items of its own
            while last + 1 < len(texts) and texts[last + 1].depth >= max(texts[first].depth, 1):
                last += 1
        if first and (texts[first].depth > texts[first - 1].depth or texts[first - 1].display.rstrip().endswith(":")):
            first -= 1
        if passage in (found := texts[first : last + 1]):
            return list(found)
    return []


def _in_entries(library: Library, entry: Entry, passage: Passage) -> list[Passage]:
    """Return the texts of the entries that are steps, where ``entry`` with ``passage`` is one of them or introduces them."""
    patterns = _patterns(library.edition[entry.edition].language)
    own = _texts(library, entry)
    if own and own[-1].id == passage.id and patterns.announced.search(passage.display):
        return [passage, *(text for child in _children(library, entry.id) for text in _inside(library, child))]
    if not entry.parent:
        return []
    lead = [text for text in _texts(library, library.entry[entry.parent])[-1:] if patterns.announced.search(text.display)]
    if not lead and _step_of(library, entry, patterns) is None:
        return []
    siblings = _children(library, entry.parent)
    marks = [_step_of(library, each, patterns) for each in siblings]
    runs = [(0, len(siblings) - 1)] if lead else list(_runs(marks))
    for first, last in runs:
        if entry.id in [each.id for each in siblings[first : last + 1]]:
            return [*lead, *(text for each in siblings[first : last + 1] for text in _inside(library, each))]
    return []


def _children(library: Library, entry: str) -> Sequence[Entry]:
    return library.children_of.get(entry, ())[:_MOST_PARTS]


def _inside(library: Library, entry: Entry) -> Iterator[Passage]:
    """Yield the texts of ``entry`` and of all that is in it."""
    yield from _texts(library, entry)
    for child in _children(library, entry.id):
        yield from _inside(library, child)


def _step_of(library: Library, entry: Entry, patterns: _StepPatterns) -> int | None:
    """Return which step ``entry`` is by its heading or by how its text begins, 0 for any that follows another; None for none."""
    if found := patterns.step.search(entry.heading):
        return int(found["number"])
    if entry.number is None:
        return _mark(entry.heading)
    text = next((_RULE_NUMBER.sub("", each.display) for each in _texts(library, entry)[:1]), "")
    if patterns.first.match(text):
        return 1
    return 0 if patterns.following.match(text) else None


def _mark(text: str) -> int | None:
    """Return the number that ``text`` begins with, or the place of its letter in the alphabet; None where it begins with neither."""
    found = _MARK.match(text)
    if found is None:
        return None
    return int(found["number"]) if found["number"] else ord(found["letter"].lower()) - ord("a") + 1


def _runs(marks: Sequence[int | None]) -> Iterator[tuple[int, int]]:
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


def _shortened(steps: Sequence[Passage], at: int) -> StepSequence:
    """Return the part of ``steps`` around that at ``at`` that is short enough to be shown."""
    first, last, size = at, at, len(steps[at].text)
    while True:
        before = size + len(steps[first - 1].text) if first else MOST_CHARACTERS + 1
        behind = size + len(steps[last + 1].text) if last + 1 < len(steps) else MOST_CHARACTERS + 1
        if min(before, behind) > MOST_CHARACTERS:
            break
        if before <= MOST_CHARACTERS and (at - first <= last - at or behind > MOST_CHARACTERS):
            first, size = first - 1, before
        else:
            last, size = last + 1, behind
    return StepSequence(tuple(steps[first : last + 1]), at - first, len(steps) - (last - first + 1))
