"""What the service needs of an index, and of where indexes come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from corpus.model import Rulebook
from index.building.snapshots import Snapshots
from index.library.library import Library
from index.model import Found, Query


class Snapshot(Protocol):
    """One published index: what was read, and a search over it."""

    @property
    def id(self) -> str:
        """Names this index; the same in every answer given from it."""

    @property
    def built(self) -> datetime:
        """When it was built."""

    @property
    def library(self) -> Library:
        """The editions, entries, passages and references it was built from."""

    @property
    def waits(self) -> bool:
        """Whether a search waits for a store on another machine most of the time."""

    def search(self, query: Query) -> Found:
        """The passages found for ``query``, the best first."""


class Indexes(Protocol):
    """Where the index to answer from comes from; another one may be current at the next request."""

    def current(self) -> Snapshot | None:
        """The index in use, None while there is none."""

    def rulebooks(self, snapshot: str) -> Sequence[Rulebook]:
        """The rulebooks that a snapshot was built from, read again from its own copies of the documents.

        Raises `OSError`, `ValueError` or `KeyError` where they are no longer there or damaged.
        """


@dataclass(frozen=True)
class Description:
    """What an index says of itself.

    ``encoder`` is its model as it was named, empty for the built-in one; ``sizes`` are those of its documents in bytes, by SHA-256.
    """

    encoder: str
    sizes: Mapping[str, int]


@runtime_checkable
class Describing(Protocol):
    """Indexes that are kept on disk and can say what is there."""

    def description(self, id: str) -> Description | None:
        """Of the index called ``id``; None where it is gone or cannot be read."""


@runtime_checkable
class Managing(Protocol):
    """Indexes that are kept on disk and can be gone back to."""

    @property
    def snapshots(self) -> Snapshots:
        """What is kept."""

    def rollback(self, id: str | None = None, wait: float = 0.0) -> str:
        """Publish the index ``id``, else the one before the published one; its id.

        Raises `LookupError` where it is not there, and of `index.building.snapshots` `Damaged` where it is not whole, `Busy` while
        another one is being built.
        """
