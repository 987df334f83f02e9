"""What is worked out from a snapshot once and kept: a snapshot never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """At most ``most`` results by the snapshot they were made from and what they are about; the oldest goes first. Safe for threads."""

    def __init__(self, most: int):
        self._most = most
        self._kept: OrderedDict[tuple[str, ...], T] = OrderedDict()
        self._lock = Lock()

    def get(self, name: tuple[str, ...], make: Callable[[], T]) -> T:
        """What is kept under ``name``, made first where it is not there. What ``make`` raises is raised, and nothing kept."""
        with self._lock:
            if name in self._kept:
                return self._kept[name]
        made = make()  # outside the lock: it can take seconds, and requests for other things shall not wait for it
        with self._lock:
            self._kept[name] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
