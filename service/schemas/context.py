"""Passages for a language model's prompt: ``POST /v1/context``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from index.ranking.confidence import Settlement
from service.schemas.answer import AS_OF, NOTES, SETTLED, NoteOut
from service.schemas.base import (
    AsOf,
    ContextQuestions,
    DocumentFilter,
    EditionFilter,
    GameFilter,
    LanguageTag,
    LayerList,
    PreferredLanguage,
    QuestionText,
    RequestBody,
    ResponseModel,
    WholeNumber,
)
from service.schemas.layers import LayerCitationOut
from service.schemas.limits import LEAST_BUDGET, MOST_BUDGET, USUAL_BUDGET
from service.schemas.passage import CitationOut

_BUDGET = (
    "The most tokens of the answer as JSON, with `details` of `prompt` alone; at 2.5 bytes of UTF-8 a token: more than today's models make "
    "of German and Italian."
)
_DETAILS = (
    "Give text, display, highlights and citation of each passage too, and where else its words are printed, for a program that shows them. "
    "Then the budget is for `prompt` alone."
)
MARKER = Field(
    description="Names the passage, in brackets: the same in every answer and index as long as its words are the same.",
    pattern="^r:[0-9a-f]{8,64}$",
)


class ContextBody(RequestBody):
    """A question, where to look, and how many tokens there is room for."""

    question: QuestionText
    budget: Annotated[int, WholeNumber(LEAST_BUDGET, MOST_BUDGET, _BUDGET)] = USUAL_BUDGET
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    document: DocumentFilter | None = None
    language: LanguageTag | None = None
    prefer: PreferredLanguage | None = None
    layers: LayerList | None = None
    as_of: AsOf | None = None
    context: ContextQuestions | None = None
    details: Annotated[bool, Field(strict=True, description=_DETAILS)] = False


class ContextPassageOut(ResponseModel):
    """A passage of a prompt. What needs `details` is null or empty without: the prompt has the words."""

    marker: str = MARKER
    entry: str = Field(
        description="The id of its entry; GET /v1/entries/{id} has it. Of a ruling or card `rulings/` or `cards/` and its id.",
    )
    text: str | None = Field(default=None, description="With `details`: the passage as evidence, character for character.")
    display: str | None = Field(default=None, description="With `details`: the same for readers, as the prompt has it.")
    tokens: int = Field(ge=1, description="Tokens of the passage with its marker and label in the prompt.")
    highlights: list[tuple[int, int]] = Field(default=[], description="With `details`: spans of `text` that answer.")
    citation: CitationOut | LayerCitationOut | None = Field(default=None, description="With `details`: where it stands.")
    also: list[CitationOut | LayerCitationOut] = Field(
        default=[], description="With `details`: where else the same words are printed, or are part of this passage."
    )


class ContextOut(ResponseModel):
    """The best passages within the budget; none is cut, and none has words that another one has.

    All of it has at most `budget` tokens; with `details`, `prompt` has.
    """

    question: str = Field(description="The question as it was asked.")
    language: str = Field(description="Language of the question.")
    answered: bool = Field(description="Whether a passage settles the question; the prompt says so where none does.")
    settled: Annotated[Settlement, SETTLED]
    confidence: float = Field(ge=0, le=1, description="The probability that the first passage settles the question.")
    index: str = Field(description="The index that answered.")
    budget: int = Field(ge=LEAST_BUDGET, le=MOST_BUDGET, description="The most tokens, as asked for.")
    tokens: int = Field(ge=1, description="Tokens of `prompt`.")
    passages: list[ContextPassageOut] = Field(description="The best first.")
    left_out: int = Field(ge=0, description="How many passages that were found did not fit.")
    fallback: ContextPassageOut | None = Field(
        description="The game's own rule for what its rulebook leaves open, where nothing settles it."
    )
    notes: list[NoteOut] = NOTES
    as_of: Annotated[str | None, AS_OF] = None
    prompt: str = Field(description="A block of text to put before the question: what to do, then marker, label and words of each passage.")
