"""Questions and their answers, one or many at once, as messages and for a model's prompt;
quotations checked, sheets, feedback.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace

from flask import Response, request

from index.model import Query, SearchResult
from service.answers.answer import answer_out
from service.answers.chat_messages import (
    compose_message,
    message_out,
    named_card,
    named_card_message,
)
from service.answers.context import context_out
from service.answers.small_answer import small_answer_out, with_fields
from service.answers.verify import checked_text, verification_out
from service.assist.assistant import Assistance
from service.core import parameters
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.core.snapshot import SnapshotContents
from service.editions.sheet_history import (
    FILTERS,
    PassageKey,
    SheetLink,
)
from service.editions.sheets import sheet_out, sheet_view
from service.ops.feedback.recording import PassageReference
from service.ops.feedback.records import (
    RECORD_ID,
    FeedbackOrigin,
    Verdict,
)
from service.schemas.answer import (
    AskBody,
    AskedBody,
    AskParams,
    BatchAnswerOut,
    BatchAnswersOut,
    BatchBody,
    ChatMessageOut,
    FeedbackBody,
    FeedbackOut,
    FeedbackParams,
    FeedbackUndoneOut,
    MessageBody,
    MessageParams,
    SmallAnswerOut,
)
from service.schemas.base import compact_json
from service.schemas.fields import FEW_PASSAGES, MOST_CITED, MOST_PASSAGES, FieldGroup
from service.schemas.grounding import ContextBody, ContextOut, VerificationOut, VerifyBody
from service.schemas.sheets import SheetOut, SheetParams
from service.web.api.blueprints import ASK, GROUND, READ, api
from service.web.localization import language, wanted_language
from service.web.request_context import ask as ask_index
from service.web.request_context import (
    ask_assisted,
    base_address,
    current_snapshot,
    feedback_of_service,
    found_for,
    made_day,
    settings,
    today,
    with_words,
)
from service.web.requests import is_old_script

_SMALL_SINCE = "@1796083200"  # 1 December 2026 (RFC 9745)


@api.call("POST", "/ask", ASK)
def ask(body: AskBody) -> SmallAnswerOut | Response:
    """Answer the question in a JSON body.

    The passages that settle it, the best first, each with its citation; if `verdict` is `open`,
    the nearest ones. `fields` adds fields of `WholeAnswer`, which `/openapi-translators.json`
    describes.
    """
    return _answer(body)


@api.call("GET", "/ask", ASK)
def ask_by_address(query: AskParams) -> SmallAnswerOut | Response:
    """Answer the question `q`.

    The same as with a body, for browsers and scripts, and to keep the address of an answer.
    """
    return _answer(query)


@api.call("POST", "/message", ASK)
def write_message(body: MessageBody) -> ChatMessageOut:
    """Answer the question in a JSON body with a message for a chat.

    The best passage quoted, intact or visibly cut, with its citation and link, and the next ones
    cited: ready to be sent.
    """
    return _message(body)


@api.call("GET", "/message", ASK)
def write_message_by_address(query: MessageParams) -> ChatMessageOut:
    """Answer the question `q` with a message for a chat.

    The same as with a body, for browsers, scripts and bots that send nothing else.
    """
    return _message(query)


@api.call("POST", "/batch", ASK)
def ask_many(body: BatchBody) -> BatchAnswersOut:
    """Answer many questions at once, all from the same index.

    If one of them is invalid, none is answered, and the problem names it. If the time for a batch
    runs out, `responses` ends early and `undone` lists the ids of the questions that are left, to
    be sent again.
    """
    snapshot = current_snapshot()
    queries: list[Query] = []
    for number, question in enumerate(body.questions):
        try:
            queries.append(_query_of(question, snapshot))
        except Problem as problem:
            raise parameters.in_batch(number, problem) from None
    end = time.monotonic() + settings().batch_timeout
    responses: list[BatchAnswerOut] = []
    for question, query in zip(body.questions, queries, strict=True):
        if time.monotonic() > end:
            break
        # Single questions go before a batch.
        result, assistance = _put(query, question.assist, interactive=False)
        response = answer_out(snapshot, result, assistance)
        responses.append(BatchAnswerOut(id=question.id, response=response))
    undone = [question.id for question in body.questions[len(responses) :]]
    return BatchAnswersOut(index=snapshot.id, responses=responses, undone=undone)


def _query_of(asked: AskedBody, snapshot: SnapshotContents) -> Query:
    """Return the query for what is ``asked``; a bare name is read in the language of the request.
    Raises what `parameters.query_of` does.
    """
    return replace(parameters.query_of(asked, snapshot), reader=wanted_language())


def _answer(asked: AskBody) -> Response:
    snapshot = current_snapshot()
    query = _query_of(asked, snapshot)
    if asked.k is None:
        query = replace(query, k=FEW_PASSAGES)
    result, assistance = _put(query, asked.assist)
    fields = asked.fields or (FieldGroup.ALL if is_old_script(request) else FieldGroup.SMALL)
    groups = {FieldGroup(each) for each in fields.split(",")}
    alone = groups == {FieldGroup.SMALL}
    answer = small_answer_out(snapshot, result, base(), alone)
    body = (
        answer.model_dump(mode="json", exclude={"fallback"})
        if alone
        else with_fields(answer, answer_out(snapshot, result, assistance), groups)
    )
    response = Response(compact_json(body) + "\n", mimetype="application/json")
    if not asked.fields:  # for one release: version 1.0 answered with everything
        response.headers["Deprecation"] = _SMALL_SINCE
        response.headers["Link"] = '</v1/ask?fields=all>; rel="successor-version"'
    return response


def _message(asked: MessageBody) -> ChatMessageOut:
    snapshot = current_snapshot()
    result, _ = _put(_query_of(asked, snapshot), asked.assist)
    if named := named_card(snapshot, result):
        return named_card_message(snapshot, result, named, asked.format, base(), asked.limit)
    message = compose_message(snapshot.library, result, asked.format, base(), asked.limit)
    return message_out(snapshot, result, message)


def _put(
    query: Query, assist: bool, interactive: bool = True
) -> tuple[SearchResult, Assistance | None]:
    if not assist:
        return ask_index(query, interactive), None
    found = ask_assisted(query, interactive)
    return found.result, found.assistance


def base() -> str | None:
    """Return the start of links; None if the called host is not known as this service's."""
    return base_address(settings(), request.url_root)


