"""Sequences whose steps are entries: phases by their headings, rules that begin with "first", numbered rules that were announced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpus.model import Entry, Kind
from index.library.library import Library
from index.timing.model import TimingSequence, TimingStep
from index.timing.step_marks import (
    again_at,
    children_of,
    leads_in_order,
    runs_of,
    split_mark,
    step_of,
    step_patterns,
    texts_of,
    without_rule_number,
)

_NOT_STEPS = (Kind.TERM, Kind.REDIRECT, Kind.RULING, Kind.ERRATUM)  # they stand in the order of the alphabet
_FEWEST = 2  # steps of a sequence
_HEAD = 120  # characters in which a step says that something begins or ends
_LETTERED = re.compile(r"\d*[^\W\d]\w*[. ](?P<number>\d{1,2})")  # "FP.1", "Anhang I.1"


class EntryReader:
    """Finds the sequences of an edition that are made of entries."""

    def __init__(self, library: Library, edition: str):
        self._library = library
        self._patterns = step_patterns(library.edition[edition].language)

    def sequences(self, entry: Entry) -> Iterator[TimingSequence]:
        """Yield the sequences of entries that stand directly under ``entry``."""
        children = children_of(self._library, entry.id)
        marks = [None if each.kind in _NOT_STEPS else step_of(self._library, each, self._patterns) for each in children]
        numbered = [place for place, each in enumerate(children) if self._patterns.step.search(each.heading) and marks[place]]
        if len(numbered) < _FEWEST and len(named := self._named(entry, children)) >= _FEWEST:
            yield self._sequence(entry, children, self._ranked(children, named))
            return
        found = False
        for first, last in runs_of(marks):
            places = [place for place in range(first, last + 1) if marks[place] is not None]
            if self._in_order(entry, [children[place] for place in places]):
                found = True
                yield self._sequence(entry, children, [(place, 0) for place in places])
        if found or len(children) < _FEWEST:
            return
        if self._announced(entry, children) or self._parts_of_phase(entry, children) or self._numbered_time(entry, children):
            yield self._sequence(entry, children, [(place, 0) for place in range(len(children))])

    def _named(self, entry: Entry, children: Sequence[Entry]) -> list[int]:
        """Return the places of ``children`` whose headings name a stretch of time, where an entry around them is about time too."""
        if not any(self._patterns.time.search(each.title) for each in self._library.path(entry)):
            return []
        return [place for place, each in enumerate(children) if each.kind not in _NOT_STEPS and self._is_span(each)]

    def _ranked(self, children: Sequence[Entry], places: Sequence[int]) -> list[tuple[int, int]]:
        """Return every place with its depth: 1 for a stretch that is named as a part of that before it, as a step of a phase."""
        ranks = [self._patterns.span(children[place].title) or 0 for place in places]
        return [(place, int(rank > min(ranks[: number + 1]))) for number, (place, rank) in enumerate(zip(places, ranks, strict=True))]

    def _in_order(self, entry: Entry, steps: Sequence[Entry]) -> bool:
        """Return whether entries that are marked 1, 2, 3 come one after another in time: by words, not only by letters or numbers."""
        if any(self._patterns.step.search(each.heading) for each in steps) or any(each.number is not None for each in steps):
            return True
        lead = next((each.display for each in reversed(texts_of(self._library, entry))), "")
        return self._patterns.time.search(entry.title) is not None or leads_in_order(self._patterns, lead)

    def _announced(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether the last text of ``entry`` says that its numbered rules are steps."""
        own = texts_of(self._library, entry)
        if not own or not all(each.number and entry.number and each.number.startswith(entry.number) for each in children):
            return False
        return self._patterns.announced.search(own[-1].display) is not None and self._patterns.ordered.search(own[-1].display) is not None

    def _parts_of_phase(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether ``entry`` is a stretch of time by its heading and all of its ``children`` have headings."""
        return self._patterns.span(entry.title) is not None and all(_has_title(each) and each.kind not in _NOT_STEPS for each in children)

    def _numbered_time(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether numbered ``children`` of an entry about time are its steps.

        They are where they have letters before their numbers ("FP.1"), or where the first says that it begins and the last that it ends.
        """
        if (
            len(children) < _FEWEST
            or not self._patterns.time.search(entry.title)
            or any(each.kind in _NOT_STEPS or not each.number for each in children)
        ):
            return False
        lettered = [found for each in children if (found := _LETTERED.fullmatch(each.number or ""))]
        if len(lettered) == len(children):
            return [int(found["number"]) for found in lettered] == list(range(1, len(children) + 1))
        first, last = self._words(children[0])[1], self._words(children[-1])[1]
        return self._patterns.begins.search(_head(first)) is not None and self._patterns.ends.search(_head(last)) is not None

    def _sequence(self, entry: Entry, children: Sequence[Entry], ranked: Sequence[tuple[int, int]]) -> TimingSequence:
        """Return the sequence of those ``children`` whose places ``ranked`` has, each with its depth.

        What stands between two of them belongs to the one before; behind the last one only what is under it.
        """
        steps: list[TimingStep] = []
        inner: dict[str, list[TimingStep]] = {}
        for (place, depth), behind in zip(ranked, [*(place for place, _ in ranked[1:]), ranked[-1][0] + 1], strict=True):
            step = self._step(children[place:behind])
            if self._numbered_time(step.entries[0], step.entries[1:]):  # printed behind the heading of the phase, not under it
                parts = self._sequence(step.entries[0], step.entries[1:], [(each, 0) for each in range(len(step.entries) - 1)])
                step = replace(step, inner=(parts,))
            if depth and steps:
                inner.setdefault(steps[-1].id, []).append(step)
            else:
                steps.append(step)
        own = texts_of(self._library, entry)
        sequence = TimingSequence(
            entry,
            tuple(steps),
            lead="" if not own or own[-1].display == entry.title else without_rule_number(own[-1].display),
            again=again_at(self._patterns, [(step.number, step.words) for step in steps]),
            spans=self._patterns.time.search(entry.title) is not None
            or any(_has_title(children[place]) and self._patterns.span(children[place].title) is not None for place, _ in ranked),
        )
        return sequence.with_inner({id: (TimingSequence(entry, tuple(each), spans=True),) for id, each in inner.items()})

    def _step(self, entries: Sequence[Entry]) -> TimingStep:
        number, words = self._words(entries[0])
        targets = (each.target for id in self._inside(entries[0]) for each in self._library.references_of.get(id, ()))
        return TimingStep(
            id=entries[0].id,
            number=number,
            words=words,
            passages=tuple(texts_of(self._library, entries[0])),
            entries=tuple(entries),
            targets=tuple(dict.fromkeys(target for target in targets if target and target != entries[0].id)),
        )

    def _is_span(self, entry: Entry) -> bool:
        """Return whether the heading of ``entry`` names a stretch of time."""
        return _has_title(entry) and self._patterns.span(entry.title) is not None

    def _inside(self, entry: Entry) -> Iterator[str]:
        yield entry.id
        for child in children_of(self._library, entry.id):
            yield from self._inside(child)

    def _words(self, entry: Entry) -> tuple[str, str]:
        """Return the number of a step and its own words: its heading or, where that is only a number, its first text."""
        words = entry.title if _has_title(entry) else next((each.display for each in texts_of(self._library, entry)), entry.title)
        number = entry.number or ""
        if number and words.startswith(number):
            return number, words.removeprefix(number).lstrip(". ")
        mark, rest = split_mark(words)
        return (mark or number, rest) if entry.number is None or mark else (number, without_rule_number(words))


def _has_title(entry: Entry) -> bool:
    """Return whether ``entry`` has a heading that is more than its number."""
    return entry.title not in ("", entry.number)


def _head(words: str) -> str:
    return words.partition("\n")[0][:_HEAD]
