"""Questions and their answers, one or many at once."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, current_app, jsonify, request

from service import asking
from service.answer import Json, answer
from service.answering import search
from service.api.blueprints import ASK, api
from service.chat import Form, message, message_json
from service.desk import desk
from service.problems import Problem
from service.schemas.answer import Ask, AskParameters, Batch, BatchAnswers
from service.schemas.chat import AnswerOrMessage
from service.settings import Settings


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

    If one of them cannot be put, none is, and the problem names it.
    """
    responses: list[Json] = []
    for number, question in enumerate(body.questions):
        try:
            responses.append({"id": question.id, "response": _answer(question.model_dump())})
        except Problem as problem:
            raise Problem(problem.status, f"Question {number + 1}: {problem.detail}", f"questions.{number}.{problem.field}") from None
    return jsonify(index=desk().snapshot().id, responses=responses)


def _answer(fields: Mapping[str, object], called: str = "question") -> Json:
    snapshot = desk().snapshot()
    found = search(asking.query_from(fields, snapshot.library, called))
    form = fields.get("format")
    if not isinstance(form, Form):
        return answer(snapshot, found)
    limit = fields.get("limit")
    return message_json(snapshot, found, message(snapshot.library, found, form, base(), limit if isinstance(limit, int) else None))


def base() -> str:
    """The address that links begin with: as the settings say, else the one that was called."""
    settings: Settings = current_app.config["REGULA"]
    return str(settings.public_url or request.url_root)
