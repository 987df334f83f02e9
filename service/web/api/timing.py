"""The sequences of a game's time."""

from __future__ import annotations

from flask import Response

from service.answers.timing_out import timing_out
from service.schemas.entries import EditionPathParams, TimingOut
from service.web.api.blueprints import READ, api
from service.web.api.responses import json_response
from service.web.request_context import current_snapshot


@api.call("GET", "/timing/<edition_id>", READ, TimingOut)
def timing(path: EditionPathParams) -> Response:
    """List rounds, turns, phases, attacks and what else an edition has done step by step, in its own words.

    The id of a step is what `step` in `/v1/ask` takes: then what belongs to the step answers first.
    """
    snapshot = current_snapshot()
    return json_response(timing_out(snapshot.library, snapshot.edition(path.edition_id).id))
