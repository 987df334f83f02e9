"""Finds the sequences of time in an edition: lists of its entries, lists within passages, and entries that are steps themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpus.model import Entry, Kind, Passage
from index.library.library import Library
from index.timing.entry_steps import EntryReader
from index.timing.model import TimingSequence, TimingStep
from index.timing.step_marks import (
    ItemLine,
    again_at,
    are_labelled,
    is_timing_list,
    item_lines,
    item_runs,
    leads_in_order,
    mark_of,
    runs_of,
    split_mark,
    step_patterns,
    texts_of,
)

_OF_CARDS = (Kind.RULING, Kind.ERRATUM, Kind.REDIRECT)  # no rules of the course of the game stand there
_LEADS = 2  # texts before a list that may lead in to it


def timing_sequences(library: Library, edition: str) -> tuple[TimingSequence, ...]:
    """Return the sequences of time that the rulebook of ``edition`` prints, in document order; none for a policy or formats.

    A sequence that says how a step of another is done is inside that step.
    """
    if not library.filter_editions(edition) or library.edition[edition].kind != "rules":
        return ()
    under = EntryReader(library, edition)
    found: list[TimingSequence] = []
    for entry in library.entries_of(edition):
        if entry.kind not in _OF_CARDS:
            found += [*_of_texts(library, entry), *under.sequences(entry)]
    return _nested(library, found)


def _of_texts(library: Library, entry: Entry) -> Iterator[TimingSequence]:
    """Yield the sequences whose steps are passages of ``entry``, and those within one of its passages that is no such step."""
    patterns = step_patterns(library.edition[entry.edition].language)
    texts = texts_of(library, entry)
    within: set[str] = set()
    for first, last in runs_of([mark_of(each.display) for each in texts]):
        places = [place for place in range(first, last + 1) if mark_of(texts[place].display) is not None]
        leads = [texts[first].lead_in, *(each.display for each in reversed(texts[max(first - _LEADS, 0) : first]))]
        leads += [each.display for each in texts[first:last] if mark_of(each.display) is None]  # that the questions are answered, and now …
        if not is_timing_list(patterns, entry.title, leads, [split_mark(texts[place].display)[1] for place in places]):
            continue
        end = _end_of_last(texts, first, last)
        steps = [_passage_step(library, texts[place:until]) for place, until in zip(places, [*places[1:], end + 1], strict=True)]
        within.update(each.id for each in texts[first : end + 1])
        yield TimingSequence(
            entry,
            tuple(steps),
            lead=texts[first - 1].display if first else "",
            again=again_at(patterns, [(step.number, step.words) for step in steps]),
            spans=patterns.time.search(entry.title) is not None,
        )
    for text in texts:
        if text.id not in within:
            yield from _within(library, entry, text)


def _end_of_last(texts: Sequence[Passage], first: int, last: int) -> int:
    """Return the place of the last passage that belongs to the item at ``last`` of a list that begins at ``first``."""
    announces = texts[last].display.rstrip().endswith(":")  # what it says stands in items of its own
    while last + 1 < len(texts) and texts[last + 1].depth >= (max(texts[first].depth, 1) if announces else texts[first].depth + 1):
        last += 1
    return last


def _passage_step(library: Library, passages: Sequence[Passage]) -> TimingStep:
    """Return the step that ``passages`` are; the first of them has its number, its words and maybe a list of what it consists of."""
    head = passages[0]
    lines = item_lines(head.display)
    words = "\n".join(line.raw for line in lines)
    number, words = split_mark(words)
    runs = [run for run in item_runs(lines, after=1) if not are_labelled([lines[place].words for place in run])]  # those are cases
    step = TimingStep(head.id, number, words, tuple(passages), targets=_targets(library, head))
    if not runs:
        return step
    inner = _line_sequence(library, library.entry[head.entry], head, lines, runs[0])
    before = "\n".join(line.raw for line in lines[: runs[0][0]])
    return replace(step, words=split_mark(before)[1], inner=(inner,))


def _within(library: Library, entry: Entry, passage: Passage) -> Iterator[TimingSequence]:
    """Yield the sequence of time that is printed within ``passage`` behind words that lead in to it."""
    patterns = step_patterns(library.edition[entry.edition].language)
    lines = item_lines(passage.display)
    for places in item_runs(lines, after=1):
        if leads_in_order(patterns, lead := lines[places[0] - 1].words):
            spans = patterns.time.search(entry.title) is not None
            yield replace(_line_sequence(library, entry, passage, lines, places), lead=lead, spans=spans)


def _line_sequence(library: Library, entry: Entry, passage: Passage, lines: Sequence[ItemLine], places: Sequence[int]) -> TimingSequence:
    """Return the sequence of the items of ``passage`` that begin at the lines ``places``."""
    patterns = step_patterns(library.edition[entry.edition].language)
    steps: list[TimingStep] = []
    for place in places:
        until = place + 1  # what is set deeper belongs to it
        while until < len(lines) and until not in places and lines[until].indent > lines[place].indent:
            until += 1
        words = "\n".join([lines[place].words, *(line.raw for line in lines[place + 1 : until])])
        targets = tuple(target for target, raw in _pointed(library, passage) if raw in words)
        steps.append(TimingStep(f"{passage.id}.{len(steps) + 1}", lines[place].number, words, (passage,), targets=targets))
    return TimingSequence(entry, tuple(steps), again=again_at(patterns, [(step.number, step.words) for step in steps]))


def _targets(library: Library, passage: Passage) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target for target, _ in _pointed(library, passage)))


def _pointed(library: Library, passage: Passage) -> list[tuple[str, str]]:
    """Return the entries that ``passage`` refers to, by id, with the words that refer to them."""
    first, last = passage.lines
    return [
        (each.target, each.raw)
        for each in library.references_of.get(passage.entry, ())
        if each.target and first <= each.line <= last and each.target != passage.entry
    ]


def _nested(library: Library, found: Sequence[TimingSequence]) -> tuple[TimingSequence, ...]:
    """Return ``found`` with every sequence inside the innermost step of another that it is a part of, the others as they are."""
    step_of = {entry.id: step.id for sequence in found for _, step in sequence.walk() for entry in step.entries}
    inside: dict[str, list[TimingSequence]] = {}
    outermost: list[TimingSequence] = []
    for sequence in found:
        around = [each.id for each in library.path(sequence.entry)]
        if sequence.id in step_of:  # its steps are entries; one of them may be printed under itself
            around = [each for each in around if each != sequence.id]
        step = next((step_of[each] for each in reversed(around) if each in step_of), None)
        (inside.setdefault(step, []) if step else outermost).append(sequence)

    def whole(sequence: TimingSequence) -> TimingSequence:
        return sequence.with_inner({step.id: tuple(map(whole, inside[step.id])) for _, step in sequence.walk() if step.id in inside})

    return tuple(map(whole, outermost))
