"""The sequences of a game's time: rounds, phases, attacks, and what else is done step by step."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.schemas.base import ResponseModel
from service.schemas.passage import CitationOut, LinkOut


class TimingStepOut(ResponseModel):
    """One step, in the rulebook's own words."""

    id: Annotated[str, Field(description="To ask from this step (`step` in `/v1/ask`); it holds as long as the index.")]
    number: Annotated[str, Field(description="As it is printed; empty where it has none.")]
    words: Annotated[str, Field(description="Its own words as readers see them: those of `citation`, or of one item of them.")]
    meant: Annotated[str | None, Field(description="The words as they are meant, where it is known that they are misprinted; else null.")]
    citation: Annotated[CitationOut, Field(description="Where it stands.")]
    points_to: Annotated[list[LinkOut], Field(description="The entries that it refers to.")]
    sequences: Annotated[list[TimingSequenceOut], Field(description="What is done within it, step by step.")]


class TimingSequenceOut(ResponseModel):
    """Steps that follow one another."""

    entry: Annotated[LinkOut, Field(description="The entry that they are printed in.")]
    lead_in: Annotated[str, Field(description="What is printed before them and leads in to them; empty where nothing does.")]
    spans_time: Annotated[
        bool, Field(description="Whether it is a stretch of the game's time, as a round or a phase, and not, say, an attack.")
    ]
    again: Annotated[
        str | None, Field(description="The id of the step that follows the last one again, where the text says so; else null.")
    ]
    steps: Annotated[list[TimingStepOut], Field(description="The steps, in order.")]


class TimingOut(ResponseModel):
    """The sequences that a rulebook prints, in document order."""

    edition: Annotated[str, Field(description="The id of the edition.")]
    sequences: Annotated[list[TimingSequenceOut], Field(description="The sequences that are in no other one, in document order.")]


TimingStepOut.model_rebuild()
