"""Answer a file of questions, one JSON object per line; responses are in the same order."""

from __future__ import annotations

import reprlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from index.ranking.confidence import Settlement
from service.answers.answer import answer_out
from service.assist.assistant import Assistant, unassisted
from service.core.ask import ask
from service.core.parameters import asked_with, json_object, query_of
from service.core.problems import TITLES, Problem
from service.core.snapshot import Snapshot
from service.schemas.answer import AnswerOut

_UNDETERMINED = "und"  # BCP 47 code for an undetermined language
_VALUE = reprlib.Repr()  # shortens values in error messages
_VALUE.maxstring = _VALUE.maxother = 80


@dataclass(frozen=True)
class BatchRow:
    """Line ``number`` of a file of questions: its ``fields``, or why it is invalid."""

    number: int
    fields: Mapping[str, object]
    problem: Problem | None = None

    @property
    def id(self) -> str | int | None:
        """The id of the row, returned with the answer; None if it is missing or invalid."""
        id = self.fields.get("id")
        return id if isinstance(id, (str, int)) and not isinstance(id, bool) else None


@dataclass(frozen=True)
class BatchResponse:
    """The ``answer`` to a row; if there is a ``problem``, the answer has no passages."""

    row: BatchRow
    answer: AnswerOut
    problem: Problem | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the line of output: id and response, and the problem, if any."""
        line: dict[str, Any] = {"id": self.row.id, "response": self.answer.model_dump()}
        if self.problem:
            line["problem"] = {
                "status": self.problem.status,
                "title": TITLES[self.problem.status],
                "detail": self.problem.detail,
                "field": self.problem.field,
                "row": self.row.number,
            }
        return line


def read_rows(
    lines: Iterable[bytes], defaults: Mapping[str, object] | None = None
) -> Iterator[BatchRow]:
    """Yield the rows of a file of questions, except blank lines; ``defaults`` replace missing
    fields.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            given = {
                name: value
                for name, value in json_object(line, "line").items()
                if value is not None
            }
        except Problem as problem:
            yield BatchRow(number, {}, problem)
            continue
        row = BatchRow(number, {**(defaults or {}), **given})
        if row.id is None:
            row = replace(
                row, problem=Problem.malformed("The id has to be a text or a whole number.", "id")
            )
        yield row


def responses(
    snapshot: Snapshot, rows: Iterable[BatchRow], assistant: Assistant | None = None
) -> Iterator[BatchResponse]:
    """Answer every row of ``rows`` from ``snapshot``; an invalid row gets a response with its
    problem.

    Rows with ``assist`` are answered with the help of ``assistant``, as many at once as it can
    handle. Raises `index.store.protocol.StoreUnreachable` if the store of the index does not
    answer.
    """
    answered = partial(_response, snapshot, assistant)
    if assistant is None:
        yield from map(answered, rows)
        return
    with ThreadPoolExecutor(assistant.most) as pool:
        under_way: deque[Future[BatchResponse]] = deque()
        for row in rows:
            under_way.append(pool.submit(answered, row))
            if len(under_way) > assistant.most:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def _response(snapshot: Snapshot, assistant: Assistant | None, row: BatchRow) -> BatchResponse:
    try:
        if row.problem:
            raise row.problem
        asked = asked_with(row.fields)
        query = query_of(asked, snapshot)
        if not asked.assist:
            return BatchResponse(row, answer_out(snapshot, ask(snapshot, query, interactive=False)))
        found = (assistant.ask if assistant else unassisted)(snapshot, query, interactive=False)
        return BatchResponse(row, answer_out(snapshot, found.result, found.assistance))
    except Problem as problem:
        return BatchResponse(row, _no_answer(snapshot, row), problem)


def _no_answer(snapshot: Snapshot, row: BatchRow) -> AnswerOut:
    """Return the answer to an invalid row, without passages."""
    question = row.fields.get("question")
    return AnswerOut(
        question=question if isinstance(question, str) else "",
        language=_UNDETERMINED,
        answered=False,
        settled=Settlement.OPEN,
        confidence=0.0,
        index=snapshot.id,
        passages=[],
        fallback=None,
        reading=None,
        notes=[],
    )


def row_fault(file: str, row: BatchRow, problem: Problem) -> str:
    """Describe the ``problem`` with a row of ``file`` in one line: line number, field, value."""
    return f"{file}:{row.number}: {describe_problem(problem, row.fields)}"


def describe_problem(problem: Problem, fields: Mapping[str, object]) -> str:
    """Describe ``problem`` in one line, with the name of its field and the value in ``fields``."""
    name = problem.field
    if name is None:
        return problem.detail
    return (
        f"{name} {_VALUE.repr(fields[name])}: {problem.detail}"
        if name in fields
        else f"{name}: {problem.detail}"
    )
