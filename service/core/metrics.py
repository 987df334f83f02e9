"""What is counted for Prometheus, in one process or over all workers together."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from service.core.counters import SharedCounters
from service.core.snapshot import Snapshot

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_REQUESTS = "regula_request_duration_seconds"
_COUNTERS = {  # names as Prometheus has them, without _total: what they count, and by which labels
    "regula_questions": ("Questions put, by whether a passage settles them.", ["answered"]),
    "regula_kept_answers": ("Questions by whether their answer was in the cache.", ["result"]),
    "regula_connections_refused": ("Connections that were cut off or not taken, by reason.", ["reason"]),
}

_counters = SharedCounters()


def share_counters(processes: int) -> None:
    """Have up to ``processes`` processes that are forked from this one count together."""
    global _counters
    _counters = SharedCounters(1 + processes)


def count_as(slot: int | None) -> None:
    """Count as process number ``slot``, from 1, in a process that was forked; for itself alone where there are too many."""
    global _counters
    if slot is None:
        _counters = SharedCounters()
    else:
        _counters.use(slot)


def keep_counts(slot: int) -> None:
    """Keep what process ``slot``, which has ended, has counted. For the parent."""
    _counters.end(slot)


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a request that took ``seconds``."""
    _counters.add((_REQUESTS, route, method, str(status)), (0, seconds), (1 + bisect_left(_BUCKETS, seconds), 1.0))


def count_question(answered: bool) -> None:
    """Count a question."""
    _counters.add(("regula_questions", "yes" if answered else "no"), (0, 1.0))


def count_cached(hit: bool) -> None:
    """Count a question by whether its answer was in the cache."""
    _counters.add(("regula_kept_answers", "hit" if hit else "miss"), (0, 1.0))


def count_refused(reason: str) -> None:
    """Count a connection that was cut off or not taken."""
    _counters.add(("regula_connections_refused", reason), (0, 1.0))


class _SharedCounts(Collector):
    """The sums over all processes."""

    def collect(self) -> Iterator[Metric]:
        requests = HistogramMetricFamily(_REQUESTS, "Time from a request to its response, by route.", labels=["route", "method", "status"])
        families = {name: CounterMetricFamily(name, what, labels=labels) for name, (what, labels) in _COUNTERS.items()}
        for (name, *labels), values in _counters.totals():
            if name == _REQUESTS:
                bounds = [*map(str, _BUCKETS), "+Inf"]
                counts = accumulate(values[1 : 2 + len(_BUCKETS)])
                requests.add_metric(labels, [(bound, count) for bound, count in zip(bounds, counts, strict=True)], values[0])
            elif name in families:
                families[name].add_metric(labels, values[0])
        yield requests
        yield from families.values()


class _IndexMetrics(Collector):
    """Which index this process answers from, and how old it is."""

    def __init__(self, snapshot: Snapshot | None):
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        loaded = GaugeMetricFamily("regula_index_loaded", "Whether an index is loaded.", 1.0 if self._snapshot else 0.0)
        yield loaded
        if self._snapshot:
            yield InfoMetricFamily("regula_index", "The index that answers.", {"id": self._snapshot.id})
            yield GaugeMetricFamily("regula_index_age_seconds", "Time since it was built.", time.time() - self._snapshot.built.timestamp())
            library = self._snapshot.library
            yield GaugeMetricFamily("regula_index_passages", "Passages that can settle a question.", len(library.searchable))


def exposition(snapshot: Snapshot | None) -> bytes:
    """Return all metrics in the text format of Prometheus, of all workers where they count together."""
    registry = CollectorRegistry()
    registry.register(_SharedCounts())
    registry.register(_IndexMetrics(snapshot))
    written: Callable[[CollectorRegistry], bytes] = generate_latest
    return written(registry)
