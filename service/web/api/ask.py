"""Questions and their answers, one or many at once."""

from __future__ import annotations

import time
from collections.abc import Mapping

from flask import Response, request

from index.model import Query, SearchResult
from service.answers.answer import answer_out
from service.answers.chat import compose_message, message_out, named_card, named_card_message
from service.assist.assistant import Assistance
from service.core import parameters
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.schemas.answer import (
    AnswerOut,
    AskBody,
    AskParams,
    BatchAnswerOut,
    BatchAnswersOut,
    BatchBody,
    MessageBody,
    MessageParams,
    QuestionParams,
)
from service.schemas.chat import ChatMessageOut
from service.web.api.blueprints import ASK, api
from service.web.api.responses import json_response
from service.web.links import base_address
from service.web.request_context import ask as ask_index
from service.web.request_context import ask_assisted, current_snapshot, settings


@api.call("POST", "/ask", ASK, AnswerOut)
def ask(body: AskBody) -> Response:
    """Answer the question in a JSON body.

    The passages that settle it, the best first, each with its citation; where `answered` is false, the nearest ones.
    """
    return json_response(_answer(body.model_dump()))


@api.call("GET", "/ask", ASK, AnswerOut)
def ask_by_address(query: AskParams) -> Response:
    """Answer the question `q`.

    The same as with a body, for browsers, scripts and whoever wants to keep the address of an answer.
    """
    return json_response(_answer(*_asked_in_address(query)))


@api.call("POST", "/message", ASK, ChatMessageOut)
def write_message(body: MessageBody) -> Response:
    """Answer the question in a JSON body with a message for a chat.

    The best passage quoted, intact or visibly cut, with its citation and link, and the next ones cited: ready to be sent.
    """
    return json_response(_message(body, body.model_dump()))


@api.call("GET", "/message", ASK, ChatMessageOut)
def write_message_by_address(query: MessageParams) -> Response:
    """Answer the question `q` with a message for a chat.

    The same as with a body, for browsers, scripts and bots that send nothing else.
    """
    return json_response(_message(query, *_asked_in_address(query)))


@api.call("POST", "/batch", ASK, BatchAnswersOut)
def ask_many(body: BatchBody) -> Response:
    """Answer many questions at once, all from the same index.

    If one of them cannot be put, none is, and the problem names it. Where the time for a batch runs out, `responses` ends early and
    `undone` lists the ids of the questions that are left, to be put again.
    """
    snapshot = current_snapshot()
    questions: list[tuple[str | None, dict[str, object]]] = []
    for number, question in enumerate(body.questions):
        fields = question.model_dump()
        try:
            parameters.query_from(fields, snapshot.library)  # all of them before the first is answered
        except Problem as problem:
            text = TranslatableText(N_("Question %(number)s: %(problem)s"), {"number": number + 1, "problem": problem.text})
            raise Problem(problem.status, text, f"questions.{number}.{problem.field}") from None
        questions.append((question.id, fields))
    end = time.monotonic() + settings().batch_timeout
    responses: list[BatchAnswerOut] = []
    for id, fields in questions:
        if time.monotonic() > end:
            break
        query = parameters.query_from(fields, snapshot.library)
        result, assistance = _put(query, fields, interactive=False)  # lets single questions pass
        responses.append(BatchAnswerOut(id=id, response=answer_out(snapshot, result, assistance)))
    undone = [id for id, _ in questions[len(responses) :]]
    return json_response(BatchAnswersOut(index=snapshot.id, responses=responses, undone=undone))


def _asked_in_address(query: QuestionParams) -> tuple[dict[str, object], str]:
    """Return the fields of a question in an address, and the name of the parameter that has it."""
    fields = query.model_dump()
    return {**fields, "question": fields["q"]}, "q"


def _answer(fields: Mapping[str, object], called: str = "question") -> AnswerOut:
    """Answer the question that ``fields`` describe; ``called`` is the field of the question."""
    snapshot = current_snapshot()
    result, assistance = _put(parameters.query_from(fields, snapshot.library, called), fields)
    return answer_out(snapshot, result, assistance)


def _message(wanted: MessageBody | MessageParams, fields: Mapping[str, object], called: str = "question") -> ChatMessageOut:
    """Answer the question that ``fields`` describe with a message in the format and of the length that are ``wanted``."""
    snapshot = current_snapshot()
    result, _ = _put(parameters.query_from(fields, snapshot.library, called), fields)
    if named := named_card(snapshot, result):
        return named_card_message(snapshot, result, named, wanted.format, base(), wanted.limit)
    message = compose_message(snapshot.library, result, wanted.format, base(), wanted.limit)
    return message_out(snapshot, result, message)


def _put(query: Query, fields: Mapping[str, object], interactive: bool = True) -> tuple[SearchResult, Assistance | None]:
    """Ask, with the help of the owner's model where ``fields`` want it."""
    if not fields.get("assist"):
        return ask_index(query, interactive), None
    found = ask_assisted(query, interactive)
    return found.result, found.assistance


def base() -> str | None:
    """Return the address that links begin with; None where only a foreign one is known."""
    return base_address(settings(), request.url_root)
