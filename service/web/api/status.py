"""What watches over the service: whether it runs and can answer, what it counts, and which indexes
an administrator sees and serves.
"""

from __future__ import annotations

from datetime import UTC

from flask import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from corpus.errors import NotFound
from index.building.snapshots import Busy, Damaged, NotWritable
from index.store.protocol import StoreUnreachable
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.core.snapshot import ManagedIndexSource, Snapshot
from service.ops.inventory import inventory
from service.schemas.health import AliveOut, IndexesOut, ReadyOut, ServeBody, ServingOut
from service.web.api.blueprints import RUN, api, health, json_response
from service.web.exposition import exposition
from service.web.protection import admin_only
from service.web.request_context import current_snapshot, index_source, managed_indexes, settings

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

    For whoever sends it requests: 503 until it can answer. One that is `stale` answers while a new
    one is built.
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

    docs/operating.md lists the metrics. The owner may have switched them off (404), or ask for a
    key of an administrator.
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


@api.call("GET", "/admin/indexes", RUN, IndexesOut)
def list_indexes() -> Response:
    """List the kept indexes, newest first, and which of them is published.

    Needs a key of an administrator.
    """
    return json_response(IndexesOut(indexes=inventory(managed_indexes().snapshots)))


@api.call("POST", "/admin/serve", RUN, ServingOut)
def serve(body: ServeBody) -> Response:
    """Go back to a kept index; all processes take it up within seconds, and keep it until another
    one is built.

    Needs a key of an administrator. Without an id it is the index before the published one.
    """
    try:
        return json_response(ServingOut(index=managed_indexes().rollback(body.index)))
    except Damaged as fault:
        raise Problem.out_of_range(
            TranslatableText(N_("This index is damaged (%(reason)s)."), {"reason": str(fault)}),
            "index",
        ) from fault
    except Busy as fault:
        raise Problem(
            503, N_("Another index is being built; come back when it is done.")
        ) from fault
    except NotWritable as fault:
        raise Problem(
            503,
            N_(
                "This service may not write to the folder of the indexes; 'regula rollback' goes back where that may."
            ),
        ) from fault
    except StoreUnreachable as fault:
        raise Problem.no_store() from fault
    except NotFound as fault:
        raise Problem.unknown(
            N_("There is no such index here; GET /v1/admin/indexes lists those there are."), "index"
        ) from fault
