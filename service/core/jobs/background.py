"""What takes longer than a page may: worked out behind the scenes, one thing after another, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache, TTLCache

T = TypeVar("T")


class Background(Generic[T]):
    """At most ``most`` results by name, worked out by one thread. A failure is raised anew for ``pause`` seconds, then tried again."""

    def __init__(self, most: int, pause: float = 0.0):
        self._begun: LRUCache[tuple[str, ...], Future[T]] = LRUCache(most)
        self._failed: TTLCache[tuple[str, ...], Exception] = TTLCache(most, pause)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="background")
        self._lock = Lock()

    def get(self, name: tuple[str, ...], make: Callable[[], T], patience: float = 0.0) -> T | None:
        """What ``make`` makes, begun at the first call; None where it is not there within ``patience`` seconds.

        What ``make`` raises is raised.
        """
        with self._lock:
            if failure := self._failed.get(name):
                raise failure
            if name not in self._begun:
                self._begun[name] = self._worker.submit(make)
            begun = self._begun[name]
        try:
            return begun.result(timeout=patience)
        except Exception as fault:
            if not begun.done():
                return None
            if begun.exception() is None:  # done in this very moment
                return begun.result()
            with self._lock:
                if self._begun.get(name) is begun:
                    del self._begun[name]
                    self._failed[name] = fault
            raise
