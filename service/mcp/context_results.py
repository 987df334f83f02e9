"""Passages within a budget as the tools give them: every word once, so that all of the answer is within the budget."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from index.ranking.confidence import Settlement
from service.answers.context import estimate_tokens
from service.mcp.result_model import ToolResult
from service.schemas.answer import AS_OF, NOTES, SETTLED, NoteOut
from service.schemas.base import compact_json
from service.schemas.grounding import ContextOut


class ContextPassageResult(ToolResult):
    """A passage of a prompt, by its names."""

    marker: str
    entry: str


class ContextResult(ToolResult):
    """The best passages for a question as one block of text; all of this answer has at most ``budget`` tokens."""

    question: str
    language: str
    answered: bool = Field(description="False where no passage settles the question: the passages are then only the nearest.")
    settled: Annotated[Settlement, SETTLED]
    confidence: float
    index: str
    budget: int
    tokens: int = Field(description="Of the prompt.")
    left_out: int = Field(description="How many passages that were found did not fit.")
    passages: list[ContextPassageResult] = Field(description="Those in the prompt, the best first; read_entry has what is around them.")
    fallback: ContextPassageResult | None = Field(description="The game's own rule for what its rulebook leaves open, in the prompt too.")
    notes: list[NoteOut] = NOTES
    as_of: Annotated[str | None, AS_OF] = None
    prompt: str = Field(description="What to do, then marker, citation label and words of each passage.")


def context_result(context: ContextOut) -> ContextResult:
    """Return a context as the tool gives it: every word once."""
    return ContextResult.model_validate(context.model_dump())


def context_result_size(context: ContextOut) -> int:
    """Return the tokens of `context_result`."""
    return estimate_tokens(compact_json(context_result(context).model_dump()))
