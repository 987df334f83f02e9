"""Questions and their answers, one or many at once."""

from __future__ import annotations

import time
from collections.abc import Mapping

from flask import Response, jsonify, request

from service.answers.answer import Json, answer
from service.answers.chat import compose_message, message_json
from service.core import parameters
from service.core.problems import Problem
from service.schemas.answer import AskBody, AskParams, BatchAnswersOut, BatchBody
from service.schemas.chat import AnswerOrMessageOut
from service.schemas.limits import MessageFormat
from service.web.api.blueprints import ASK, api
from service.web.links import base_address
from service.web.request_context import ask as put
from service.web.request_context import current_snapshot, settings


@api.post("/ask", tags=[ASK], responses={200: AnswerOrMessageOut})
def ask(body: AskBody) -> Response:
    """Answer the question in a JSON body."""
    return jsonify(_answer(body.model_dump()))


@api.get("/ask", tags=[ASK], responses={200: AnswerOrMessageOut})
def ask_by_address(query: AskParams) -> Response:
    """Answer the question `q`."""
    fields = query.model_dump()
    return jsonify(_answer({**fields, "question": fields["q"]}, "q"))


@api.post("/batch", tags=[ASK], responses={200: BatchAnswersOut})
def ask_many(body: BatchBody) -> Response:
    """Answer many questions at once, all from the same index.

    If one of them cannot be put, none is, and the problem names it. Where the time for a batch runs out, `responses` ends early and
    `undone` lists the ids of the questions that are left, to be put again.
    """
    library = current_snapshot().library
    questions: list[tuple[str | None, Mapping[str, object]]] = []
    for number, question in enumerate(body.questions):
        fields: Mapping[str, object] = question.model_dump()
        try:
            parameters.query_from(fields, library)  # all of them before the first is answered
        except Problem as problem:
            raise Problem(problem.status, f"Question {number + 1}: {problem.detail}", f"questions.{number}.{problem.field}") from None
        questions.append((question.id, fields))
    end = time.monotonic() + settings().batch_timeout
    responses: list[Json] = []
    for id, asked in questions:
        if time.monotonic() > end:
            break
        responses.append({"id": id, "response": _answer(asked, first=False)})
    return jsonify(index=current_snapshot().id, responses=responses, undone=[id for id, _ in questions[len(responses) :]])


def _answer(fields: Mapping[str, object], called: str = "question", first: bool = True) -> Json:
    """The answer to a question; one that is not ``first`` lets all others pass."""
    snapshot = current_snapshot()
    found = put(parameters.query_from(fields, snapshot.library, called), first)
    form = fields.get("format")
    if not isinstance(form, MessageFormat):
        return answer(snapshot, found)
    limit = fields.get("limit")
    return message_json(snapshot, found, compose_message(snapshot.library, found, form, base(), limit if isinstance(limit, int) else None))


def base() -> str | None:
    """The address that links begin with; None where only a foreign one is known."""
    return base_address(settings(), request.url_root)
