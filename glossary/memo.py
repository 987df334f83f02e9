"""What was worked out lately, kept by an object for itself without a cycle, so that it goes when the last reference to it goes."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def remember(kept: dict[K, V], name: K, value: V, most: int) -> V:
    """``value``, from now on in ``kept`` under ``name``. All else is forgotten where there would be more than ``most``. Safe for threads.

    `functools.lru_cache` around a method of the object that keeps it would be a cycle, and only the garbage collector,
    which stops everything for a second when an index is large, would give the object back.
    """
    if len(kept) >= most:
        kept.clear()
    kept[name] = value
    return value
