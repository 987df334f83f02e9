"""Find the numbered sequence that a passage is a step of: list items, lettered sections, or rules
that begin with "first", "second".

Steps are recognised by numbers, letters and words (``sequences`` in the file of the rulebook's
language).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.model import Entry, Passage, Role
from index.library.library import Library
from index.timing.steps import children_of, mark_of, runs_of, step_of, step_patterns, texts_of

MOST_CHARACTERS = 4_000  # most characters of a sequence that are shown


@dataclass(frozen=True)
class StepSequence:
    """The lead-in and ``steps`` of a sequence, in order; ``at`` is the position of the passage that
    was found.

    ``left_out`` is the number of passages omitted, the most distant ones, for `MOST_CHARACTERS`.
    """

    steps: tuple[Passage, ...]
    at: int
    left_out: int = 0


def sequence_around(library: Library, passage: Passage) -> StepSequence | None:
    """Return the innermost sequence that ``passage`` is a step or the lead-in of, or None."""
    entry = library.entry.get(passage.entry)
    if entry is None or passage.role is not Role.TEXT:
        return None
    steps = _listed(texts_of(library, entry), passage)
    around: Entry | None = entry
    for _ in range(2):  # the entry itself, and the one around it
        steps = steps or (_in_entries(library, around, passage) if around else [])
        around = library.entry.get(around.parent or "") if around else None
    places = [place for place, step in enumerate(steps) if step.id == passage.id]
    return _shortened(steps, places[0]) if places and len(steps) > 1 else None


def _listed(texts: Sequence[Passage], passage: Passage) -> list[Passage]:
    """Return the numbered items among ``texts``, with their lead-in and the texts between them, if
    ``passage`` is one of these; otherwise [].
    """
    for first, last in runs_of([mark_of(each.display) for each in texts]):
        if (
            texts[last].display.rstrip().endswith(":")
        ):  # items that the last item announces belong to it
            while last + 1 < len(texts) and texts[last + 1].depth >= max(texts[first].depth, 1):
                last += 1
        if first and (
            texts[first].depth > texts[first - 1].depth
            or texts[first - 1].display.rstrip().endswith(":")
        ):
            first -= 1
        if passage in (found := texts[first : last + 1]):
            return list(found)
    return []


def _in_entries(library: Library, entry: Entry, passage: Passage) -> list[Passage]:
    """Return the texts of entries that are steps of a sequence, if ``entry``, which has
    ``passage``, is one of them or has their lead-in; otherwise [].
    """
    patterns = step_patterns(library.edition[entry.edition].language)
    own = texts_of(library, entry)
    if own and own[-1].id == passage.id and patterns.announced.search(passage.display):
        return [
            passage,
            *(text for child in children_of(library, entry.id) for text in _inside(library, child)),
        ]
    if not entry.parent:
        return []
    lead = [
        text
        for text in texts_of(library, library.entry[entry.parent])[-1:]
        if patterns.announced.search(text.display)
    ]
    if not lead and step_of(library, entry, patterns) is None:
        return []
    siblings = children_of(library, entry.parent)
    marks = [step_of(library, each, patterns) for each in siblings]
    runs = [(0, len(siblings) - 1)] if lead else list(runs_of(marks))
    for first, last in runs:
        if entry.id in [each.id for each in siblings[first : last + 1]]:
            return [
                *lead,
                *(text for each in siblings[first : last + 1] for text in _inside(library, each)),
            ]
    return []


def _inside(library: Library, entry: Entry) -> Iterator[Passage]:
    """Yield the texts of ``entry`` and of all entries inside it."""
    yield from texts_of(library, entry)
    for child in children_of(library, entry.id):
        yield from _inside(library, child)


def _shortened(steps: Sequence[Passage], at: int) -> StepSequence:
    """Return the steps around position ``at`` with at most `MOST_CHARACTERS`."""
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
