"""Feedback as an owner reads it: records line by line, and groups of questions that nothing
settled; as text and as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from service.ops.feedback.feedback_records import FeedbackRecord
from service.ops.feedback.feedback_summary import OpenQuestion

_SHOWN = 80  # characters of a question in a line


def concerns(record: FeedbackRecord, edition: str | None) -> bool:
    """Whether ``record`` is about ``edition``: asked for, or that of its passage; all are where it
    is None.
    """
    return (
        edition is None
        or edition == record.edition
        or (record.passage is not None and edition == record.passage.edition)
    )


def record_json(record: FeedbackRecord) -> dict[str, Any]:
    """Return a record for programs."""
    return record.model_dump(mode="json")


def record_table(records: Sequence[FeedbackRecord]) -> str:
    """Return records as lines: id, day, verdict, origin, rank of the passage, question, passage."""
    lines = [f"{'id':16}  {'day':10}  {'verdict':10}  {'origin':6}  rank  question"]
    for record in records:
        rank = "" if record.rank is None else str(record.rank)
        about = f"  ->  {record.passage.label}" if record.passage else ""
        lines.append(
            f"{record.id}  {record.day}  {record.verdict:10}  {record.origin:6}  {rank:>4}  {_short(record.question)}{about}"
        )
    return "\n".join(lines)


def group_json(group: Sequence[OpenQuestion]) -> dict[str, Any]:
    """Return a group of questions for programs, the most asked first."""
    questions = [
        {
            "id": each.record.id,
            "question": each.record.question,
            "language": each.record.language,
            "edition": each.record.edition,
            "game": each.record.game,
            "document": each.record.document,
            "days": sorted(each.days),
            "misses": each.misses,
        }
        for each in group
    ]
    return {
        "count": sum(len(each.days) for each in group),
        "misses": sum(each.misses for each in group),
        "questions": questions,
    }


def group_table(groups: Iterable[Sequence[OpenQuestion]]) -> str:
    """Return groups as text: how often they were asked, a wording once a day, and called "not it";
    then each question with its id.
    """
    parts = []
    for group in groups:
        times, misses = sum(len(each.days) for each in group), sum(each.misses for each in group)
        scope = next((name for name in reversed(group[0].record.scope) if name), "all rulebooks")
        head = f'{times} times unsettled, {misses} times "not it", in {scope}:'
        parts.append(
            "\n".join(
                [head, *(f"  {each.record.id}  {_short(each.record.question)}" for each in group)]
            )
        )
    return "\n\n".join(parts)


def _short(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