@api.call("POST", "/context", GROUND)
def give_context(body: ContextBody) -> ContextOut:
    """Give the best passages for a language model's prompt, within a budget of tokens, under
    markers to cite them by.

    Put `prompt` before the question; it is filled up to the budget. With `for`, send `blocks` too.
    A program that shows the passages asks for `details`.
    """
    snapshot = current_snapshot()
    query = _query_of(body, snapshot)
    found = ask_index(replace(query, k=MOST_PASSAGES))
    return context_out(
        snapshot, found, body.budget, body.details, provider=body.provider, base=base()
    )


@api.call("POST", "/verify", GROUND)
def verify_quotations(body: VerifyBody) -> VerificationOut:
    """Tell which quotations of a text are exact, altered or unsupported, and whether their markers
    are right.

    A proof that nothing was invented: each quotation is compared with the printed words.
    """
    return verification_out(current_snapshot(), checked_text(body.text), body.game, body.edition)


@api.call("GET", "/sheet", READ)
def sheet(query: SheetParams) -> SheetOut:
    """Give the passages of a ruling sheet as they are now, and the changes to the words that its
    link cites.

    Nothing is stored for a link: `url` has all of it. Of a passage that is gone, the last known
    words are given.
    """
    snapshot, fields = current_snapshot(), query.model_dump()
    named = [each for each in query.passages.split(",") if each]
    if not named or len(named) > MOST_CITED:
        raise Problem.out_of_range(
            TranslatableText(N_("A sheet has one to %(limit)s passages."), {"limit": MOST_CITED}),
            "passages",
        )
    link = SheetLink(
        query.q or "",
        {name: fields[name] for name in FILTERS if fields[name]},
        tuple(dict.fromkeys(PassageKey.parse(each) for each in named)),
        made_day(query.made or ""),
    )
    link = with_words(snapshot, link)
    view = sheet_view(snapshot, link, found_for(snapshot, link), language(), today())
    return sheet_out(snapshot, view, language())


@api.call("POST", "/feedback", ASK)
def give_feedback(body: FeedbackBody) -> FeedbackOut:
    """Say of an answer that one of its passages settles the question, or does not.

    Stored anonymously, if the owner has switched feedback on; otherwise this call answers 404.
    """
    recorder, snapshot = feedback_of_service(), current_snapshot()
    given = body.passage
    reference = PassageReference(given.marker, given.entry, given.spans) if given else None
    record = recorder.judge(
        snapshot,
        dict(body),
        Verdict(body.verdict),
        reference,
        FeedbackOrigin.API,
        settings().answers_kept,
    )
    return FeedbackOut(id=record.id, verdict=body.verdict, index=record.index, rank=record.rank)


@api.call("DELETE", "/feedback/<id>", ASK)
def undo_feedback(path: FeedbackParams) -> FeedbackUndoneOut:
    """Withdraw feedback on an answer.

    Takes the id that POST /v1/feedback returned, which nobody else knows.
    """
    recorder = feedback_of_service()
    if not re.fullmatch(RECORD_ID, path.id):
        raise Problem.unknown(
            N_("There is no such feedback; take the id that POST /v1/feedback gave."), "id"
        )
    recorder.undo(path.id, FeedbackOrigin.API)
    return FeedbackUndoneOut(id=path.id)
