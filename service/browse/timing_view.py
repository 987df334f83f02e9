"""The sequences of a game's time as pages show them: every step with its words, where they stand, and what they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from corpus.model import Edition, Entry, Passage
from corpus.sentences import sentences
from index.library.library import Library
from index.model import Hit
from index.timing.library_timing import Timing, timing_of
from index.timing.model import TimingSequence, TimingStep
from service.answers.citations import cite, entry_name, entry_url
from service.answers.timing_out import meant_words
from service.browse.entry_view import quoted_passage

_LONGEST = 110  # characters of a step that is named
_LONGEST_LINK = 44  # and in one line
_MOST_LINKS = 3  # steps that an entry names as its places


@dataclass(frozen=True)
class StepLink:
    """A step in one line, and the address of its place in the list of steps."""

    label: str
    address: str


@dataclass(frozen=True)
class ListedStep:
    """A step: its own ``words``, whole and in ``short``, with ``meant`` where they are misprinted; ``short`` has what is meant.

    ``url`` is the address of its rule, ``place`` where it is printed, ``targets`` are the entries that it points at, ``choose`` is the
    address of the page with it chosen; ``here`` says that it is.
    """

    id: str
    anchor: str
    number: str
    words: str
    short: str
    meant: str | None
    url: str
    place: str
    targets: list[Entry]
    choose: str
    here: bool
    inner: list[ListedSequence]


@dataclass(frozen=True)
class ListedSequence:
    """A sequence under its heading; ``path`` are the entries around the one that it stands in.

    ``again`` is the step that it begins again with, None where the text does not say that it does.
    """

    anchor: str
    entry: Entry
    title: str
    path: tuple[Entry, ...]
    lead: str
    steps: list[ListedStep]
    again: ListedStep | None

    def walk(self) -> Iterator[ListedStep]:
        """Yield all steps, those inside a step behind it."""
        for step in self.steps:
            yield step
            for sequence in step.inner:
                yield from sequence.walk()


@dataclass(frozen=True)
class TimingView:
    """The sequences of an ``edition``: ``spans`` are stretches of time, as a round and its phases, ``others`` what is done in steps."""

    edition: Edition
    spans: list[ListedSequence]
    others: list[ListedSequence]


def timing_view(library: Library, edition: Edition, chosen: str | None = None) -> TimingView:
    """Return the sequences of ``edition``, with the step called ``chosen`` marked."""
    sequences = timing_of(library).sequences(edition.id)
    return TimingView(
        edition,
        [_sequence_view(library, each, chosen) for each in sequences if each.spans],
        [_sequence_view(library, each, chosen) for each in sequences if not each.spans],
    )


def step_link(library: Library, id: str) -> StepLink:
    """Return the step called ``id`` in one line. Raises `NotFound` where there is none."""
    return _link(library, *timing_of(library).step(id))


def entry_steps(library: Library, entry: Entry) -> list[StepLink]:
    """Return the steps that ``entry`` is, is inside of or has; where it has none those that point at it, the first few."""
    timing = timing_of(library)
    if found := timing.step_at(entry):
        return [_link(library, *timing.step(found.id))]
    every = [pair for sequence in timing.sequences(entry.edition) for pair in sequence.walk()]
    own = [pair for pair in every if pair[0].entry.id == entry.id]
    if own:
        return [_link(library, *own[0])]
    return [_link(library, *pair) for pair in every if entry.id in pair[1].targets][:_MOST_LINKS]


def passage_step(library: Library, passage: Passage) -> StepLink | None:
    """Return the step that ``passage`` is or belongs to; None where it is none."""
    timing: Timing = timing_of(library)
    found = timing.step_of(passage)
    return _link(library, *timing.step(found.id)) if found else None


def step_address(id: str) -> str:
    """Return the address of the list with the step called ``id`` chosen."""
    return f"/timing/{id.partition('/')[0]}?{urlencode({'step': id})}#{_anchor(id)}"


def _link(library: Library, sequence: TimingSequence, step: TimingStep) -> StepLink:
    words = _short(meant_words(library, step) or step.words, _LONGEST_LINK)
    number = f"{step.number}." if len(step.number) in (1, 2) else step.number
    return StepLink(f"{_title(library, sequence)}: {f'{number} {words}'.lstrip()}", step_address(step.id))


def _sequence_view(library: Library, sequence: TimingSequence, chosen: str | None) -> ListedSequence:
    steps = [_step_view(library, step, chosen) for step in sequence.steps]
    return ListedSequence(
        anchor=f"{_anchor(sequence.id)}-on",
        entry=sequence.entry,
        title=_title(library, sequence),
        path=library.path(sequence.entry)[:-1],
        lead=sequence.lead,
        steps=steps,
        again=None if sequence.again is None else steps[sequence.again],
    )


def _title(library: Library, sequence: TimingSequence) -> str:
    """Return what ``sequence`` is of: the name of its entry; behind the heading of the section around it where that is a bare number."""
    entry = sequence.entry
    if entry.title != entry.number:
        return entry_name(library, entry)
    around = next((each.title for each in reversed(library.path(entry)) if each.title != each.number), "")
    return f"{around}, {entry.number}".removeprefix(", ")


def _step_view(library: Library, step: TimingStep, chosen: str | None) -> ListedStep:
    place = step.place
    meant = meant_words(library, step)
    url = entry_url(place) if isinstance(place, Entry) else quoted_passage(library, Hit(place, 0.0, ())).url
    return ListedStep(
        id=step.id,
        anchor=_anchor(step.id),
        number=step.number,
        words=step.words,
        short=_short(meant or step.words),
        meant=meant,
        url=url,
        place=cite(library, place).position,
        targets=[library.entry[target] for target in step.targets if target in library.entry],
        choose=step_address(step.id),
        here=step.id == chosen,
        inner=[_sequence_view(library, each, chosen) for each in step.inner],
    )


def _anchor(id: str) -> str:
    """Return the name of a step within the page of sequences."""
    return "at-" + id.partition("/")[2].replace("#", "-")


def _short(words: str, most: int = _LONGEST) -> str:
    """Return the first sentence of ``words``, cut to ``most`` characters; an ellipsis stands for what is left out."""
    flat = " ".join(words.split())
    first = flat[slice(*next(iter(sentences(flat)), (0, len(flat))))]
    if len(first) > most:
        first = first[:most].rpartition(" ")[0].rstrip(",;:–-")
    return first if first == flat else f"{first}\N{NO-BREAK SPACE}…"
