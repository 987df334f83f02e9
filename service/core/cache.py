"""Results that are computed once: for all who ask at the same time, and for who asks later."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")
Key = tuple[str, ...]


class SingleFlight(Generic[T]):
    """One computation at a time for each key: who asks while it is under way waits for its result. Safe for threads."""

    def __init__(self) -> None:
        self._flights: dict[Key, Future[T]] = {}
        self._lock = Lock()

    def run(self, key: Key, make: Callable[[], T]) -> T:
        """What ``make`` returns or raises, or what the computation under way for ``key`` does; other keys do not wait for it."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is None:
                own: Future[T] = Future()
                self._flights[key] = own
        if flight is not None:
            return flight.result()
        try:
            own.set_result(make())
        except BaseException as fault:
            own.set_exception(fault)
        finally:
            with self._lock:
                del self._flights[key]
        return own.result()


class BoundedCache(Generic[T]):
    """At most ``most`` results by key, the least recently used goes first; each is computed once for all who wait. Safe for threads.

    A key begins with the id of the snapshot that the result was made from: a snapshot never changes.
    """

    def __init__(self, most: int):
        self._results: LRUCache[Key, T] = LRUCache(most)
        self._flights: SingleFlight[T] = SingleFlight()
        self._lock = Lock()

    def get(self, key: Key, make: Callable[[], T]) -> T:
        """The result under ``key``, made first where it is not there. What ``make`` raises is raised to all who wait, and forgotten."""
        with self._lock:
            if key in self._results:
                return self._results[key]
        return self._flights.run(key, lambda: self._made(key, make))

    def _made(self, key: Key, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._results:  # made between the first look and this flight
                return self._results[key]
        made = make()
        with self._lock:
            self._results[key] = made
        return made
