"""The sequences of a game's time in the shape of the API."""

from __future__ import annotations

from index.library.library import Library
from index.timing.library_timing import timing_of
from index.timing.model import TimingSequence, TimingStep
from service.answers.answer import citation_out, link_out
from service.core.repaired import repaired_words
from service.schemas.entries import TimingOut, TimingSequenceOut, TimingStepOut


def timing_out(library: Library, edition: str) -> TimingOut:
    """Return the sequences of ``edition``."""
    return TimingOut(edition=edition, sequences=[_sequence_out(library, each) for each in timing_of(library).sequences(edition)])


def meant_words(library: Library, step: TimingStep) -> str | None:
    """Return the words of ``step`` as they are meant where notes on the edition know that they are misprinted; None where they are not."""
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
        points_to=[link_out(library.entry[target]) for target in step.targets if target in library.entry],
        sequences=[_sequence_out(library, each) for each in step.inner],
    )
