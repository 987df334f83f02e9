"""Questions and their answers, one or many at once."""

from __future__ import annotations

import time

from flask import Response, request

from index.model import Query, SearchResult
from service.answers.answer import answer_out
from service.answers.chat import compose_message, message_out, named_card, named_card_message
from service.assist.assistant import Assistance
from service.core import parameters
from service.core.problems import Problem
from service.schemas.answer import (
    AnswerOut,
    AskBody,
    AskParams,
    BatchAnswerOut,
    BatchAnswersOut,
    BatchBody,
    ChatMessageOut,
    MessageBody,
    MessageParams,
)
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
    return json_response(_answer(body))


@api.call("GET", "/ask", ASK, AnswerOut)
def ask_by_address(query: AskParams) -> Response:
    """Answer the question `q`.

    The same as with a body, for browsers, scripts and whoever wants to keep the address of an answer.
    """
    return json_response(_answer(query))


@api.call("POST", "/message", ASK, ChatMessageOut)
def write_message(body: MessageBody) -> Response:
    """Answer the question in a JSON body with a message for a chat.

    The best passage quoted, intact or visibly cut, with its citation and link, and the next ones cited: ready to be sent.
    """
    return json_response(_message(body))


@api.call("GET", "/message", ASK, ChatMessageOut)
def write_message_by_address(query: MessageParams) -> Response:
    """Answer the question `q` with a message for a chat.

    The same as with a body, for browsers, scripts and bots that send nothing else.
    """
    return json_response(_message(query))


@api.call("POST", "/batch", ASK, BatchAnswersOut)
def ask_many(body: BatchBody) -> Response:
    """Answer many questions at once, all from the same index.

    If one of them cannot be put, none is, and the problem names it. Where the time for a batch runs out, `responses` ends early and
    `undone` lists the ids of the questions that are left, to be put again.
    """
    snapshot = current_snapshot()
    queries: list[Query] = []
    for number, question in enumerate(body.questions):
        try:
            queries.append(parameters.query_of(question, snapshot.library))  # all of them before the first is answered
        except Problem as problem:
            raise parameters.in_batch(number, problem) from None
    end = time.monotonic() + settings().batch_timeout
    responses: list[BatchAnswerOut] = []
    for question, query in zip(body.questions, queries, strict=True):
        if time.monotonic() > end:
            break
        result, assistance = _put(query, question.assist, interactive=False)  # lets single questions pass
        responses.append(BatchAnswerOut(id=question.id, response=answer_out(snapshot, result, assistance)))
    undone = [question.id for question in body.questions[len(responses) :]]
    return json_response(BatchAnswersOut(index=snapshot.id, responses=responses, undone=undone))


def _answer(asked: AskBody) -> AnswerOut:
    """Answer what is ``asked``."""
    snapshot = current_snapshot()
    result, assistance = _put(parameters.query_of(asked, snapshot.library), asked.assist)
    return answer_out(snapshot, result, assistance)


def _message(asked: MessageBody) -> ChatMessageOut:
    """Answer what is ``asked`` with a message in the format and of the length that it wants."""
    snapshot = current_snapshot()
    result, _ = _put(parameters.query_of(asked, snapshot.library), asked.assist)
    if named := named_card(snapshot, result):
        return named_card_message(snapshot, result, named, asked.format, base(), asked.limit)
    message = compose_message(snapshot.library, result, asked.format, base(), asked.limit)
    return message_out(snapshot, result, message)


def _put(query: Query, assist: bool, interactive: bool = True) -> tuple[SearchResult, Assistance | None]:
    """Ask, with the help of the owner's model where ``assist`` says so."""
    if not assist:
        return ask_index(query, interactive), None
    found = ask_assisted(query, interactive)
    return found.result, found.assistance


def base() -> str | None:
    """Return the address that links begin with; None where only a foreign one is known."""
    return base_address(settings(), request.url_root)
