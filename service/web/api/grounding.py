"""What a language model is given to quote from, and whether it quoted: passages for a prompt, and a check of quotations."""

from __future__ import annotations

from dataclasses import replace

from flask import Response

from service.answers.context import context_out
from service.answers.verify import checked_text, verification_out
from service.core import parameters
from service.schemas.fields import MOST_PASSAGES
from service.schemas.grounding import ContextBody, ContextOut, VerificationOut, VerifyBody
from service.web.api.blueprints import GROUND, api
from service.web.api.responses import json_response
from service.web.request_context import ask, current_snapshot


@api.call("POST", "/context", GROUND, ContextOut)
def give_context(body: ContextBody) -> Response:
    """Give the best passages for a language model's prompt, within a budget of tokens, under markers to cite them by.

    Who gives all of the answer to a model needs nothing else: all of it is within the budget. A program that shows the passages
    asks for `details`.
    """
    snapshot = current_snapshot()
    query = parameters.query_of(body, snapshot.library)
    return json_response(context_out(snapshot, ask(replace(query, k=MOST_PASSAGES)), body.budget, body.details))


@api.call("POST", "/verify", GROUND, VerificationOut)
def verify_quotations(body: VerifyBody) -> Response:
    """Tell which quotations of a text are exact, altered or unsupported, and whether their markers are right.

    A proof that nothing was invented: what is quoted in it is compared with what is printed.
    """
    return json_response(verification_out(current_snapshot(), checked_text(body.text), body.game, body.edition))
