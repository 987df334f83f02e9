"""Whether the service runs, and whether it can answer."""

from __future__ import annotations

from datetime import UTC

from flask import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import ManagedIndexSource, Snapshot
from service.schemas.health import AliveOut, ReadyOut
from service.web.api.blueprints import RUN, health
from service.web.api.responses import json_response
from service.web.exposition import exposition
from service.web.protection import admin_only
from service.web.request_context import current_snapshot, index_source, settings

_METRICS = {"description": "OK", "content": {"text/plain": {"schema": {"type": "string"}}}}


@health.call("GET", "/healthz", RUN, AliveOut)
def alive() -> Response:
    """Tell whether the service runs.

    For whoever restarts it where it does not; needs neither an index nor a key.
    """
    return json_response(AliveOut(status="ok"))


@health.call("GET", "/readyz", RUN, ReadyOut)
def ready() -> Response:
    """Tell whether an index is loaded, and which.

    For whoever sends it requests: 503 until it can answer. One that is `stale` answers while a new one is built.
    """
    snapshot = current_snapshot()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    return json_response(
        ReadyOut(
            status="ready",
            index=snapshot.id,
            built=built.isoformat(),
            editions=len(snapshot.library.editions),
            stale=bool(snapshot.stale),
            differs=list(snapshot.stale),
        )
    )


@health.call("GET", "/metrics", RUN, _METRICS)
def count() -> Response:
    """Give what is counted, in the text format of Prometheus.

    docs/operating.md lists the metrics. The owner may have switched them off (404), or ask for a key of an administrator.
    """
    if settings().metrics == "off":
        raise Problem.unknown(N_("This service tells no metrics."))
    if settings().metrics == "key":
        admin_only()
    try:
        snapshot: Snapshot | None = current_snapshot()
    except Problem:
        snapshot = None
    source = index_source()
    folder = source.snapshots.folder if isinstance(source, ManagedIndexSource) else None
    return Response(exposition(snapshot, folder), content_type=CONTENT_TYPE_PLAIN_0_0_4)
