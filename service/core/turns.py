"""Who computes next in a process: one at a time, and who answers a person goes before who works through a list."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class TurnLock:
    """A lock with two classes of waiters: nobody of the second gets it while somebody of the first waits. Safe for threads."""

    def __init__(self) -> None:
        self._free = Condition()
        self._taken = False
        self._first = 0  # waiters of the first class

    @contextmanager
    def turn(self, first: bool = True) -> Iterator[None]:
        """Hold the lock inside; ``first`` is the class."""
        with self._free:
            self._first += first
            while self._taken or (self._first and not first):
                self._free.wait()
            self._first -= first
            self._taken = True
        try:
            yield
        finally:
            with self._free:
                self._taken = False
                self._free.notify_all()
