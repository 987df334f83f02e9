"""What clients say of answers, kept where the owner has switched it on."""

from __future__ import annotations

import re

from flask import Response

from service.core.i18n import N_
from service.core.problems import Problem
from service.ops.feedback.feedback_recording import PassageReference
from service.ops.feedback.feedback_records import RECORD_ID, FeedbackOrigin, Verdict
from service.schemas.feedback import FeedbackBody, FeedbackOut, FeedbackParams, FeedbackUndoneOut
from service.web.api.blueprints import ASK, api
from service.web.api.responses import json_response
from service.web.request_context import current_snapshot, feedback_of_service, settings


@api.call("POST", "/feedback", ASK, FeedbackOut)
def give_feedback(body: FeedbackBody) -> Response:
    """Say of an answer that one of its passages settles the question, or does not.

    Kept without anything on who says it, where the owner has switched that on; elsewhere this call answers 404.
    """
    recorder, snapshot = feedback_of_service(), current_snapshot()
    given = body.passage
    reference = PassageReference(given.marker, given.entry, given.spans) if given else None
    record = recorder.judge(snapshot, dict(body), Verdict(body.verdict), reference, FeedbackOrigin.API, settings().answers_kept)
    return json_response(FeedbackOut(id=record.id, verdict=body.verdict, index=record.index, rank=record.rank))


@api.call("DELETE", "/feedback/<id>", ASK, FeedbackUndoneOut)
def undo_feedback(path: FeedbackParams) -> Response:
    """Take back what was said of an answer.

    By the id that was given then; nobody else is told it.
    """
    recorder = feedback_of_service()
    if not re.fullmatch(RECORD_ID, path.id):
        raise Problem.unknown(N_("There is no such feedback; take the id that POST /v1/feedback gave."), "id")
    recorder.undo(path.id, FeedbackOrigin.API)
    return json_response(FeedbackUndoneOut(id=path.id))
