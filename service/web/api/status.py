"""Whether the service runs, and whether it can answer."""

from __future__ import annotations

from datetime import UTC

from flask import Response, current_app, jsonify
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from service.core import metrics
from service.core.problems import Problem
from service.ops.settings import Settings
from service.schemas.health import Alive, Ready
from service.web.api.blueprints import RUN, health
from service.web.protection import admin_only
from service.web.request_context import desk


@health.get("/healthz", tags=[RUN], responses={200: Alive})
def alive() -> Response:
    """Tell whether the service runs."""
    return jsonify(status="ok")


@health.get("/readyz", tags=[RUN], responses={200: Ready})
def ready() -> Response:
    """Tell whether an index is loaded, and which."""
    snapshot = desk().snapshot()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    return jsonify(status="ready", index=snapshot.id, built=built.isoformat(), editions=len(snapshot.library.editions))


@health.get("/metrics", tags=[RUN])
def count() -> Response:
    """Give what is counted, in the text format of Prometheus."""
    settings: Settings = current_app.config["REGULA"]
    if settings.metrics == "off":
        raise Problem.unknown("This service tells no metrics.")
    if settings.metrics == "key":
        admin_only()
    try:
        snapshot = desk().snapshot()
    except Problem:
        snapshot = None
    return Response(metrics.exposition(snapshot), content_type=CONTENT_TYPE_PLAIN_0_0_4)
