"""All metrics in the text format of Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from service.core import metrics
from service.core.snapshot import Snapshot


class _SharedCounts(Collector):
    """The sums over all processes."""

    def collect(self) -> Iterator[Metric]:
        requests = HistogramMetricFamily(
            metrics.REQUESTS, "Time from a request to its response, by route.", labels=["route", "method", "status"]
        )
        families = {name: CounterMetricFamily(name, what, labels=labels) for name, (what, labels) in metrics.COUNTERS.items()}
        for (name, *labels), values in metrics.totals():
            if name == metrics.REQUESTS:
                bounds = [*map(str, metrics.BUCKETS), "+Inf"]
                counts = accumulate(values[1 : 2 + len(metrics.BUCKETS)])
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
