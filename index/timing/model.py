"""Steps of the game's time as a rulebook prints them, and the sequences that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from corpus.model import Entry, Passage


@dataclass(frozen=True)
class TimingStep:
    """One step: ``number`` as it is printed, "" where it has none, and ``words``, its own words as readers see them.

    ``passages`` are those that are the step itself, the first the one that ``words`` are from; ``entries`` are entries that are the step
    as a whole. ``targets`` are the ids of entries that it points at. ``inner`` are the sequences that say how it is done.
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
        """Whether the step is an item within a passage, and no passage or entry of its own."""
        return not self.entries and self.id != self.passages[0].id

    @property
    def place(self) -> Entry | Passage:
        """Where the words of the step are printed."""
        return self.entries[0] if self.entries else self.passages[0]

    def with_inner(self, inner: Mapping[str, tuple[TimingSequence, ...]]) -> TimingStep:
        """Return the step with ``inner`` sequences put to its own and to those of steps inside it."""
        return replace(self, inner=(*(each.with_inner(inner) for each in self.inner), *inner.get(self.id, ())))

    @property
    def entry(self) -> str:
        """The id of the entry that the step is printed in, or is."""
        return self.entries[0].id if self.entries else self.passages[0].entry


@dataclass(frozen=True)
class TimingSequence:
    """``steps`` one after another, printed in or under ``entry`` behind ``lead``, the words that lead in to them as readers see them.

    ``again`` is the place among ``steps``, from 0, of the one that follows the last where the text says that it begins again; else
    None. ``spans`` says that it is a stretch of the game's time, as a round or a phase, and not what is done at any time, as an attack.
    """

    entry: Entry
    steps: tuple[TimingStep, ...]
    lead: str = ""
    again: int | None = None
    spans: bool = False

    @property
    def id(self) -> str:
        """What tells it from the others: the id of its first step."""
        return self.steps[0].id

    def walk(self) -> Iterator[tuple[TimingSequence, TimingStep]]:
        """Yield every step, each with the sequence that it is in, those inside it behind it."""
        for step in self.steps:
            yield self, step
            for sequence in step.inner:
                yield from sequence.walk()

    def with_inner(self, inner: Mapping[str, tuple[TimingSequence, ...]]) -> TimingSequence:
        """Return the sequence with ``inner`` sequences put to those that its steps have, by the id of the step."""
        return replace(self, steps=tuple(each.with_inner(inner) for each in self.steps))
