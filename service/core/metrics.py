"""What is counted, in one process or over all workers together; `service.web.exposition` shows it to Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from service.core.counters import SharedCounters

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = "regula_request_duration_seconds"
COUNTERS = {  # names as Prometheus has them, without _total: what they count, and by which labels
    "regula_questions": ("Questions put, by whether a passage settles them.", ["answered"]),
    "regula_kept_answers": ("Questions by whether their answer was in the cache.", ["result"]),
    "regula_assisted": ("Questions put to the owner's model, by what came of it.", ["outcome"]),
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
    _counters.add((REQUESTS, route, method, str(status)), (0, seconds), (1 + bisect_left(BUCKETS, seconds), 1.0))


def count_question(answered: bool) -> None:
    """Count a question."""
    _counters.add(("regula_questions", "yes" if answered else "no"), (0, 1.0))


def count_cached(hit: bool) -> None:
    """Count a question by whether its answer was in the cache."""
    _counters.add(("regula_kept_answers", "hit" if hit else "miss"), (0, 1.0))


def count_assisted(outcome: str) -> None:
    """Count a question that a model was to help with, by what came of it."""
    _counters.add(("regula_assisted", outcome), (0, 1.0))


def count_refused(reason: str) -> None:
    """Count a connection that was cut off or not taken."""
    _counters.add(("regula_connections_refused", reason), (0, 1.0))


def totals() -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """Yield every row of counts, summed over all processes: name and label values, and the numbers."""
    return _counters.totals()
