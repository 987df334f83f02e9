"""All metrics in the text format of Prometheus."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from service.core import metrics
from service.core.snapshot import Snapshot
from service.ops.build_beside import last_build

VERSION = version("regula")
_PAGE = resource.getpagesize()


class _SharedCounts(Collector):
    """The sums over all processes."""

    def collect(self) -> Iterator[Metric]:
        requests = HistogramMetricFamily(
            metrics.REQUESTS,
            "Time from a request to its response, by route.",
            labels=["route", "method", "status"],
        )
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {
            name: CounterMetricFamily(name, what, labels=labels)
            for name, (what, labels) in metrics.COUNTERS.items()
        }
        families |= {
            name: GaugeMetricFamily(name, what, labels=labels)
            for name, (what, labels) in metrics.GAUGES.items()
        }
        for (name, *labels), values in metrics.totals():
            if name == metrics.REQUESTS:
                bounds = [*map(str, metrics.BUCKETS), "+Inf"]
                counts = accumulate(values[1 : 2 + len(metrics.BUCKETS)])
                requests.add_metric(
                    labels,
                    [(bound, count) for bound, count in zip(bounds, counts, strict=True)],
                    values[0],
                )
            elif name in families:
                families[name].add_metric(labels, values[0])
        yield requests
        yield from families.values()


class _ProcessMetrics(Collector):
    """Which version runs, and the memory of its processes."""

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("regula", "The program.", {"version": VERSION})
        memory = GaugeMetricFamily(
            "regula_resident_bytes",
            "Memory of each process, with what they share.",
            labels=["process"],
        )
        for slot, pid in metrics.processes().items():
            name = f"worker-{slot}" if slot else "main"
            for process, bytes in (
                (name, _resident(pid)),
                (f"{name}-helpers", sum(map(_resident, _helpers(pid)))),
            ):
                if bytes:
                    memory.add_metric([process], bytes)
        yield memory


def _resident(pid: int) -> int:
    """Return the bytes of memory that a process has; 0 where that is not told, as on systems other
    than Linux.
    """
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _helpers(pid: int) -> set[int]:
    """Return the processes that the one called ``pid`` has started, and those that these have, but
    for those that count themselves.
    """
    found: set[int] = set()
    try:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            found |= set(map(int, children.read_text().split())) - set(metrics.processes().values())
    except OSError:
        return found
    return found.union(*map(_helpers, found))


class _BuildMetrics(Collector):
    """How the last build in the folder of the indexes ended."""

    def __init__(self, folder: Path | None):
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        ended = GaugeMetricFamily(
            "regula_last_build_timestamp_seconds",
            "When the last build ended, in seconds since 1970.",
        )
        took = GaugeMetricFamily("regula_last_build_duration_seconds", "Time that it took.")
        succeeded = GaugeMetricFamily(
            "regula_last_build_succeeded", "Whether it published an index."
        )
        if self._folder and (last := last_build(self._folder)):
            for family, value in (
                (ended, last.ended),
                (took, last.seconds),
                (succeeded, 0.0 if last.fault else 1.0),
            ):
                family.add_metric([], value)
        yield from (ended, took, succeeded)


class _IndexMetrics(Collector):
    """Which index this process answers from, and how old it is."""

    def __init__(self, snapshot: Snapshot | None):
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        loaded = GaugeMetricFamily(
            "regula_index_loaded", "Whether an index is loaded.", 1.0 if self._snapshot else 0.0
        )
        yield loaded
        if self._snapshot:
            yield InfoMetricFamily(
                "regula_index", "The index that answers.", {"id": self._snapshot.id}
            )
            yield GaugeMetricFamily(
                "regula_index_age_seconds",
                "Time since it was built.",
                time.time() - self._snapshot.built.timestamp(),
            )
            yield GaugeMetricFamily(
                "regula_index_stale",
                "Whether a new one would be built from anything else.",
                1.0 if self._snapshot.stale else 0.0,
            )
            library = self._snapshot.library
            yield GaugeMetricFamily(
                "regula_index_passages",
                "Passages that can settle a question.",
                len(library.searchable),
            )


def exposition(snapshot: Snapshot | None, folder: Path | None) -> bytes:
    """Return all metrics in the text format of Prometheus, of all workers where they count
    together; ``folder`` is that of the indexes.
    """
    registry = CollectorRegistry()
    for collector in (
        _SharedCounts(),
        _ProcessMetrics(),
        _IndexMetrics(snapshot),
        _BuildMetrics(folder),
    ):
        registry.register(collector)
    written: Callable[[CollectorRegistry], bytes] = generate_latest
    return written(registry)
