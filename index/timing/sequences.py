"""Find the timing sequences of every edition of a library, and the passages that belong to a step.
The steps of a sequence may be entries, passages, or list items within a passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from corpus.errors import NotFound
from corpus.languages import any_of
from corpus.model import Entry, Kind, Passage
from index.library.library import Library
from index.timing.steps import (
    ItemLine,
    TimingSequence,
    TimingStep,
    are_labelled,
    children_of,
    item_lines,
    item_runs,
    mark_of,
    runs_of,
    split_mark,
    step_of,
    step_patterns,
    texts_of,
    without_rule_number,
)

_OF_CARDS = (Kind.RULING, Kind.ERRATUM, Kind.REDIRECT)  # never have sequences
_NOT_STEPS = (*_OF_CARDS, Kind.TERM)  # sorted alphabetically
_FEWEST = 2  # least steps of a sequence
_LEADS = 2  # texts before a list that may be its lead-in
_HEAD = 120  # first characters of a step, which may say that something begins or ends
_LETTERED = re.compile(r"\d*[^\W\d]\w*[. ](?P<number>\d{1,2})")  # "FP.1", "Anhang I.1"
_BETWEEN = 40  # characters between "step 4" and the name of its phase
_COMMON = 0.05  # share of passages that name a term too general to identify a step
_SHORTEST_TERM = 5  # letters
# Ends one of the names in the title of a term.
_NAME_ENDS = re.compile(r"(?:(?<!\s)\s+)?(?:(?:[,/(–]|\s-\s).*|[)])")
_SHORTEST_NAME = 4  # least letters of a step's name that is searched for in texts

Step = tuple[TimingSequence, TimingStep]


class Timing:
    """The timing sequences of ``library``; computed on demand and cached."""

    def __init__(self, library: Library):
        self._library = library
        self._sequences: dict[str, tuple[TimingSequence, ...]] = {}
        self._steps: dict[str, tuple[dict[str, Step], dict[str, Step]]] = {}
        self._numbers: dict[str, NDArray[np.int64]] = {}

    def sequences(self, edition: str) -> tuple[TimingSequence, ...]:
        """Return the sequences of an ``edition``, in document order; () if it is not loaded."""
        if edition not in self._sequences:
            self._sequences[edition] = _timing_sequences(self._library, edition)
        return self._sequences[edition]

    def step(self, id: str) -> Step:
        """Return the step with this ``id`` and its sequence. Raises `NotFound`."""
        if found := self._in_edition(id.partition("/")[0])[0].get(id):
            return found
        raise NotFound(f"no step {id!r} here; GET /v1/timing/EDITION lists those there are")

    def around(self, thing: Entry | Passage) -> Step | None:
        """Return the innermost step that contains ``thing``, with its sequence, or None."""
        entry = thing if isinstance(thing, Entry) else self._library.entry[thing.entry]
        by_place = self._in_edition(entry.edition)[1]
        ids = (thing.id, *(each.id for each in reversed(self._library.path(entry))))
        return next((by_place[id] for id in ids if id in by_place), None)

    def numbers(self, id: str) -> NDArray[np.int64]:
        """Return the numbers of the searchable passages that belong to the step with this ``id``,
        ascending. Raises `NotFound`.

        These are the passages of the step and of its parts, of entries that it refers to, passages
        in the sequence's entry outside all steps, and passages that mention the step.
        """
        if id not in self._numbers:
            self._numbers[id] = np.array(list(self._belonging(*self.step(id))), dtype=np.int64)
        return self._numbers[id]

    def _in_edition(self, edition: str) -> tuple[dict[str, Step], dict[str, Step]]:
        """Map ids to the steps of ``edition``, and the ids of passages and entries to their
        innermost step. A passage that contains a list of steps is mapped to the step around it.
        """
        if edition not in self._steps:
            by_id: dict[str, Step] = {}
            by_place: dict[str, Step] = {}
            walked = (pair for outermost in self.sequences(edition) for pair in outermost.walk())
            for pair in walked:
                step = pair[1]
                by_id.setdefault(step.id, pair)
                if step.is_line:
                    by_place.setdefault(step.passages[0].id, pair)
                else:
                    by_place.update({each.id: pair for each in step.entries})
                    by_place.update({each.id: pair for each in step.passages})
            self._steps[edition] = by_id, by_place
        return self._steps[edition]

    def _belonging(self, sequence: TimingSequence, step: TimingStep) -> Iterator[int]:
        library = self._library
        edition = sequence.entry.edition
        pointed = [target for target in step.targets if target.startswith(f"{edition}/")]
        pointed += self._named_terms(edition, step)
        inside = {id for each in step.entries for id in _within(library, each.id)}
        targets = {id for target in pointed for id in _within(library, target)}
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
            lines = range(passage.lines.first, passage.lines.last + 1)
            if (
                passage.id in own
                or passage.entry in inside
                or passage.entry in targets
                or (passage.entry == sequence.entry.id and passage.id not in steps)
                or any((passage.entry, line) in pointing for line in lines)
                or (named and named.search(passage.display))
            ):
                yield number

    def _named_terms(self, edition: str, step: TimingStep) -> Iterator[str]:
        """Yield the ids of the terms in the words of ``step``, except terms that many passages
        name.
        """
        texts = [passage.display for passage in self._library.passages_in(edition)]
        for entry in self._library.entries_of(edition):
            names = _NAME_ENDS.split(entry.title) if entry.kind is Kind.TERM else []
            stems = (_stem(name) for name in names if len(name) >= _SHORTEST_TERM)
            found = next((stem for stem in stems if stem.search(step.words)), None)
            if found and sum(bool(found.search(text)) for text in texts) <= len(texts) * _COMMON:
                yield entry.id

    def _names(self, sequence: TimingSequence, step: TimingStep) -> re.Pattern[str] | None:
        """Return a pattern of the names by which texts mention ``step``: its heading, its number
        with the phase ("step 2 of the villain phase"), phases that it refers to; None without any.
        """
        language = self._library.edition[sequence.entry.edition].language
        names = []
        if step.entries and step.words == _heading(step.entries[0]):
            names.append(step.words.rpartition(":")[2].strip())
            names += re.findall(r"[„“\"«]([^„”“\"«»]+)[”“\"»]", step.words)
        targets = (self._library.entry.get(target) for target in step.targets)
        time = step_patterns(language).time
        names += [each.title for each in targets if each and time.search(each.title)]
        found = [rf"\b{re.escape(name)}\b" for name in names if len(name) >= _SHORTEST_NAME]
        if step.number.isdigit() and not step.entries:
            name = re.escape(sequence.entry.title.partition(" (")[0])
            words = any_of("sequences.step", language=language)
            found.append(rf"\b{words}\s+{step.number}\b[^.]{{0,{_BETWEEN}}}\b{name}")
        return re.compile("|".join(found), re.IGNORECASE) if found else None


def timing_of(library: Library) -> Timing:
    """Return the sequences of ``library``, cached on the library object."""
    found: Timing = vars(library).setdefault("timing", Timing(library))
    return found


def _heading(entry: Entry) -> str:
    """Return the title of ``entry`` without its number."""
    number = entry.number or ""
    return entry.title.removeprefix(number).lstrip(". ") if number else entry.title


def _stem(name: str) -> re.Pattern[str]:
    """Return a pattern of any inflection of the term ``name``: its last two letters may vary."""
    stem = name[: max(len(name) - 2, _SHORTEST_TERM - 1)]
    return re.compile(rf"\b{re.escape(stem)}", re.IGNORECASE)


def _within(library: Library, entry: str) -> Iterator[str]:
    """Yield ``entry`` and the entries inside it."""
    yield entry
    for child in library.children_of.get(entry, ()):
        yield from _within(library, child.id)


def _timing_sequences(library: Library, edition: str) -> tuple[TimingSequence, ...]:
    """Return the timing sequences that the rulebook of ``edition`` prints, in document order; none
    for a policy or formats.

    A sequence that describes how to do a step of another sequence is inside that step.
    """
    if not library.filter_editions(edition) or library.edition[edition].kind != "rules":
        return ()
    reader = _SequenceReader(library, edition)
    entries = [entry for entry in library.entries_of(edition) if entry.kind not in _OF_CARDS]
    found = [
        sequence
        for entry in entries
        for sequence in (*reader.of_texts(entry), *reader.of_entries(entry))
    ]
    walked = [step for sequence in found for _, step in sequence.walk()]
    steps = {entry.id: step.id for step in walked for entry in step.entries}
    inside: dict[str, list[TimingSequence]] = {}
    outermost: list[TimingSequence] = []
    for sequence in found:
        # An entry may be a step of the sequence printed in it.
        around = [each.id for each in library.path(sequence.entry) if each.id in steps]
        around = [each for each in around if each != sequence.id]
        (inside.setdefault(steps[around[-1]], []) if around else outermost).append(sequence)

    def whole(sequence: TimingSequence) -> TimingSequence:
        ids = [step.id for _, step in sequence.walk() if step.id in inside]
        return sequence.with_inner({id: tuple(map(whole, inside[id])) for id in ids})

    return tuple(map(whole, outermost))


class _SequenceReader:
    """Finds the timing sequences of an edition."""

    def __init__(self, library: Library, edition: str):
        self._library = library
        self._patterns = step_patterns(library.edition[edition].language)

    def _is_time(self, entry: Entry) -> bool:
        """Return whether the heading of ``entry`` has a word of timing, such as "phase"."""
        return self._patterns.time.search(entry.title) is not None

    def of_texts(self, entry: Entry) -> Iterator[TimingSequence]:
        """Yield the sequences whose steps are passages of ``entry``, and those within one of its
        other passages.
        """
        patterns, spans = self._patterns, self._is_time(entry)
        texts = texts_of(self._library, entry)
        marks = [mark_of(each.display) for each in texts]
        within: set[str] = set()
        for first, last in runs_of(marks):
            places = [place for place in range(first, last + 1) if marks[place] is not None]
            leads = [
                texts[first].lead_in,
                *(each.display for each in reversed(texts[max(first - _LEADS, 0) : first])),
                # Texts between the steps
                *(texts[place].display for place in range(first, last) if marks[place] is None),
            ]
            words = [split_mark(texts[place].display)[1] for place in places]
            if not patterns.is_timing_list(entry.title, leads, words):
                continue
            # Items that the last step announces belong to it.
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
            yield TimingSequence(entry, tuple(steps), lead, patterns.again_at(steps), spans)
        for text in texts:
            lines = item_lines(text.display) if text.id not in within else []
            for places in item_runs(lines):
                if patterns.leads_in_order(lead := lines[places[0] - 1].words):
                    found = self._line_sequence(entry, text, lines, places)
                    yield replace(found, lead=lead, spans=spans)

    def _passage_step(self, passages: Sequence[Passage]) -> TimingStep:
        """Return the step that consists of ``passages``; the first has its number, its words and
        perhaps a list of inner steps.
        """
        head = passages[0]
        lines = item_lines(head.display)
        number, words = split_mark("\n".join(line.raw for line in lines))
        targets = tuple(dict.fromkeys(target for target, _ in self._pointed(head)))
        step = TimingStep(head.id, number, words, tuple(passages), targets=targets)
        for places in item_runs(lines):
            if not are_labelled([lines[place].words for place in places]):  # not a list of cases
                entry = self._library.entry[head.entry]
                inner = self._line_sequence(entry, head, lines, places)
                before = "\n".join(line.raw for line in lines[: places[0]])
                return replace(step, words=split_mark(before)[1], inner=(inner,))
        return step

    def _line_sequence(
        self, entry: Entry, passage: Passage, lines: Sequence[ItemLine], places: Sequence[int]
    ) -> TimingSequence:
        """Return the sequence of the list items of ``passage`` that begin at lines ``places``."""
        steps: list[TimingStep] = []
        for place, following in zip(places, [*places[1:], len(lines)], strict=True):
            until = place + 1  # deeper lines belong to the item
            while until < following and lines[until].indent > lines[place].indent:
                until += 1
            parts = (lines[place].words, *(line.raw for line in lines[place + 1 : until]))
            words = "\n".join(parts)
            targets = tuple(target for target, raw in self._pointed(passage) if raw in words)
            id = f"{passage.id}.{len(steps) + 1}"
            steps.append(TimingStep(id, lines[place].number, words, (passage,), targets=targets))
        return TimingSequence(entry, tuple(steps), again=self._patterns.again_at(steps))

    def _pointed(self, passage: Passage) -> list[tuple[str, str]]:
        """Return the ids of the entries that ``passage`` refers to, each with the referring
        words.
        """
        first, last = passage.lines
        return [
            (each.target, each.raw)
            for each in self._library.references_of.get(passage.entry, ())
            if each.target and first <= each.line <= last and each.target != passage.entry
        ]

    def of_entries(self, entry: Entry) -> Iterator[TimingSequence]:
        """Yield the sequences whose steps are entries directly under ``entry``."""
        library, patterns = self._library, self._patterns
        children = children_of(library, entry.id)
        able = [each.kind not in _NOT_STEPS for each in children]
        marks = [
            step_of(library, each, patterns) if able_one else None
            for each, able_one in zip(children, able, strict=True)
        ]
        numbered = [
            each
            for each, mark in zip(children, marks, strict=True)
            if mark and patterns.step.search(each.heading)
        ]
        if len(numbered) < _FEWEST and any(map(self._is_time, library.path(entry))):
            named = [
                (place, patterns.span(each.title) or 0)
                for place, each in enumerate(children)
                if able[place] and self._is_span(each)
            ]
            if len(named) >= _FEWEST:
                # A lower rank than before is inside: a step after a phase.
                ranks = [rank for _, rank in named]
                yield self._sequence(
                    entry,
                    children,
                    [
                        (place, int(rank > min(ranks[: number + 1])))
                        for number, (place, rank) in enumerate(named)
                    ],
                )
                return
        found = False
        for first, last in runs_of(marks):
            places = [place for place in range(first, last + 1) if marks[place] is not None]
            if self._in_order(entry, [children[place] for place in places]):
                found = True
                yield self._sequence(entry, children, [(place, 0) for place in places])
        if found or len(children) < _FEWEST:
            return
        is_phase = patterns.span(entry.title) is not None
        if (
            (is_phase and all(able) and all(map(_has_title, children)))
            or self._announced(entry, children)
            or self._numbered_time(entry, children)
        ):
            yield self._sequence(entry, children, [(place, 0) for place in range(len(children))])

    def _is_span(self, entry: Entry) -> bool:
        """Return whether the heading of ``entry`` names a stretch of time: "Villain Phase"."""
        return _has_title(entry) and self._patterns.span(entry.title) is not None

    def _in_order(self, entry: Entry, steps: Sequence[Entry]) -> bool:
        """Return whether the entries ``steps`` under ``entry``, marked 1, 2, 3, are an order in
        time: rule numbers, words such as "step 1", or the lead-in tell so.
        """
        step = self._patterns.step
        if any(step.search(each.heading) or each.number is not None for each in steps):
            return True
        texts = texts_of(self._library, entry)
        lead = texts[-1].display if texts else ""
        return self._is_time(entry) or self._patterns.leads_in_order(lead)

    def _announced(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether the last text of ``entry`` says that its numbered rules are steps."""
        own = texts_of(self._library, entry)
        numbered = entry.number and all(
            each.number and each.number.startswith(entry.number) for each in children
        )
        patterns = (self._patterns.announced, self._patterns.ordered)
        return bool(own and numbered) and all(each.search(own[-1].display) for each in patterns)

    def _numbered_time(self, entry: Entry, children: Sequence[Entry]) -> bool:
        """Return whether the numbered ``children`` of an entry about time are its steps.

        They are if their numbers have letters before them ("FP.1"), or if the first child says that
        something begins and the last that something ends.
        """
        if len(children) < _FEWEST or not self._is_time(entry):
            return False
        if any(each.kind in _NOT_STEPS or not each.number for each in children):
            return False
        lettered = [_LETTERED.fullmatch(each.number or "") for each in children]
        if all(lettered):
            numbers = [int(found["number"]) for found in lettered if found]
            return numbers == list(range(1, len(children) + 1))
        first, last = (
            self._words(children[place])[1].partition("\n")[0][:_HEAD] for place in (0, -1)
        )
        return bool(self._patterns.begins.search(first) and self._patterns.ends.search(last))

    def _sequence(
        self, entry: Entry, children: Sequence[Entry], ranked: Sequence[tuple[int, int]]
    ) -> TimingSequence:
        """Return the sequence of the ``children`` at the places in ``ranked``, each with its depth.

        Entries between two steps belong to the first of them; after the last step only the entries
        under it do.
        """
        steps: list[TimingStep] = []
        inner: dict[str, list[TimingStep]] = {}
        ends = [*(place for place, _ in ranked[1:]), ranked[-1][0] + 1]
        for (place, depth), behind in zip(ranked, ends, strict=True):
            step = self._entry_step(children[place:behind])
            head, *parts = step.entries
            if self._numbered_time(head, parts):  # printed after the phase, not under it
                places = [(each, 0) for each in range(len(parts))]
                step = replace(step, inner=(self._sequence(head, parts, places),))
            if depth and steps:
                inner.setdefault(steps[-1].id, []).append(step)
            else:
                steps.append(step)
        own = texts_of(self._library, entry)
        lead = own[-1].display if own and own[-1].display != entry.title else ""
        found = TimingSequence(
            entry,
            tuple(steps),
            without_rule_number(lead),
            self._patterns.again_at(steps),
            self._is_time(entry) or any(self._is_span(children[place]) for place, _ in ranked),
        )
        return found.with_inner(
            {id: (TimingSequence(entry, tuple(each), spans=True),) for id, each in inner.items()}
        )

    def _entry_step(self, entries: Sequence[Entry]) -> TimingStep:
        """Return the step that consists of ``entries``; the first has its number and words."""
        head = entries[0]
        number, words = self._words(head)
        references = self._library.references_of
        targets = (each.target for id in self._inside(head) for each in references.get(id, ()))
        return TimingStep(
            id=head.id,
            number=number,
            words=words,
            passages=tuple(texts_of(self._library, head)),
            entries=tuple(entries),
            targets=tuple(dict.fromkeys(each for each in targets if each and each != head.id)),
        )

    def _inside(self, entry: Entry) -> Iterator[str]:
        yield entry.id
        for child in children_of(self._library, entry.id):
            yield from self._inside(child)

    def _words(self, entry: Entry) -> tuple[str, str]:
        """Return the number of the step ``entry`` and its words: its heading or, if that is only a
        number, its first text.
        """
        words = entry.title
        if not _has_title(entry):
            words = next((each.display for each in texts_of(self._library, entry)), words)
        number = entry.number or ""
        if number and words.startswith(number):
            return number, words.removeprefix(number).lstrip(". ")
        mark, rest = split_mark(words)
        if mark or entry.number is None:
            return mark or number, rest
        return number, without_rule_number(words)


def _has_title(entry: Entry) -> bool:
    """Return whether ``entry`` has a heading that is more than its number."""
    return entry.title not in ("", entry.number)
