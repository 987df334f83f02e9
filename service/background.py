"""What takes longer than a page may: worked out behind the scenes, one thing after another, and kept."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from service.keeping import Kept

T = TypeVar("T")


class Background(Generic[T]):
    """At most ``most`` results by name; one worker makes them, so that requests keep a processor to themselves."""

    def __init__(self, most: int):
        self._begun: Kept[Future[T]] = Kept(most)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="background")
        self._lock = Lock()

    def get(self, name: tuple[str, ...], make: Callable[[], T], patience: float = 0.0) -> T | None:
        """What ``make`` makes, begun at the first call; None where it is not there within ``patience`` seconds.

        What ``make`` raises is raised.
        """
        with self._lock:
            begun = self._begun.get(name, lambda: self._worker.submit(make))
        try:
            return begun.result(timeout=patience)
        except TimeoutError:
            if begun.done():  # the maker's own, or there in this very moment
                return begun.result()
            return None
