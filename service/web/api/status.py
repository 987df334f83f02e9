"""Health, readiness, metrics, and the indexes that an administrator sees and serves."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from datetime import UTC
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path

from flask import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from corpus.errors import NotFound
from index.building.snapshots import Busy, Damaged, NotWritable
from index.store.protocol import StoreUnreachable
from service.core import metrics
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.core.snapshot import ManagedIndexSource, Snapshot
from service.ops.background import last_build
from service.ops.indexes import inventory
from service.schemas.health import AliveOut, IndexesOut, ReadyOut, ServeBody, ServingOut
from service.web.api.blueprints import RUN, api, health
from service.web.protection import admin_only
from service.web.request_context import current_snapshot, index_source, managed_indexes, settings

VERSION = version("regula")
_PAGE = resource.getpagesize()


class _Metrics(Collector):
    """All metrics: shared counts, memory of processes, the index, and the last build."""

    def __init__(self, snapshot: Snapshot | None, folder: Path | None):
        self._snapshot, self._folder = snapshot, folder

    def collect(self) -> Iterator[Metric]:
        yield from self._counts()
        yield InfoMetricFamily("regula", "The program.", {"version": VERSION})
        text = "Memory of each process, with what they share."
        memory = GaugeMetricFamily("regula_resident_bytes", text, labels=["process"])
        for slot, pid in metrics.processes().items():
            name = f"worker-{slot}" if slot else "main"
            helpers = sum(map(_resident, _helpers(pid)))
            for process, used in ((name, _resident(pid)), (f"{name}-helpers", helpers)):
                if used:
                    memory.add_metric([process], used)
        yield memory
        yield from self._index()
        yield from self._last_build()

    def _counts(self) -> Iterator[Metric]:
        requests = HistogramMetricFamily(
            metrics.REQUESTS,
            "Time from a request to its response, by route.",
            labels=["route", "method", "status"],
        )
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {
            name: CounterMetricFamily(name, what, labels=labels)
            for name, (what, labels) in metrics.COUNTERS.items()
        }
        for name, (what, labels) in metrics.GAUGES.items():
            families[name] = GaugeMetricFamily(name, what, labels=labels)
        bounds = [*map(str, metrics.BUCKETS), "+Inf"]
        for (name, *labels), values in metrics.totals():
            if name == metrics.REQUESTS:
                counts = accumulate(values[1 : 1 + len(bounds)])
                requests.add_metric(labels, list(zip(bounds, counts, strict=True)), values[0])
            elif name in families:
                families[name].add_metric(labels, values[0])
        yield requests
        yield from families.values()

    def _index(self) -> Iterator[Metric]:
        snapshot = self._snapshot

        def gauge(name: str, text: str, value: float) -> Metric:
            return GaugeMetricFamily(f"regula_index_{name}", text, value)

        yield gauge("loaded", "Whether an index is loaded.", float(snapshot is not None))
        if snapshot:
            text = "The index that answers."
            yield InfoMetricFamily("regula_index", text, {"id": snapshot.id})
            age = time.time() - snapshot.built.timestamp()
            yield gauge("age_seconds", "Time since it was built.", age)
            text = "Whether a new one would be built from anything else."
            yield gauge("stale", text, float(bool(snapshot.stale)))
            text = "Passages that can settle a question."
            yield gauge("passages", text, len(snapshot.library.searchable))

    def _last_build(self) -> Iterator[Metric]:
        last = last_build(self._folder) if self._folder else None
        for name, text, value in (
            (
                "timestamp_seconds",
                "When the last build ended, in seconds since 1970.",
                last.ended if last else 0.0,
            ),
            ("duration_seconds", "Time that it took.", last.seconds if last else 0.0),
            ("succeeded", "Whether it published an index.", float(not (last and last.fault))),
        ):
            family = GaugeMetricFamily(f"regula_last_build_{name}", text)
            if last:
                family.add_metric([], value)
            yield family


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):  # not told, as on systems other than Linux
        return 0


def _helpers(pid: int) -> set[int]:
    """Return the descendants of process ``pid``, without those listed in the metrics."""
    found: set[int] = set()
    try:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            found |= set(map(int, children.read_text().split())) - set(metrics.processes().values())
    except OSError:
        return found
    return found.union(*map(_helpers, found))


def exposition(snapshot: Snapshot | None, folder: Path | None) -> bytes:
    """Return all metrics in the text format of Prometheus; ``folder`` has the indexes."""
    registry = CollectorRegistry()
    registry.register(_Metrics(snapshot, folder))
    written: Callable[[CollectorRegistry], bytes] = generate_latest
    return written(registry)


_METRICS = {"description": "OK", "content": {"text/plain": {"schema": {"type": "string"}}}}


@health.call("GET", "/healthz", RUN)
def alive() -> AliveOut:
    """Tell whether the service runs.

    For programs that restart it; needs neither an index nor a key.
    """
    return AliveOut(status="ok")


@health.call("GET", "/readyz", RUN)
def ready() -> ReadyOut:
    """Tell whether an index is loaded, and which.

    For load balancers: 503 until it can answer. A `stale` index answers while a new one is built.
    """
    snapshot = current_snapshot()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    return ReadyOut(
        status="ready",
        index=snapshot.id,
        built=built.isoformat(),
        editions=len(snapshot.library.editions),
        stale=bool(snapshot.stale),
        differs=list(snapshot.stale),
        unencoded=snapshot.unencoded,
    )


@health.call("GET", "/metrics", RUN, _METRICS)
def count() -> Response:
    """Give the metrics, in the text format of Prometheus.

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


@api.call("GET", "/admin/indexes", RUN)
def list_indexes() -> IndexesOut:
    """List the kept indexes, newest first, and which of them is published.

    Needs a key of an administrator.
    """
    return IndexesOut(indexes=inventory(managed_indexes().snapshots))


@api.call("POST", "/admin/serve", RUN)
def serve(body: ServeBody) -> ServingOut:
    """Go back to a kept index; all processes take it up within seconds, and keep it until another
    one is built.

    Needs a key of an administrator. Without an id it is the index before the published one.
    """
    try:
        return ServingOut(index=managed_indexes().rollback(body.index))
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
                "This service may not write to the folder of the indexes; 'regula rollback' goes "
                "back where that may."
            ),
        ) from fault
    except StoreUnreachable as fault:
        raise Problem.no_store() from fault
    except NotFound as fault:
        raise Problem.unknown(
            N_("There is no such index here; GET /v1/admin/indexes lists those there are."), "index"
        ) from fault
