"""Counts of calls in memory that stay right when the clock of the machine is set."""

from __future__ import annotations

import time
from threading import Lock

from limits.storage import MemoryStorage

_JUMP = 0.5  # seconds between the time of day and the monotonic clock, after which the one was set


class SteadyMemoryStorage(MemoryStorage):
    """limits' counts in memory, for moving windows. They are kept by the time of day: where it is
    set, they are moved along.

    Otherwise whoever has used up his calls before a clock is set back an hour would be turned away
    for an hour.
    """

    STORAGE_SCHEME = ["steady"]  # noqa: RUF012 - which registers it for steady://

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **options: str):
        self._lag = time.time() - time.monotonic()
        self._moving = Lock()
        super().__init__(uri, wrap_exceptions, **options)

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count ``amount`` calls of ``key``, unless that makes more than ``limit`` in ``expiry``
        seconds.
        """
        self._follow_clock()
        return super().acquire_entry(key, limit, expiry, amount)

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window of ``key`` began, and how many calls are in it."""
        self._follow_clock()
        return super().get_moving_window(key, limit, expiry)

    def _MemoryStorage__expire_events(self) -> None:  # the name by which limits' timer calls it
        """Forget calls that are too old. The timer may fire between the setting of the clock and
        the next call.
        """
        self._follow_clock()
        super()._MemoryStorage__expire_events()  # type: ignore[misc]

    def _follow_clock(self) -> None:
        jump = time.time() - time.monotonic() - self._lag
        if abs(jump) < _JUMP:
            return
        with self._moving:
            jump = time.time() - time.monotonic() - self._lag
            if abs(jump) < _JUMP:
                return  # another thread has done it
            self._lag += jump
            # A call that counts as several is one entry, several times in the list.
            for entry in {
                id(entry): entry
                for entries in list(self.events.values())
                for entry in list(entries)
            }.values():
                entry.atime += jump
                entry.expiry += jump
