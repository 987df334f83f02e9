"""Counters, for one process or all workers together; `service.web` exports them to Prometheus.

The numbers are in shared memory, not in files, so that a full disk cannot end a process.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left
from collections.abc import Container, Iterator
from threading import Lock

import numpy as np

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = "regula_request_duration_seconds"
COUNTERS = {  # by Prometheus name, without _total: description and labels
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
GAUGES = {  # current values, summed over all processes
    "regula_requests_waiting": (
        "Requests that have arrived and wait for a thread, by lane.",
        ["lane"],
    ),
    "regula_jobs_waiting": ("Pieces of work that wait for a helper process.", []),
}

_ROWS = 2048  # rows of one process; routes, methods and statuses need some hundreds
_KEY = 152  # bytes of a row's name
_WIDTH = 17  # numbers of a row: sum and buckets of a histogram
_ROW = np.dtype([("key", f"S{_KEY}"), ("values", "f8", _WIDTH)])
_HEAD = 64  # bytes before the rows of a slot: the number of rows used, the process id
_SEPARATOR = "\x1f"


class SharedCounters:
    """Rows of numbers by name, with one slot of shared memory for each process; slot 0 is the
    parent's.

    A process writes only to its own slot, so there is no shared lock that a killed process could
    hold. The memory is allocated before processes are forked; unused pages take none. Rows named in
    ``gauges`` are current values, dropped when their process ends; other rows are kept.
    """

    def __init__(self, slots: int = 1, gauges: Container[str] = ()):
        size = _HEAD + _ROWS * _ROW.itemsize
        memory = mmap.mmap(-1, _HEAD + slots * size)
        places = [_HEAD + slot * size for slot in range(slots)]
        self._gauges = gauges
        self._version = np.ndarray(1, np.int64, memory)  # odd while the parent moves rows
        self._used = [np.ndarray(1, np.int64, memory, place) for place in places]
        self._pids = [np.ndarray(1, np.int64, memory, place + 8) for place in places]
        self._rows = [np.ndarray(_ROWS, _ROW, memory, place + _HEAD) for place in places]
        self.slots = slots  # number of processes that can count, with the parent
        self.use(0)

    def use(self, slot: int) -> None:
        """Count in ``slot`` from now on; called once in each forked process."""
        self._lock = Lock()
        self._slot = slot
        self._places: dict[tuple[str, ...], int] = {}
        self._pids[slot][0] = os.getpid()

    def leave(self) -> None:
        """Remove this process, which is ending, from `processes`; it can still count."""
        self._pids[self._slot][0] = 0

    def processes(self) -> dict[int, int]:
        """Return the process ids by slot."""
        return {slot: int(pid[0]) for slot, pid in enumerate(self._pids) if pid[0]}

    def add(self, key: tuple[str, ...], *numbers: tuple[int, float]) -> None:
        """Add ``numbers``, pairs of column and amount, to row ``key``. If all rows are in use, new
        keys are not counted.
        """
        with self._lock:
            row = self._places.get(key)
            if row is None:
                row = self._row(self._slot, _SEPARATOR.join(key).encode()[:_KEY])
                if row is None:
                    return
                self._places[key] = row
            values = self._rows[self._slot]["values"][row]
            for column, amount in numbers:
                values[column] += amount

    def _row(self, slot: int, name: bytes) -> int | None:
        """Return the number of the row called ``name``, created if missing; None if all rows are in
        use.
        """
        used = int(self._used[slot][0])
        found = np.flatnonzero(self._rows[slot]["key"][:used] == name)
        if len(found):
            return int(found[0])
        if used == _ROWS:
            return None
        self._rows[slot]["key"][used] = name
        self._used[slot][0] = used + 1  # last, so that every row in use has its name
        return used

    def end(self, slot: int) -> None:
        """Add the counts of an ended process in ``slot`` to the parent's, and free the slot. Called
        only by the parent.
        """
        if not 0 < slot < self.slots:
            return
        self._version += 1
        used = int(self._used[slot][0])
        for row in self._rows[slot][:used]:
            if _key(row["key"])[0] in self._gauges:
                continue
            place = self._row(0, row["key"])
            if place is not None:
                self._rows[0]["values"][place] += row["values"]
        self._rows[slot][:used] = np.zeros((), _ROW)
        self._used[slot][0] = 0
        self._pids[slot][0] = 0
        self._version += 1

    def totals(self) -> Iterator[tuple[tuple[str, ...], list[float]]]:
        """Yield every row, summed over all processes: key and numbers, in order of keys."""
        for _ in range(100):
            before = int(self._version[0])
            copies = [
                rows[: int(used[0])].copy()
                for rows, used in zip(self._rows, self._used, strict=True)
            ]
            if before % 2 == 0 and before == int(self._version[0]):
                break  # otherwise the parent moved rows, which takes microseconds: try again
        found: dict[bytes, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
        for name, values in ((row["key"], row["values"]) for rows in copies for row in rows):
            found[name] = found[name] + values if name in found else values
        for name in sorted(found):
            yield _key(name), found[name].tolist()


def _key(name: bytes) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "replace").split(_SEPARATOR))


_counters = SharedCounters(gauges=GAUGES)


def share_counters(processes: int) -> None:
    """Let this process and up to ``processes`` processes forked from it count together."""
    global _counters
    _counters = SharedCounters(1 + processes, GAUGES)


def count_as(slot: int | None) -> None:
    """Count as process number ``slot``, from 1, in a forked process; separately if it is None."""
    if slot is None:
        share_counters(0)
    else:
        _counters.use(slot)


def keep_counts(slot: int) -> None:
    """Keep the counts of the ended process ``slot``; called by the parent."""
    _counters.end(slot)


def leave() -> None:
    """Mark this process as ending, see `SharedCounters.leave`."""
    _counters.leave()


def processes() -> dict[int, int]:
    """Return the ids of the processes that count together and are not ending, by slot; slot 0 is
    the parent's.
    """
    return _counters.processes()


def count(name: str, *labels: str, by: int = 1) -> None:
    """Add ``by`` to ``name``, one of `COUNTERS` or `GAUGES`, for the values of its ``labels``."""
    _counters.add((name, *labels), (0, float(by)))


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a request that took ``seconds``."""
    bucket = 1 + bisect_left(BUCKETS, seconds)
    _counters.add((REQUESTS, route, method, str(status)), (0, seconds), (bucket, 1.0))


def totals() -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """Yield all counts, summed over all processes: name and label values, and the numbers."""
    return _counters.totals()
