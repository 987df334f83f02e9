"""Timing sequences (the steps of a turn, an attack, …), as pages and programs get them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from corpus.model import Entry, Passage
from corpus.sentences import sentences
from index.library.library import Library
from index.model import Hit
from index.timing.sequences import timing_of
from index.timing.steps import TimingSequence, TimingStep
from service.answers.answer import link_out
from service.answers.citations import cite, entry_name, entry_url
from service.answers.sources import citation_out
from service.browse.entry_view import quoted_passage
from service.core.displayed import repaired_words
from service.schemas.entries import (
    TimingOut,
    TimingSequenceOut,
    TimingStepOut,
)

_LONGEST = 110  # characters of a step
_LONGEST_LINK = 44  # characters of a step in a link
_MOST_LINKS = 3  # to steps that point at an entry


def timing_out(library: Library, edition: str) -> TimingOut:
    """Return the sequences of ``edition``."""
    return TimingOut(
        edition=edition,
        sequences=[_sequence_out(library, each) for each in timing_of(library).sequences(edition)],
    )


def meant_words(library: Library, step: TimingStep) -> str | None:
    """Return the corrected words of ``step``, None if no misprint is known."""
    return repaired_words(library, step.passages[0], step.words) if step.passages else None


def _sequence_out(library: Library, sequence: TimingSequence) -> TimingSequenceOut:
    return TimingSequenceOut(
        entry=link_out(sequence.entry),
        lead_in=sequence.lead,
        spans_time=sequence.spans,
        again=None if sequence.again is None else sequence.steps[sequence.again].id,
        steps=[_step_out(library, each) for each in sequence.steps],
    )


def _step_out(library: Library, step: TimingStep) -> TimingStepOut:
    return TimingStepOut(
        id=step.id,
        number=step.number,
        words=step.words,
        meant=meant_words(library, step),
        citation=citation_out(library, step.place),
        points_to=[
            link_out(library.entry[target]) for target in step.targets if target in library.entry
        ],
        sequences=[_sequence_out(library, each) for each in step.inner],
    )


@dataclass(frozen=True)
class StepLink:
    """A link to a step in the list of steps."""

    label: str
    address: str


@dataclass(frozen=True)
class ShownStep:
    """A step as a page shows it: ``short`` has its words, ``meant`` the corrected words, if any.

    Attributes:
        url: The address of its rule.
        place: Where it is printed.
        targets: The entries that it points at.
        choose: The address of the list with this step selected.
        anchor: The fragment of that address.
    """

    anchor: str
    short: str
    meant: str | None
    url: str
    place: str
    targets: list[Entry]
    choose: str


def shown_step(library: Library, step: TimingStep) -> ShownStep:
    """Return ``step`` as a page shows it."""
    meant, place = meant_words(library, step), step.place
    return ShownStep(
        anchor=_anchor(step.id),
        short=_short(meant or step.words),
        meant=meant,
        url=entry_url(place)
        if isinstance(place, Entry)
        else quoted_passage(library, Hit(place, 0.0, ())).url,
        place=cite(library, place).position,
        targets=[library.entry[target] for target in step.targets if target in library.entry],
        choose=step_address(step.id),
    )


def sequence_title(library: Library, sequence: TimingSequence) -> str:
    """Return the title of the sequence's entry, preceded by the heading of the section if it is a
    bare number: "Combat, 4.2".
    """
    entry = sequence.entry
    if entry.title != entry.number:
        return entry_name(library, entry)
    around = next(
        (each.title for each in reversed(library.path(entry)) if each.title != each.number), ""
    )
    return f"{around}, {entry.number}".removeprefix(", ")


def step_link(library: Library, id: str) -> StepLink:
    """Return a link to the step ``id``. Raises `NotFound` if there is none."""
    return _link(library, *timing_of(library).step(id))


def entry_steps(library: Library, entry: Entry) -> list[StepLink]:
    """Return a link to the step that ``entry`` is, belongs to or contains; if there is none, to the
    first few steps that point at it.
    """
    timing = timing_of(library)
    every = [pair for sequence in timing.sequences(entry.edition) for pair in sequence.walk()]
    own = next((pair for pair in every if pair[0].entry.id == entry.id), None)
    if found := timing.around(entry) or own:
        return [_link(library, *found)]
    return [_link(library, *pair) for pair in every if entry.id in pair[1].targets][:_MOST_LINKS]


def passage_step(library: Library, passage: Passage) -> StepLink | None:
    """Return a link to the step that ``passage`` is or belongs to, None if there is none."""
    found = timing_of(library).around(passage)
    return _link(library, *found) if found else None


def step_address(id: str) -> str:
    """Return the address of the list with the step ``id`` selected."""
    return f"/timing/{id.partition('/')[0]}?{urlencode({'step': id})}#{_anchor(id)}"


def _link(library: Library, sequence: TimingSequence, step: TimingStep) -> StepLink:
    words = _short(meant_words(library, step) or step.words, _LONGEST_LINK)
    number = f"{step.number}." if len(step.number) in (1, 2) else step.number
    return StepLink(
        f"{sequence_title(library, sequence)}: {f'{number} {words}'.lstrip()}",
        step_address(step.id),
    )


def _anchor(id: str) -> str:
    """Return the HTML id of a step on the page of sequences."""
    return "at-" + id.partition("/")[2].replace("#", "-")


def _short(words: str, most: int = _LONGEST) -> str:
    """Return the first sentence of ``words``, cut to ``most`` characters; an ellipsis replaces the
    rest.
    """
    flat = " ".join(words.split())
    first = flat[slice(*next(iter(sentences(flat)), (0, len(flat))))]
    if len(first) > most:
        first = first[:most].rpartition(" ")[0].rstrip(",;:–-")
    return first if first == flat else f"{first}\N{NO-BREAK SPACE}…"
