"""A published index as the service uses it, and where indexes come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from corpus.model import Edition
from index.building.snapshots import Snapshots
from index.cards.card_store import CardStore
from index.layers.ruling_store import RulingStore
from index.library.library import Library
from index.model import Query, SearchResult
from service.core.contents import SnapshotContents
from service.core.i18n import N_
from service.core.problems import Problem


class SearchIndex(Protocol):
    """What a `Snapshot` needs of an index; `index.search.Index` has it."""

    @property
    def id(self) -> str:
        """The name of the index; the same in every answer given from it."""

    @property
    def built(self) -> datetime:
        """When it was built."""

    @property
    def library(self) -> Library:
        """The editions, entries, passages and references it was built from."""

    @property
    def waits(self) -> bool:
        """Whether a search waits for a store on another machine most of the time."""

    @property
    def rulings(self) -> RulingStore:
        """The rulings outside the rulebooks; an empty store where there are none."""

    @property
    def cards(self) -> CardStore:
        """The cards of its games; an empty store where there are none."""

    def search(self, query: Query) -> SearchResult:
        """Find the passages for ``query``, the best first. Raises `StoreUnreachable` where the
        store of the index does not answer.
        """


class Snapshot(SnapshotContents):
    """One published ``index`` with its contents and the cache of everything that is computed from
    them.

    Questions are put through `service.core.ask.ask`, which caches and counts; `search` is the bare
    search. ``stale`` names what it was built from otherwise than it would be now
    (`index.building.fingerprints.Dependency`).
    """

    def __init__(self, index: SearchIndex, folder: Path | None = None, stale: tuple[str, ...] = ()):
        self.stale = stale
        super().__init__(index.id, index.library, folder)
        self.index = index
        self.built = index.built
        self.cards = index.cards
        self.rulings = index.rulings
        self.waits = index.waits

    def search(self, query: Query) -> SearchResult:
        """Find the passages for ``query``, the best first; see `SearchIndex.search`."""
        return self.index.search(query)

    def edition(self, id: str) -> Edition:
        """Return the edition called ``id``. Raises `Problem` (404) where it is not loaded."""
        if id not in self.library.edition:
            raise Problem.unknown(
                N_("There is no such edition here; GET /v1/editions lists those there are.")
            )
        return self.library.edition[id]


class IndexSource(Protocol):
    """Where the index to answer from comes from; another one may be current at the next request."""

    def current(self) -> Snapshot | None:
        """Return the snapshot in use; None while there is none."""


@dataclass(frozen=True)
class IndexDescription:
    """What an index says of itself.

    ``encoder`` is its model as it was named, empty for the built-in one; ``sizes`` are those of its
    documents in bytes, by SHA-256.
    """

    encoder: str
    sizes: Mapping[str, int]


@runtime_checkable
class DescribedIndexSource(Protocol):
    """An index source that is kept on disk and can say what is there."""

    def description(self, id: str) -> IndexDescription | None:
        """Describe the index called ``id``; None where it is gone or cannot be read."""


@runtime_checkable
class ManagedIndexSource(Protocol):
    """An index source that is kept on disk and can be rolled back."""

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots that are kept."""

    def rollback(self, id: str | None = None, wait: float = 0.0) -> str:
        """Publish the index ``id``, else the one before the published one, and return its id.

        Raises `LookupError` where it is not there, and of `index.building.snapshots` `Damaged`
        where it is not whole, `Busy` while another one is being built.
        """
