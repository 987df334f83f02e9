"""The sequences of time of every edition of a library, and the passages that belong to a step of
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from corpus.errors import NotFound
from corpus.languages import any_of
from corpus.model import Entry, Kind, Passage
from index.library.library import Library
from index.timing.sequence_detection import timing_sequences
from index.timing.steps import TimingSequence, TimingStep, step_patterns

_BETWEEN = 40  # characters between "step 4" and the name of the phase that it is a step of
_COMMON = (
    0.05  # share of the passages that a term is named in which says nothing of a step any more
)
_SHORTEST_TERM = 5  # letters
_NAME_ENDS = re.compile(
    r"(?:(?<!\s)\s+)?(?:(?:[,/(–]|\s-\s).*|[)])"
)  # a term is known by the first of its names
_SHORTEST_NAME = 4  # letters of a step's name that tells where it is mentioned


class Timing:
    """Everything about time that is printed in the rulebooks of ``library``; worked out when it is
    asked for, and kept.
    """

    def __init__(self, library: Library):
        self._library = library
        self._sequences: dict[str, tuple[TimingSequence, ...]] = {}
        self._steps: dict[
            str, tuple[dict[str, tuple[TimingSequence, TimingStep]], dict[str, TimingStep]]
        ] = {}
        self._numbers: dict[str, NDArray[np.int64]] = {}

    def sequences(self, edition: str) -> tuple[TimingSequence, ...]:
        """Return the sequences of an ``edition``, in document order; none for one that is not
        here.
        """
        if edition not in self._sequences:
            self._sequences[edition] = timing_sequences(self._library, edition)
        return self._sequences[edition]

    def step(self, id: str) -> tuple[TimingSequence, TimingStep]:
        """Return the step called ``id`` and the sequence that it is in. Raises `NotFound` where
        there is none.
        """
        if found := self._in_edition(id.partition("/")[0])[0].get(id):
            return found
        raise NotFound(f"no step {id!r} here; GET /v1/timing/EDITION lists those there are")

    def step_of(self, passage: Passage) -> TimingStep | None:
        """Return the innermost step that ``passage`` is or, as a text of an entry that is a step,
        belongs to; None where there is none.
        """
        entry = self._library.entry[passage.entry]
        return self._in_edition(entry.edition)[1].get(passage.id) or self.step_at(entry)

    def step_at(self, entry: Entry) -> TimingStep | None:
        """Return the innermost step that ``entry`` is, or is inside of; None where there is
        none.
        """
        by_place = self._in_edition(entry.edition)[1]
        return next(
            (
                found
                for each in reversed(self._library.path(entry))
                if (found := by_place.get(each.id))
            ),
            None,
        )

    def numbers(self, id: str) -> NDArray[np.int64]:
        """Return the numbers of the searchable passages that belong to the step called ``id``,
        ascending. Raises `NotFound`.

        They are those of the step itself and of what it is made of, of the entries that it points
        at, those that stand with the sequence and are no step of it, and those that name the step.
        """
        if id not in self._numbers:
            self._numbers[id] = np.array(sorted(self._belonging(*self.step(id))), dtype=np.int64)
        return self._numbers[id]

    def _in_edition(
        self, edition: str
    ) -> tuple[dict[str, tuple[TimingSequence, TimingStep]], dict[str, TimingStep]]:
        """Return the steps of ``edition`` with their sequences by id, and the innermost one by the
        id of each passage and entry.

        Of a passage with a list of steps that is the step that has them.
        """
        if edition not in self._steps:
            by_id: dict[str, tuple[TimingSequence, TimingStep]] = {}
            by_place: dict[str, TimingStep] = {}
            for sequence, step in (
                pair for outermost in self.sequences(edition) for pair in outermost.walk()
            ):
                by_id.setdefault(step.id, (sequence, step))
                if step.is_line:
                    by_place.setdefault(step.passages[0].id, step)
                else:
                    by_place.update(
                        dict.fromkeys(
                            (
                                *(each.id for each in step.entries),
                                *(each.id for each in step.passages),
                            ),
                            step,
                        )
                    )
            self._steps[edition] = by_id, by_place
        return self._steps[edition]

    def _belonging(self, sequence: TimingSequence, step: TimingStep) -> Iterator[int]:
        library = self._library
        edition = step.entry.partition("/")[0]
        inside = {id for each in step.entries for id in self._within(each.id)}
        pointed = (
            *(target for target in step.targets if target.startswith(f"{edition}/")),
            *self._named_terms(edition, step),
        )
        targets = {id for target in pointed for id in self._within(target)}
        steps = {passage.id for each in sequence.steps for passage in each.passages}
        own = {passage.id for passage in step.passages}
        named = self._names(sequence, step)
        pointing = {
            (each.entry, each.line)
            for each in library.references_in(edition)
            if each.target in inside
        }
        place = list(library.edition).index(edition)
        for number in range(*library.bounds[place : place + 2]):
            passage = library.searchable[number]
            beside = passage.entry == sequence.entry.id and passage.id not in steps
            points = any(
                (passage.entry, line) in pointing
                for line in range(passage.lines.first, passage.lines.last + 1)
            )
            belongs = (
                passage.id in own
                or passage.entry in inside
                or passage.entry in targets
                or beside
                or points
            )
            if belongs or (named and named.search(passage.display)):
                yield number

    def _named_terms(self, edition: str, step: TimingStep) -> Iterator[str]:
        """Yield the ids of the terms that the words of ``step`` name; none that so many passages
        name that it would tell nothing.
        """
        texts = [passage.display for passage in self._library.passages_in(edition)]
        for entry in self._library.entries_of(edition):
            names = (
                [name for name in _NAME_ENDS.split(entry.title) if len(name) >= _SHORTEST_TERM]
                if entry.kind is Kind.TERM
                else []
            )
            found = [stem for stem in map(_stem, names) if stem.search(step.words)]
            if found and sum(bool(found[0].search(text)) for text in texts) <= len(texts) * _COMMON:
                yield entry.id

    def _within(self, entry: str) -> Iterator[str]:
        """Yield ``entry`` and the entries inside it."""
        yield entry
        for child in self._library.children_of.get(entry, ()):
            yield from self._within(child.id)

    def _names(self, sequence: TimingSequence, step: TimingStep) -> re.Pattern[str] | None:
        """Return what the texts that name ``step`` have: its heading, its number with the name of
        the phase, phases that it points at.
        """
        language = self._library.edition[sequence.entry.edition].language
        patterns = step_patterns(language)
        names = []
        if step.entries and step.words == _heading(step.entries[0]):
            names += [
                step.words.rpartition(":")[2].strip(),
                *re.findall(r"[„“\"«]([^„”“\"«»]+)[”“\"»]", step.words),
            ]
        for target in step.targets:
            if (entry := self._library.entry.get(target)) and patterns.time.search(entry.title):
                names.append(entry.title)
        found = [rf"\b{re.escape(name)}\b" for name in names if len(name) >= _SHORTEST_NAME]
        if step.number.isdigit() and not step.entries:
            name = re.escape(sequence.entry.title.partition(" (")[0])
            found.append(
                rf"\b{any_of('sequences.step', language=language)}\s+{step.number}\b[^.]{{0,{_BETWEEN}}}\b{name}"
            )
        return re.compile("|".join(found), re.IGNORECASE) if found else None


def timing_of(library: Library) -> Timing:
    """Return the sequences of ``library``, kept with it as its cached properties are."""
    found: Timing = vars(library).setdefault("timing", Timing(library))
    return found


def _heading(entry: Entry) -> str:
    """Return the title of ``entry`` without its number."""
    number = entry.number or ""
    return entry.title.removeprefix(number).lstrip(". ") if number else entry.title


def _stem(name: str) -> re.Pattern[str]:
    """Return the pattern of a term in any of its forms: the last two letters are its ending."""
    return re.compile(
        rf"\b{re.escape(name[: max(len(name) - 2, _SHORTEST_TERM - 1)])}", re.IGNORECASE
    )
