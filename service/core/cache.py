"""Cache results, and compute each only once for all callers that wait at the same time."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class SnapshotCache:
    """The results computed from one snapshot, which owns the cache, so that both are freed
    together. Thread-safe.

    A key is a tuple that begins with the kind of result: ``("comparison", left, right)``. Results
    should not refer to the snapshot, or only the garbage collector would free it.
    """

    def __init__(self) -> None:
        # For each kind, the least recently used result first.
        self._kinds: dict[Hashable, OrderedDict[Hashable, Any]] = defaultdict(OrderedDict)
        self._running: dict[Hashable, Future[Any]] = {}
        self._lock = Lock()

    def get(self, key: tuple[Hashable, ...], make: Callable[[], T], most: int = 1) -> T:
        """Return the result under ``key``, computed by ``make`` if it is missing.

        At most ``most`` results of a kind are kept, 0 for none; the least recently used is dropped
        first. Callers that ask while a result is computed wait for it; an error of ``make`` is
        raised to all of them, and not stored.
        """
        with self._lock:
            kept = self._kinds[key[0]]
            if key in kept:
                kept.move_to_end(key)
                found: T = kept[key]
                return found
            running: Future[T] | None = self._running.get(key)
            if running is None:
                own: Future[T] = Future()
                self._running[key] = own
        if running is not None:
            return running.result()
        try:
            made = make()
        except BaseException as fault:
            with self._lock:
                del self._running[key]
            own.set_exception(fault)
            raise
        with self._lock:
            del self._running[key]
            if most:
                kept[key] = made
                while len(kept) > most:
                    kept.popitem(last=False)
        own.set_result(made)
        return made
