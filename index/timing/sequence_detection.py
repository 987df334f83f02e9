"""Find the sequences of time in an edition: lists of its entries, lists within passages, entries
that are steps themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpus.model import Entry, Kind, Passage
from index.library.library import Library
from index.timing.steps import (
    ItemLine,
    TimingSequence,
    TimingStep,
    again_at,
    are_labelled,
    children_of,
    is_timing_list,
    item_lines,
    item_runs,
    leads_in_order,
    mark_of,
    runs_of,
    split_mark,
    step_of,
    step_patterns,
    texts_of,
    without_rule_number,
)

_OF_CARDS = (
    Kind.RULING,
    Kind.ERRATUM,
    Kind.REDIRECT,
)  # no rules of the course of the game stand there
_NOT_STEPS = (*_OF_CARDS, Kind.TERM)  # they stand in the order of the alphabet
_FEWEST = 2  # steps of a sequence
_LEADS = 2  # texts before a list that may lead in to it
_HEAD = 120  # characters in which a step says that something begins or ends
_LETTERED = re.compile(r"\d*[^\W\d]\w*[. ](?P<number>\d{1,2})")  # "FP.1", "Anhang I.1"


def timing_sequences(library: Library, edition: str) -> tuple[TimingSequence, ...]:
    """Return the sequences of time that the rulebook of ``edition`` prints, in document order; none
    for a policy or formats.

    A sequence that says how a step of another is done is inside that step.
    """
    if not library.filter_editions(edition) or library.edition[edition].kind != "rules":
        return ()
    reader = SequenceReader(library, edition)
    entries = [entry for entry in library.entries_of(edition) if entry.kind not in _OF_CARDS]
    found = [
        sequence
        for entry in entries
        for sequence in (*reader.of_texts(entry), *reader.of_entries(entry))
    ]
    step_of = {
        entry.id: step.id
        for sequence in found
        for _, step in sequence.walk()
        for entry in step.entries
    }
    inside: dict[str, list[TimingSequence]] = {}
    outermost: list[TimingSequence] = []
    for sequence in found:
        around = [each.id for each in library.path(sequence.entry)]
        if sequence.id in step_of:  # its steps are entries; one of them may be printed under itself
            around = [each for each in around if each != sequence.id]
        step = next((step_of[each] for each in reversed(around) if each in step_of), None)
        (inside.setdefault(step, []) if step else outermost).append(sequence)

    def whole(sequence: TimingSequence) -> TimingSequence:
        return sequence.with_inner(
            {
                step.id: tuple(map(whole, inside[step.id]))
                for _, step in sequence.walk()
                if step.id in inside
            }
        )

    return tuple(map(whole, outermost))


class SequenceReader:
    """Finds the sequences of an edition."""

    def __init__(self, library: Library, edition: str):
        self._library = library
        self._patterns = step_patterns(library.edition[edition].language)

    def _is_time(self, entry: Entry) -> bool:
        """Return whether the heading of ``entry`` speaks of the game's time."""
        return self._patterns.time.search(entry.title) is not None

    def _is_span(self, entry: Entry) -> bool:
        """Return whether ``entry`` has a heading, more than its number, that names a stretch of
        time.
        """
        return _has_title(entry) and self._patterns.span(entry.title) is not None

    def _again(self, steps: Sequence[TimingStep]) -> int | None:
        return again_at(self._patterns, [(step.number, step.words) for step in steps])

    def of_texts(self, entry: Entry) -> Iterator[TimingSequence]:
        """Yield the sequences whose steps are passages of ``entry``, and those within one of its
        passages that is no such step.
        """
        texts = texts_of(self._library, entry)
        within: set[str] = set()
        for first, last in runs_of([mark_of(each.display) for each in texts]):
            places = [
                place
                for place in range(first, last + 1)
                if mark_of(texts[place].display) is not None
            ]
            leads = [
                texts[first].lead_in,
                *(each.display for each in reversed(texts[max(first - _LEADS, 0) : first])),
            ]
            leads += [
                each.display for each in texts[first:last] if mark_of(each.display) is None
            ]  # that the questions are answered, and now …
            if not is_timing_list(
                self._patterns,
                entry.title,
                leads,
                [split_mark(texts[place].display)[1] for place in places],
            ):
                continue
            # What the last item announces stands in items of its own.
            announces = texts[last].display.rstrip().endswith(":")
            deeper = max(texts[first].depth, 1) if announces else texts[first].depth + 1
            while last + 1 < len(texts) and texts[last + 1].depth >= deeper:
                last += 1
            steps = [
                self._passage_step(texts[place:until])
                for place, until in zip(places, [*places[1:], last + 1], strict=True)
            ]
            within.update(each.id for each in texts[first : last + 1])
            lead = texts[first - 1].display if first else ""
            yield TimingSequence(
                entry, tuple(steps), lead=lead, again=self._again(steps), spans=self._is_time(entry)
            )
        for text in texts:
            lines = item_lines(text.display) if text.id not in within else []
            for places in item_runs(lines, after=1):
                if leads_in_order(self._patterns, lead := lines[places[0] - 1].words):
                    yield replace(
                        self._line_sequence(entry, text, lines, places),
                        lead=lead,
                        spans=self._is_time(entry),
                    )

    def _passage_step(self, passages: Sequence[Passage]) -> TimingStep:
        """Return the step that ``passages`` are; the first of them has its number, its words and
        maybe a list of what it consists of.
        """
        head = passages[0]
        lines = item_lines(head.display)
        number, words = split_mark("\n".join(line.raw for line in lines))
        targets = tuple(dict.fromkeys(target for target, _ in self._pointed(head)))
        step = TimingStep(head.id, number, words, tuple(passages), targets=targets)
        runs = [
            run
            for run in item_runs(lines, after=1)
            if not are_labelled([lines[place].words for place in run])
        ]  # those are cases
        if not runs:
            return step
        inner = self._line_sequence(self._library.entry[head.entry], head, lines, runs[0])
        before = "\n".join(line.raw for line in lines[: runs[0][0]])
        return replace(step, words=split_mark(before)[1], inner=(inner,))

    def _line_sequence(
        self, entry: Entry, passage: Passage, lines: Sequence[ItemLine], places: Sequence[int]
    ) -> TimingSequence:
        """Return the sequence of the items of ``passage`` that begin at the lines ``places``."""
        steps: list[TimingStep] = []
        for place in places:
            until = place + 1  # what is set deeper belongs to it
            while (
                until < len(lines)
                and until not in places
                and lines[until].indent > lines[place].indent
            ):
                until += 1
            words = "\n".join(
                [lines[place].words, *(line.raw for line in lines[place + 1 : until])]
            )
            targets = tuple(target for target, raw in self._pointed(passage) if raw in words)
            steps.append(
                TimingStep(
                    f"{passage.id}.{len(steps) + 1}",
                    lines[place].number,
                    words,
                    (passage,),
                    targets=targets,
                )
            )
        return TimingSequence(entry, tuple(steps), again=self._again(steps))

    def _pointed(self, passage: Passage) -> list[tuple[str, str]]:
        """Return the entries that ``passage`` refers to, by id, with the words that refer to
        them.
        """
        first, last = passage.lines
        return [
            (each.target, each.raw)
            for each in self._library.references_of.get(passage.entry, ())
            if each.target and first <= each.line <= last and each.target != passage.entry
        ]

    def of_entries(self, entry: Entry) -> Iterator[TimingSequence]:
        """Yield the sequences of entries that stand directly under ``entry``."""
        children = children_of(self._library, entry.id)
        marks = [
            None if each.kind in _NOT_STEPS else step_of(self._library, each, self._patterns)
            for each in children
        ]
        numbered = [
            place
            for place, each in enumerate(children)
            if self._patterns.step.search(each.heading) and marks[place]
        ]
        if len(numbered) < _FEWEST and any(map(self._is_time, self._library.path(entry))):
            named = [
                place
                for place, each in enumerate(children)
                if each.kind not in _NOT_STEPS and self._is_span(each)
            ]
            if len(named) >= _FEWEST:
                # A stretch that is named as a part of one before it is inside that, as a step in a
                # phase.
                ranks = [self._patterns.span(children[place].title) or 0 for place in named]
                depths = [int(rank > min(ranks[: number + 1])) for number, rank in enumerate(ranks)]
                yield self._sequence(entry, children, list(zip(named, depths, strict=True)))
                return
        found = False
        for first, last in runs_of(marks):
            places = [place for place in range(first, last + 1) if marks[place] is not None]
            if self._in_order(entry, [children[place] for place in places]):
                found = True
                yield self._sequence(entry, children, [(place, 0) for place in places])
        if found or len(children) < _FEWEST:
            return
        parts_of_phase = self._patterns.span(entry.title) is not None and all(
            _has_title(each) and each.kind not in _NOT_STEPS for each in children
        )
        if (
            parts_of_phase
            or self._announced(entry, children)
            or self._numbered_time(entry, children)
        ):
            yield self._sequence(entry, children, [(place, 0) for place in range(len(children))])

    def _in_order(self, entry: Entry, steps: Sequence[Entry]) -> bool:
        """Return whether entries that are marked 1, 2, 3 come one after another in time: by words,
        not only by letters or numbers.
        """
        if any(
            self._patterns.step.search(each.heading) or each.number is not None for each in steps
        ):
            return True
        lead = next((each.display for each in reversed(texts_of(self._library, entry))), "")
        return self._is_time(entry) or leads_in_order(self._patterns, lead)

    def _announced(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether the last text of ``entry`` says that its numbered rules are steps."""
        own = texts_of(self._library, entry)
        if not own or not all(
            each.number and entry.number and each.number.startswith(entry.number)
            for each in children
        ):
            return False
        return bool(
            self._patterns.announced.search(own[-1].display)
            and self._patterns.ordered.search(own[-1].display)
        )

    def _numbered_time(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether numbered ``children`` of an entry about time are its steps.

        They are where they have letters before their numbers ("FP.1"), or where the first says that
        it begins and the last that it ends.
        """
        if (
            len(children) < _FEWEST
            or not self._is_time(entry)
            or any(e.kind in _NOT_STEPS or not e.number for e in children)
        ):
            return False
        lettered = [found for each in children if (found := _LETTERED.fullmatch(each.number or ""))]
        if len(lettered) == len(children):
            return [int(found["number"]) for found in lettered] == list(range(1, len(children) + 1))
        first, last = (
            self._words(children[place])[1].partition("\n")[0][:_HEAD] for place in (0, -1)
        )
        return bool(self._patterns.begins.search(first) and self._patterns.ends.search(last))

    def _sequence(
        self, entry: Entry, children: Sequence[Entry], ranked: Sequence[tuple[int, int]]
    ) -> TimingSequence:
        """Return the sequence of those ``children`` whose places ``ranked`` has, each with its
        depth.

        What stands between two of them belongs to the one before; behind the last one only what is
        under it.
        """
        steps: list[TimingStep] = []
        inner: dict[str, list[TimingStep]] = {}
        for (place, depth), behind in zip(
            ranked, [*(place for place, _ in ranked[1:]), ranked[-1][0] + 1], strict=True
        ):
            step = self._entry_step(children[place:behind])
            if self._numbered_time(
                step.entries[0], step.entries[1:]
            ):  # printed behind the heading of the phase, not under it
                parts = self._sequence(
                    step.entries[0],
                    step.entries[1:],
                    [(each, 0) for each in range(len(step.entries) - 1)],
                )
                step = replace(step, inner=(parts,))
            if depth and steps:
                inner.setdefault(steps[-1].id, []).append(step)
            else:
                steps.append(step)
        own = texts_of(self._library, entry)
        sequence = TimingSequence(
            entry,
            tuple(steps),
            lead=""
            if not own or own[-1].display == entry.title
            else without_rule_number(own[-1].display),
            again=self._again(steps),
            spans=self._is_time(entry)
            or any(self._is_span(children[place]) for place, _ in ranked),
        )
        return sequence.with_inner(
            {id: (TimingSequence(entry, tuple(each), spans=True),) for id, each in inner.items()}
        )

    def _entry_step(self, entries: Sequence[Entry]) -> TimingStep:
        """Return the step that ``entries`` are; the first of them has its number and its words."""
        head = entries[0]
        number, words = self._words(head)
        targets = (
            each.target
            for id in self._inside(head)
            for each in self._library.references_of.get(id, ())
        )
        return TimingStep(
            id=head.id,
            number=number,
            words=words,
            passages=tuple(texts_of(self._library, head)),
            entries=tuple(entries),
            targets=tuple(
                dict.fromkeys(target for target in targets if target and target != head.id)
            ),
        )

    def _inside(self, entry: Entry) -> Iterator[str]:
        yield entry.id
        for child in children_of(self._library, entry.id):
            yield from self._inside(child)

    def _words(self, entry: Entry) -> tuple[str, str]:
        """Return the number of a step and its own words: its heading or, where that is only a
        number, its first text.
        """
        words = (
            entry.title
            if _has_title(entry)
            else next((each.display for each in texts_of(self._library, entry)), entry.title)
        )
        number = entry.number or ""
        if number and words.startswith(number):
            return number, words.removeprefix(number).lstrip(". ")
        mark, rest = split_mark(words)
        return (
            (mark or number, rest)
            if entry.number is None or mark
            else (number, without_rule_number(words))
        )


def _has_title(entry: Entry) -> bool:
    """Return whether ``entry`` has a heading that is more than its number."""
    return entry.title not in ("", entry.number)
