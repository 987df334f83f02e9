"""What a language model is given to quote from, and whether it quoted: passages for a prompt, and a check of quotations."""

from __future__ import annotations

from dataclasses import replace

from flask import Response, jsonify

from service.answers.context import context
from service.answers.verify import checked_text, verify
from service.core import parameters
from service.core.ask import search
from service.schemas.context import Context, ContextBody
from service.schemas.verify import Verification, VerifyBody
from service.web.api.blueprints import GROUND, api
from service.web.request_context import desk


@api.post("/context", tags=[GROUND], responses={200: Context})
def give_context(body: ContextBody) -> Response:
    """Give the best passages for a language model's prompt, within a budget of tokens, under markers to cite them by."""
    snapshot = desk().snapshot()
    query = parameters.query_from(body.model_dump(), snapshot.library)
    return jsonify(context(snapshot, search(replace(query, k=parameters.MOST)), body.budget))


@api.post("/verify", tags=[GROUND], responses={200: Verification})
def verify_quotations(body: VerifyBody) -> Response:
    """Tell which quotations of a text are exact, altered or unsupported, and whether their markers are right."""
    return jsonify(verify(desk().snapshot(), checked_text(body.text)))
