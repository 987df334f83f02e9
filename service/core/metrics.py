"""Counters, for one process or all workers together; `service.web` exports them to Prometheus.

The numbers are in shared memory: none of them is in a file, so no full disk can end a process.
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
GAUGES = {  # present values, summed over all processes
    "regula_requests_waiting": (
        "Requests that have arrived and wait for a thread, by lane.",
        ["lane"],
    ),
    "regula_jobs_waiting": ("Pieces of work that wait for a helper process.", []),
}

_ROWS = 2048  # of one process; label values come from routes, methods and statuses: some hundreds
_KEY = 152  # bytes of a row's name
_WIDTH = 17  # numbers of a row: sum and buckets of a histogram
_ROW = np.dtype([("key", f"S{_KEY}"), ("values", "f8", _WIDTH)])
_HEAD = 64  # bytes before the rows of a slot: how many are used, the id of the process
_SEPARATOR = "\x1f"


class SharedCounters:
    """Rows of numbers by name, in one slot of shared memory for each process; slot 0 is the
    parent's.

    A process writes to its own slot alone, so no lock is shared that a killed process could hold.
    Memory is anonymous and allocated before processes are forked. Pages that are never written to
    take no memory. Rows named in ``gauges`` hold present values: they end with their process, while
    its counts in other rows are kept.
    """

    def __init__(self, slots: int = 1, gauges: Container[str] = ()):
        size = _HEAD + _ROWS * _ROW.itemsize
        memory = mmap.mmap(-1, _HEAD + slots * size)
        places = [_HEAD + slot * size for slot in range(slots)]
        self._gauges = gauges
        self._version = np.ndarray(1, np.int64, memory)  # odd while the parent moves numbers
        self._used = [np.ndarray(1, np.int64, memory, place) for place in places]
        self._pids = [np.ndarray(1, np.int64, memory, place + 8) for place in places]
        self._rows = [np.ndarray(_ROWS, _ROW, memory, place + _HEAD) for place in places]
        self.slots = slots  # how many processes can count, the parent among them
        self.use(0)

    def use(self, slot: int) -> None:
        """Count in ``slot`` from now on; called once in each forked process."""
        self._lock = Lock()
        self._slot = slot
        self._places: dict[tuple[str, ...], int] = {}
        self._pids[slot][0] = os.getpid()

    def leave(self) -> None:
        """Mark this process as ending: it is no longer one of `processes`, but goes on counting."""
        self._pids[self._slot][0] = 0

    def processes(self) -> dict[int, int]:
        """Return the ids of the processes that count, by their slots."""
        return {slot: int(pid[0]) for slot, pid in enumerate(self._pids) if pid[0]}

    def add(self, key: tuple[str, ...], *numbers: tuple[int, float]) -> None:
        """Add the ``numbers``, pairs of column and amount, to row ``key``. If there are too many
        rows, a new one is not counted.
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
        """Return the number of the row called ``name``, created if it is missing; None if there is
        no room.
        """
        used = int(self._used[slot][0])
        found = np.flatnonzero(self._rows[slot]["key"][:used] == name)
        if len(found):
            return int(found[0])
        if used == _ROWS:
            return None
        self._rows[slot]["key"][used] = name
        self._used[slot][0] = used + 1  # last: a row that is counted has its name
        return used

    def end(self, slot: int) -> None:
        """Add the counts in ``slot``, of a process that has ended, to the parent's, and free the
        slot. Called by the parent alone.
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
        """Sum every row over all processes: its key and its numbers, in the order of the keys."""
        for _ in range(100):
            before = int(self._version[0])
            copies = [
                rows[: int(used[0])].copy()
                for rows, used in zip(self._rows, self._used, strict=True)
            ]
            if before % 2 == 0 and before == int(self._version[0]):
                break  # otherwise the parent was changing it, which takes microseconds
        found: dict[bytes, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
        for name, values in ((row["key"], row["values"]) for rows in copies for row in rows):
            found[name] = found[name] + values if name in found else values
        for name in sorted(found):
            yield _key(name), found[name].tolist()


def _key(name: bytes) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "replace").split(_SEPARATOR))


_counters = SharedCounters(gauges=GAUGES)


def share_counters(processes: int) -> None:
    """Make up to ``processes`` processes that are forked from this one count together."""
    global _counters
    _counters = SharedCounters(1 + processes, GAUGES)


def count_as(slot: int | None) -> None:
    """Count as process number ``slot``, from 1, in a forked process; separately if there are too
    many.
    """
    if slot is None:
        share_counters(0)
    else:
        _counters.use(slot)


def keep_counts(slot: int) -> None:
    """Keep the counts of process ``slot``, which has ended. For the parent."""
    _counters.end(slot)


def leave() -> None:
    """Mark this process as ending."""
    _counters.leave()


def processes() -> dict[int, int]:
    """Return the ids of the processes that count together and are not ending, by their slots; slot
    0 is the parent's.
    """
    return _counters.processes()


def count(name: str, *labels: str, by: int = 1) -> None:
    """Add to one of `COUNTERS` or `GAUGES`, with the values of its ``labels``."""
    _counters.add((name, *labels), (0, float(by)))


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a request that took ``seconds``."""
    bucket = 1 + bisect_left(BUCKETS, seconds)
    _counters.add((REQUESTS, route, method, str(status)), (0, seconds), (bucket, 1.0))


def totals() -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """Yield every row of counts, summed over all processes: name and label values, and the
    numbers.
    """
    return _counters.totals()
