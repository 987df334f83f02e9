"""Results that are computed once: for all callers that wait at the same time, and for those that
come later.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """One computation at a time for each key: callers that come while it is running wait for its
    result. Safe for threads.
    """

    def __init__(self) -> None:
        self._flights: dict[Hashable, Future[T]] = {}
        self._lock = Lock()

    def run(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return or raise what ``make`` does, or what the running computation for ``key`` does;
        other keys do not wait for it.
        """
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
    """At most ``most`` results by key; the least recently used one is dropped first. Each is
    computed once. Safe for threads.
    """

    def __init__(self, most: int):
        self._results: LRUCache[Hashable, T] = LRUCache(most)
        self._flights: SingleFlight[T] = SingleFlight()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result under ``key``, computed by ``make`` where it is missing.

        What ``make`` raises is raised to all callers that wait for it, and not stored.
        """
        with self._lock:
            if key in self._results:
                return self._results[key]
        return self._flights.run(key, lambda: self._make(key, make))

    def _make(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._results:  # made between the first look and this flight
                return self._results[key]
        made = make()
        with self._lock:
            self._results[key] = made
        return made


class SnapshotCache:
    """Everything that is computed from one snapshot; the snapshot owns it, so that both are freed
    together. Safe for threads.

    A key is a tuple that begins with the name of its kind, for example ``("comparison", left,
    right)``. Each kind is a `BoundedCache` of its own. Results should not refer to the snapshot: it
    would then be freed only by the garbage collector.
    """

    def __init__(self) -> None:
        self._kinds: dict[Hashable, BoundedCache[Any]] = {}
        self._lock = Lock()

    def get(self, key: tuple[Hashable, ...], make: Callable[[], T], most: int = 1) -> T:
        """Return the result under ``key``, computed by ``make`` where it is missing; at most
        ``most`` of its kind are kept.
        """
        with self._lock:
            if key[0] not in self._kinds:
                self._kinds[key[0]] = BoundedCache(most)
            kind = self._kinds[key[0]]
        found: T = kind.get(key[1:], make)
        return found
