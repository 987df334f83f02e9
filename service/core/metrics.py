"""What is counted, in one process or over all workers together; `service.web.api.status` shows it
to Prometheus.
"""

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
    "regula_connections_refused": (
        "Connections that were cut off or not taken, by reason.",
        ["reason"],
    ),
    "regula_verdicts": ("Questions put, by verdict.", ["verdict"]),
    "regula_worker_restarts": ("Processes that ended and were replaced, by reason.", ["reason"]),
}
GAUGES = {  # what is so at present, summed over all processes
    "regula_requests_waiting": (
        "Requests that have arrived and wait for a thread, by lane.",
        ["lane"],
    ),
    "regula_jobs_waiting": ("Pieces of work that wait for a helper process.", []),
}

_counters = SharedCounters(gauges=GAUGES)


def share_counters(processes: int) -> None:
    """Have up to ``processes`` processes that are forked from this one count together."""
    global _counters
    _counters = SharedCounters(1 + processes, GAUGES)


def count_as(slot: int | None) -> None:
    """Count as process number ``slot``, from 1, in a process that was forked; for itself alone
    where there are too many.
    """
    global _counters
    if slot is None:
        _counters = SharedCounters(gauges=GAUGES)
    else:
        _counters.use(slot)


def keep_counts(slot: int) -> None:
    """Keep what process ``slot``, which has ended, has counted. For the parent."""
    _counters.end(slot)


def leave() -> None:
    """Say that this process is ending."""
    _counters.leave()


def processes() -> dict[int, int]:
    """Return the ids of the processes that count together and are not ending, by their slots; 0 is
    the parent's.
    """
    return _counters.processes()


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a request that took ``seconds``."""
    _counters.add(
        (REQUESTS, route, method, str(status)),
        (0, seconds),
        (1 + bisect_left(BUCKETS, seconds), 1.0),
    )


def count_question(answered: bool, verdict: str) -> None:
    """Count a question, by whether it is ``answered`` and by its ``verdict``."""
    _counters.add(("regula_questions", "yes" if answered else "no"), (0, 1.0))
    _counters.add(("regula_verdicts", verdict), (0, 1.0))


def count_cached(hit: bool) -> None:
    """Count a question by whether its answer was in the cache."""
    _counters.add(("regula_kept_answers", "hit" if hit else "miss"), (0, 1.0))


def count_assisted(outcome: str) -> None:
    """Count a question that a model was to help with, by what came of it."""
    _counters.add(("regula_assisted", outcome), (0, 1.0))


def count_refused(reason: str) -> None:
    """Count a connection that was cut off or not taken."""
    _counters.add(("regula_connections_refused", reason), (0, 1.0))


def count_restart(reason: str) -> None:
    """Count a process that ended and is replaced. For the parent."""
    _counters.add(("regula_worker_restarts", reason), (0, 1.0))


def count_waiting(lane: str, more: int) -> None:
    """Count ``more`` requests, or fewer, that wait for a thread in ``lane``."""
    _counters.add(("regula_requests_waiting", lane), (0, float(more)))


def count_jobs(more: int) -> None:
    """Count ``more`` jobs, or fewer, that wait for a helper process."""
    _counters.add(("regula_jobs_waiting",), (0, float(more)))


def totals() -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """Yield every row of counts, summed over all processes: name and label values, and the
    numbers.
    """
    return _counters.totals()
