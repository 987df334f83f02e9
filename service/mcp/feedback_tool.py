"""The tool by which an assistant passes on what a player said of an answer; it is listed only where feedback is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from service.core.snapshot import Snapshot
from service.mcp.result_model import ToolResult
from service.mcp.tools import EditionArgument, GameArgument, tool_errors
from service.ops.feedback.feedback_recording import FeedbackRecorder, PassageReference
from service.ops.feedback.feedback_records import FeedbackOrigin, Verdict

INSTRUCTIONS = " When the player says whether a passage settled the question, pass that on with the tool report_answer."


class KeptFeedbackResult(ToolResult):
    """What is kept of a report."""

    verdict: str
    citation: str | None = Field(description="The passage that it is about; null where it is about all of the answer.")
    rank: int | None = Field(description="The place of the passage in the answer; null where it is not among the first twenty.")


class FeedbackTool:
    """The tool over whatever index ``snapshot`` returns, which may raise `Problem`; what is reported goes to ``recorder``."""

    def __init__(self, snapshot: Callable[[], Snapshot], recorder: FeedbackRecorder, answers_kept: int):
        self._snapshot = snapshot
        self._recorder = recorder
        self._answers_kept = answers_kept

    def report_answer(
        self,
        question: Annotated[str, Field(description="The question as it was asked.")],
        verdict: Annotated[
            Literal["hit", "miss"],
            Field(description="hit: the passage settles the question. miss: it does not; without marker, none does."),
        ],
        marker: Annotated[
            str | None, Field(max_length=80, description="The marker of the passage, such as r:3076c5a6; needed for a hit.")
        ] = None,
        game: GameArgument = None,
        edition: EditionArgument = None,
    ) -> KeptFeedbackResult:
        """Report whether a passage settled the player's question, after the player has said so. Nothing on the player is kept."""
        with tool_errors():
            snapshot = self._snapshot()
            reference = PassageReference(marker) if marker else None
            fields = {"question": question, "game": game, "edition": edition}
            record = self._recorder.judge(snapshot, fields, Verdict(verdict), reference, FeedbackOrigin.MCP, self._answers_kept)
            return KeptFeedbackResult(verdict=verdict, citation=record.passage.label if record.passage else None, rank=record.rank)
