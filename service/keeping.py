"""What is worked out from a snapshot once and kept: a snapshot never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """At most ``most`` results by the snapshot they were made from and what they are about; the oldest goes first."""

    def __init__(self, most: int):
        self._most = most
        self._kept: OrderedDict[tuple[str, ...], T] = OrderedDict()

    def get(self, name: tuple[str, ...], make: Callable[[], T]) -> T:
        """What is kept under ``name``, made first where it is not there. What ``make`` raises is raised, and nothing kept."""
        if name not in self._kept:
            made = make()
            while len(self._kept) >= self._most:
                self._kept.popitem(last=False)
            self._kept[name] = made
        return self._kept[name]
