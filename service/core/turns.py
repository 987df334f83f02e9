"""A lock by which one question at a time is answered in a process; those of persons go first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class TurnLock:
    """A lock with two classes of waiters: interactive ones always get it before the others. Safe for threads."""

    def __init__(self) -> None:
        self._free = Condition()
        self._taken = False
        self._interactive = 0  # waiters that are interactive

    @contextmanager
    def turn(self, interactive: bool = True) -> Iterator[None]:
        """Hold the lock inside."""
        with self._free:
            self._interactive += interactive
            while self._taken or (self._interactive and not interactive):
                self._free.wait()
            self._interactive -= interactive
            self._taken = True
        try:
            yield
        finally:
            with self._free:
                self._taken = False
                self._free.notify_all()
