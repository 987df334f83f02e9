"""Results that take longer to compute than a page may take: computed by a thread in the background, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache, TTLCache

T = TypeVar("T")


class BackgroundCache(Generic[T]):
    """At most ``most`` results by key, computed by one thread. A failure is raised again for ``pause`` seconds, then retried."""

    def __init__(self, most: int, pause: float = 0.0):
        self._futures: LRUCache[tuple[str, ...], Future[T]] = LRUCache(most)
        self._failures: TTLCache[tuple[str, ...], Exception] = TTLCache(most, pause)
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="background")
        self._lock = Lock()

    def finished(self, key: tuple[str, ...]) -> T | None:
        """Return what was computed for ``key``; None where it is not ready or failed. Nothing is started."""
        with self._lock:
            future = self._futures.get(key)
        return future.result() if future and future.done() and not future.exception() else None

    def get(self, key: tuple[str, ...], make: Callable[[], T], patience: float = 0.0) -> T | None:
        """Return what ``make`` computes, which the first call starts; None where it is not ready within ``patience`` seconds.

        What ``make`` raises is raised.
        """
        with self._lock:
            if failure := self._failures.get(key):
                raise failure
            if key not in self._futures:
                self._futures[key] = self._executor.submit(make)
            future = self._futures[key]
        try:
            return future.result(timeout=patience)
        except Exception as fault:
            if not future.done():
                return None
            if future.exception() is None:  # done in this very moment
                return future.result()
            with self._lock:
                if self._futures.get(key) is future:
                    del self._futures[key]
                    self._failures[key] = fault
            raise

    def forget(self, key: tuple[str, ...]) -> None:
        """Have the next `get` compute the result under ``key`` anew."""
        with self._lock:
            self._futures.pop(key, None)
