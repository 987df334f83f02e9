"""Questions and their answers, one or many at once."""

from __future__ import annotations

import time
from collections.abc import Mapping

from flask import Response, current_app, jsonify, request

from service.answers.answer import Json, answer
from service.answers.chat import Form, message, message_json
from service.core import parameters
from service.core.ask import search
from service.core.problems import Problem
from service.ops.settings import Settings
from service.schemas.answer import Ask, AskParameters, Batch, BatchAnswers
from service.schemas.chat import AnswerOrMessage
from service.web.api.blueprints import ASK, api
from service.web.links import base_address
from service.web.request_context import desk


@api.post("/ask", tags=[ASK], responses={200: AnswerOrMessage})
def ask(body: Ask) -> Response:
    """Answer the question in a JSON body."""
    return jsonify(_answer(body.model_dump()))


@api.get("/ask", tags=[ASK], responses={200: AnswerOrMessage})
def ask_by_address(query: AskParameters) -> Response:
    """Answer the question `q`."""
    fields = query.model_dump()
    return jsonify(_answer({**fields, "question": fields["q"]}, "q"))


@api.post("/batch", tags=[ASK], responses={200: BatchAnswers})
def ask_many(body: Batch) -> Response:
    """Answer many questions at once, all from the same index.

    If one of them cannot be put, none is, and the problem names it. Where the time for a batch runs out, `responses` ends early and
    `undone` lists the ids of the questions that are left, to be put again.
    """
    settings: Settings = current_app.config["REGULA"]
    library = desk().snapshot().library
    questions: list[tuple[str | None, Mapping[str, object]]] = []
    for number, question in enumerate(body.questions):
        fields: Mapping[str, object] = question.model_dump()
        try:
            parameters.query_from(fields, library)  # all of them before the first is answered
        except Problem as problem:
            raise Problem(problem.status, f"Question {number + 1}: {problem.detail}", f"questions.{number}.{problem.field}") from None
        questions.append((question.id, fields))
    end = time.monotonic() + settings.batch_timeout
    responses: list[Json] = []
    for id, asked in questions:
        if time.monotonic() > end:
            break
        responses.append({"id": id, "response": _answer(asked, first=False)})
    return jsonify(index=desk().snapshot().id, responses=responses, undone=[id for id, _ in questions[len(responses) :]])


def _answer(fields: Mapping[str, object], called: str = "question", first: bool = True) -> Json:
    """The answer to a question; one that is not ``first`` lets all others pass."""
    snapshot = desk().snapshot()
    found = search(parameters.query_from(fields, snapshot.library, called), first)
    form = fields.get("format")
    if not isinstance(form, Form):
        return answer(snapshot, found)
    limit = fields.get("limit")
    return message_json(snapshot, found, message(snapshot.library, found, form, base(), limit if isinstance(limit, int) else None))


def base() -> str | None:
    """The address that links begin with; None where only a foreign one is known."""
    settings: Settings = current_app.config["REGULA"]
    return base_address(settings, request.url_root)
