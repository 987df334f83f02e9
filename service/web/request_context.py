"""The desk: which index a request is answered from, the same throughout the request."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from flask import current_app, g

from corpus.model import Rulebook
from service.browse.lookup import Names
from service.core.problems import Problem
from service.core.snapshot import Describing, Description, Indexes, Managing, Snapshot

T = TypeVar("T")


class Desk:
    """Hands each request one index, and keeps what is worked out from it as long as there is that index.

    Requests to the old index are still being answered when another one is current; each finds what belongs to its own.
    """

    def __init__(self, indexes: Indexes):
        self._indexes = indexes
        self._kept: MutableMapping[Snapshot, dict[str, Any]] = WeakKeyDictionary()
        self._lock = Lock()

    def snapshot(self) -> Snapshot:
        """The index of this request, the same throughout. Raises `Problem` (503) where none is ready."""
        if "snapshot" not in g:
            g.snapshot = self._indexes.current()
        if g.snapshot is None:
            raise Problem.not_ready()
        found: Snapshot = g.snapshot
        return found

    def names(self) -> Names:
        """The names in the index of this request, made ready for looking them up."""
        return self.kept("names", lambda snapshot: Names(snapshot.library))

    def kept(self, name: str, make: Callable[[Snapshot], T]) -> T:
        """What ``make`` works out from the index of this request, kept under ``name``; it must not refer to that index itself."""
        snapshot = self.snapshot()
        with self._lock:
            kept = self._kept.setdefault(snapshot, {})
        if name not in kept:
            made = make(snapshot)
            return kept.setdefault(name, made)  # type: ignore[no-any-return]
        return kept[name]  # type: ignore[no-any-return]

    def rulebooks(self, snapshot: str) -> list[Rulebook]:
        """The rulebooks that a snapshot was built from, read again. Raises what `Indexes.rulebooks` raises."""
        return list(self._indexes.rulebooks(snapshot))

    def description(self) -> Description | None:
        """What the index of this request says of itself; None where that is not known."""
        snapshot = self.snapshot()
        return self._indexes.description(snapshot.id) if isinstance(self._indexes, Describing) else None

    def managed(self) -> Managing:
        """The indexes on disk. Raises `Problem` (404) where they are kept elsewhere."""
        if not isinstance(self._indexes, Managing):
            raise Problem.unknown("The indexes of this service are not kept on its disk.")
        return self._indexes


def desk() -> Desk:
    """The desk of the application that handles this request."""
    found: Desk = current_app.extensions["regula"]
    return found
