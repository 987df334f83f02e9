"""Steps, the sequences they form, and how to recognise steps in texts: by numbers, letters and
words of the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from corpus.languages import any_of, get_language
from corpus.model import Entry, Passage, Role
from corpus.sentences import sentences
from index.library.library import Library

_MOST_PARTS = 60  # most passages or child entries of an entry that are considered
_MARK = re.compile(r"\W*(?:(?P<number>\d{1,2})|(?P<letter>[a-zA-Z]))(?:\.\)|[.)])(?![\d\w])")
_LABELLED = re.compile(r"[^.:!?]{1,40}:\s")
_FEWEST_UNANNOUNCED = 3  # least steps of a list that only its heading shows to be a sequence
_RULE_NUMBER = re.compile(r"^\W*\d+(?:\.\d+)*\.?\w?\s+")


@dataclass(frozen=True)
class TimingStep:
    """A step with its printed ``number``, "" for none, and its own ``words`` for readers.

    Attributes:
        passages: The passages of the step; the first has its words.
        entries: The entries that belong to the step as a whole.
        targets: The ids of the entries that it refers to.
        inner: The sequences that describe how to do the step.
    """

    id: str
    number: str
    words: str
    passages: tuple[Passage, ...]
    entries: tuple[Entry, ...] = ()
    targets: tuple[str, ...] = ()
    inner: tuple[TimingSequence, ...] = ()

    @property
    def is_line(self) -> bool:
        """Whether the step is an item within a passage, not a passage or entry of its own."""
        return not self.entries and self.id != self.passages[0].id

    @property
    def place(self) -> Entry | Passage:
        """The entry or passage that has the words of the step."""
        return self.entries[0] if self.entries else self.passages[0]


@dataclass(frozen=True)
class TimingSequence:
    """``steps`` in order, printed in or under ``entry`` after the lead-in ``lead``.

    If the text says that the sequence repeats, ``again`` is the index of the step after the last.
    ``spans``: it is a stretch of the game's time, such as a round or a phase, not a procedure
    possible at any time, such as an attack.
    """

    entry: Entry
    steps: tuple[TimingStep, ...]
    lead: str = ""
    again: int | None = None
    spans: bool = False

    @property
    def id(self) -> str:
        """The id of the first step."""
        return self.steps[0].id

    def walk(self) -> Iterator[tuple[TimingSequence, TimingStep]]:
        """Yield every step with its sequence, followed by the steps inside it."""
        for step in self.steps:
            yield self, step
            for sequence in step.inner:
                yield from sequence.walk()

    def with_inner(self, inner: Mapping[str, tuple[TimingSequence, ...]]) -> TimingSequence:
        """Return the sequence with ``inner`` sequences added to its steps at all levels, by the id
        of the step.
        """
        steps = (
            replace(
                step,
                inner=(*(each.with_inner(inner) for each in step.inner), *inner.get(step.id, ())),
            )
            for step in self.steps
        )
        return replace(self, steps=tuple(steps))


class StepPatterns:
    """Patterns of words for steps and stretches of time in a ``language``."""

    def __init__(self, language: str):
        def words(name: str, pattern: str = r"\b{}\b") -> re.Pattern[str]:
            found = any_of(f"sequences.{name}", language=language)
            return re.compile(pattern.format(found), re.IGNORECASE)

        self.first = words("first", r"{}\b")
        self.following = words("following", r"{}\b")
        self.step = words("step", r"\b{}\s+(?P<number>\d{{1,2}})\b")
        self.announced = words("announced", r"\b{}")
        self.time = words("time")
        self.ordered = words("ordered")
        self.begins = words("begins")
        self.ends = words("ends")
        self._again = words("again")
        self._repeated = words("repeated")
        # Outermost first: a phase has steps.
        self._spans = [
            re.compile(rf"\b{each}\b", re.IGNORECASE)
            for each in get_language(language).sequences.spans
        ]

    def span(self, heading: str) -> int | None:
        """Return the rank of the stretch of time that ``heading`` names, 0 for the outermost such
        as a round; None if it names none.
        """
        return next((rank for rank, words in enumerate(self._spans) if words.search(heading)), None)

    def leads_in_order(self, lead: str) -> bool:
        """Return whether the last sentence of ``lead`` announces things that happen in order."""
        found = sentences(lead)
        return bool(found) and self.ordered.search(lead[slice(*found[-1])]) is not None

    def is_timing_list(self, heading: str, leads: Sequence[str], steps: Sequence[str]) -> bool:
        """Return whether numbered ``steps`` under ``heading`` are a timing sequence.

        ``leads`` are the texts before them, the nearest first. If none announces an order, the
        heading has to have a word of timing, and the steps must not be labelled ("Cost: …").
        """
        if any(map(self.leads_in_order, leads)):
            return True
        if len(steps) < _FEWEST_UNANNOUNCED or not any(leads) or are_labelled(steps):
            return False
        return self.time.search(heading) is not None

    def again_at(self, steps: Sequence[TimingStep]) -> int | None:
        """Return the index of the step to which the last of ``steps`` returns: "go back to step 2"
        or "repeat these steps"; None if it does not.
        """
        last = steps[-1].words
        if self._repeated.search(last):
            return 0
        if not self._again.search(last) or (found := self.step.search(last)) is None:
            return None
        numbers = [step.number for step in steps[:-1]]
        return numbers.index(found["number"]) if found["number"] in numbers else None


step_patterns = cache(StepPatterns)


def texts_of(library: Library, entry: Entry) -> list[Passage]:
    """Return the first passages of ``entry`` that are running text."""
    passages = library.passages_of.get(entry.id, ())[:_MOST_PARTS]
    return [each for each in passages if each.role is Role.TEXT]


def children_of(library: Library, entry: str) -> Sequence[Entry]:
    """Return the first child entries of ``entry``, given by id."""
    return library.children_of.get(entry, ())[:_MOST_PARTS]


def step_of(library: Library, entry: Entry, patterns: StepPatterns) -> int | None:
    """Return the number of the step that ``entry`` is, by its heading or the beginning of its text;
    0 for a further step without number ("Then …"), None if it is no step.
    """
    if found := patterns.step.search(entry.heading):
        return int(found["number"])
    if entry.number is None:
        return mark_of(entry.heading)
    text = next((without_rule_number(each.display) for each in texts_of(library, entry)[:1]), "")
    if patterns.first.match(text):
        return 1
    return 0 if patterns.following.match(text) else None


def without_rule_number(text: str) -> str:
    """Return ``text`` without the rule number at its beginning."""
    return _RULE_NUMBER.sub("", text)


def mark_of(text: str) -> int | None:
    """Return the number of the list item ``text``: 2 for "2." and for "b)"; None without a mark."""
    mark = split_mark(text)[0]
    return int(mark) if mark.isdigit() else ord(mark.lower()) - ord("a") + 1 if mark else None


def split_mark(text: str) -> tuple[str, str]:
    """Split the list item ``text`` into its number or letter, "" for none, and the rest."""
    found = _MARK.match(text)
    if found is None:
        return "", text.strip()
    return found["number"] or found["letter"], text[found.end() :].lstrip(")").strip()


def runs_of(marks: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of every run 1, 2, 3, … in ``marks``; 0 continues any run, and
    None may be in between.
    """
    first = last = reached = 0
    for place, mark in enumerate([*marks, 1]):
        if mark is None:
            continue
        if reached and mark in (0, reached, reached + 1) and mark != 1:
            last, reached = place, reached + 1 if mark == 0 else mark
            continue
        if reached > 1:
            yield first, last
        first, last, reached = place, place, int(mark == 1)


