"""The desk: which index a request is answered from, the same throughout the request."""

from __future__ import annotations

from flask import current_app, g

from service.lookup import Names
from service.problems import Problem
from service.snapshot import Describing, Description, Indexes, Snapshot


class Desk:
    """Hands each request one index, and keeps what is worked out from it until another one is current."""

    def __init__(self, indexes: Indexes):
        self._indexes = indexes
        self._names: tuple[str, Names] | None = None

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
        snapshot = self.snapshot()
        kept = self._names
        if kept is None or kept[0] != snapshot.id:
            kept = self._names = (snapshot.id, Names(snapshot.library))
        return kept[1]

    def description(self) -> Description | None:
        """What the index of this request says of itself; None where that is not known."""
        snapshot = self.snapshot()
        return self._indexes.description(snapshot.id) if isinstance(self._indexes, Describing) else None


def desk() -> Desk:
    """The desk of the application that handles this request."""
    found: Desk = current_app.extensions["regula"]
    return found
