"""Responses with a JSON body."""

from __future__ import annotations

from flask import Response

from service.schemas.base import ResponseModel


def json_response(body: ResponseModel) -> Response:
    """Return a response with ``body`` as JSON."""
    return Response(body.to_json(), mimetype="application/json")