def are_labelled(items: Sequence[str]) -> bool:
    """Return whether most of ``items`` begin with a label, "Cost: …", as cases and parts of a card
    do.
    """
    return 2 * sum(_LABELLED.match(item) is not None for item in items) > len(items)


class ItemLine(NamedTuple):
    """A stripped line (``raw``), its indentation in characters, its number or letter ("" for none),
    and the ``words`` after that.
    """

    raw: str
    indent: int
    number: str
    words: str


def item_lines(display: str) -> list[ItemLine]:
    """Return the lines of the text ``display`` that are not empty."""
    return [
        ItemLine(line.strip(), len(line) - len(line.lstrip()), *split_mark(line.strip()))
        for line in display.splitlines()
        if line.strip()
    ]


def item_runs(lines: Sequence[ItemLine]) -> Iterator[list[int]]:
    """Yield for every numbered list in ``lines``, after the first line, the indices of its items.

    A line that is indented deeper than the first item, or has no number, is part of an item, unless
    it has the next number: indentation is not always kept.
    """
    first = 1
    while first < len(lines):
        items = [first] if mark_of(lines[first].raw) == 1 else []
        inner = False  # whether an inner list with the same kind of marks has begun
        for place in range(first + 1, len(lines)) if items else ():
            line, start = lines[place], lines[first]
            alike = line.number.isdigit() == start.number.isdigit()
            mark = mark_of(line.raw) if alike else None
            if line.indent < start.indent:
                break
            if mark == len(items) + 1 and (line.indent == start.indent or not inner):
                items.append(place)
                inner = False
            elif mark == 1:
                inner = True
        if len(items) > 1:
            yield items
        first = items[-1] + 1 if items else first + 1
