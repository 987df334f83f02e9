"""What is counted for Prometheus, in one process or over all workers together."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.snapshot import Snapshot

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # the folder that workers count in together; read by prometheus_client when it is imported

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = Histogram(
    "regula_request_duration_seconds", "Time from a request to its response, by route.", ["route", "method", "status"], buckets=_BUCKETS
)
QUESTIONS = Counter("regula_questions_total", "Questions put, by whether a passage settles them.", ["answered"])
KEPT = Counter("regula_kept_answers_total", "Questions by whether their answer was kept ready.", ["result"])


class _Index(Collector):
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
    """All metrics in the text format of Prometheus, of all workers where they count together."""
    registry = CollectorRegistry()
    if os.environ.get(SHARED):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        written = generate_latest(registry)
    else:
        written = generate_latest(REGISTRY)
    here = CollectorRegistry()
    here.register(_Index(snapshot))
    return written + generate_latest(here)
