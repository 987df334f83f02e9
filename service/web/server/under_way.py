"""The requests that each process holds, in memory that processes share: whoever is killed, its
parent can say what was lost with it.
"""

from __future__ import annotations

import logging
import mmap
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import get_ident
from typing import Any

_ROWS = 2048  # of one process: more than may wait there and be answered together
_ROW = struct.Struct(
    "<dd64s24s206s"
)  # when it arrived and when a thread took it up (seconds of the monotonic clock), id, method, path

RouteOf = Callable[[str, str], str]
"""Tells the route of a request by its method and path."""


@dataclass(frozen=True)
class HeldRequest:
    """A request that was not answered yet: its id, how it came, and the seconds since it arrived;
    ``begun``: a thread was at it.
    """

    id: str
    method: str
    path: str
    seconds: float
    begun: bool


class RequestTable:
    """A row for each request that is under way, in one slot of shared memory for each process; slot
    0 is the parent's.

    Only the thread of the event loop takes and frees rows. A path is kept to tell the route by,
    which is all that gets into a log: a path may say what somebody looks up. Pages of memory that
    nobody writes to take none.
    """

    def __init__(self, slots: int = 1):
        self._slots = slots
        self._memory = mmap.mmap(-1, slots * _ROWS * _ROW.size)
        self.use(0)

    def use(self, slot: int | None) -> None:
        """Write to ``slot`` from now on; to memory of its own where there is none left."""
        if slot is None or slot >= self._slots:
            self._memory, self._slots, slot = mmap.mmap(-1, _ROWS * _ROW.size), 1, 0
        self._slot = slot
        self._free = list(range(_ROWS - 1, -1, -1))

    def arrived(self, id: str, method: str, path: str) -> RequestRow:
        """Note a request that is there, whole."""
        row = self._free.pop() if self._free else None
        if row is not None:
            self._write(
                row,
                time.monotonic(),
                0.0,
                id.encode(),
                method.encode(),
                path.encode("utf-8", "replace"),
            )
        return RequestRow(self, row)

    def begun(self, row: int) -> None:
        """Note that a thread takes up the request in ``row``."""
        struct.pack_into("<d", self._memory, self._place(self._slot, row) + 8, time.monotonic())

    def ended(self, row: int) -> None:
        """Note that the request in ``row`` was answered, or is not going to be."""
        struct.pack_into("<d", self._memory, self._place(self._slot, row), 0.0)
        self._free.append(row)

    def take_held(self, slot: int) -> list[HeldRequest]:
        """Return the requests that the process of ``slot``, which has ended, held, the oldest
        first, and forget them. For the parent.
        """
        found, now = [], time.monotonic()
        for row in range(_ROWS if 0 < slot < self._slots else 0):
            arrived, begun, id, method, path = _ROW.unpack_from(
                self._memory, self._place(slot, row)
            )
            if not arrived and not id.strip(b"\0"):
                break  # rows are taken from the first one on: nobody has ever used those behind it
            if arrived:
                texts = [
                    part.rstrip(b"\0").decode("utf-8", "replace") for part in (id, method, path)
                ]
                found.append(HeldRequest(texts[0], texts[1], texts[2], now - arrived, begun > 0))
            _ROW.pack_into(self._memory, self._place(slot, row), 0.0, 0.0, b"", b"", b"")
        return sorted(found, key=lambda held: -held.seconds)

    def _write(self, row: int, arrived: float, begun: float, *texts: bytes) -> None:
        place = self._place(self._slot, row)
        _ROW.pack_into(self._memory, place, 0.0, begun, *texts)
        struct.pack_into("<d", self._memory, place, arrived)  # last: a row that counts is whole

    @staticmethod
    def _place(slot: int, row: int) -> int:
        return (slot * _ROWS + row) * _ROW.size


class RequestRow:
    """The row of one request in ``table``; with no ``row`` where there was no room for it.
    ``thread`` is the one that is at it.
    """

    def __init__(self, table: RequestTable, row: int | None):
        self._table, self._row = table, row
        self.thread: int | None = None
        self.since = time.monotonic()

    def begin(self) -> None:
        """Note that the calling thread takes it up."""
        self.thread = get_ident()
        if self._row is not None:
            self._table.begun(self._row)

    def end(self) -> None:
        """Note that it is answered. The row is free again: only the event loop may call this, and
        once.
        """
        if self._row is not None:
            self._table.ended(self._row)
            self._row = None


def log_with_stack(logger: logging.Logger, message: str, stack: str, **fields: Any) -> None:
    """Log an error with the ``stack`` of what it is about, which another thread or process was at,
    in the place of the caller's own.
    """
    if logger.isEnabledFor(logging.ERROR):
        logger.handle(
            logger.makeRecord(
                logger.name, logging.ERROR, "", 0, message, (), None, None, fields, stack or None
            )
        )
