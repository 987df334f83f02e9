"""A published index as the service uses it: its contents for comparing, listing and checking, with
or without the parts for searching; and the sources of indexes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from corpus.model import Edition, Rulebook
from glossary.word_tables import WordTables
from index.building.encoding_note import still_unencoded
from index.building.snapshots import Snapshots
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.layers.ruling_store import RULINGS, RulingStore
from index.library import library as libraries
from index.library.former_entries import FormerEntries, FormerEntry
from index.library.library import Library
from index.model import Query, SearchResult
from service.core.cache import SnapshotCache
from service.core.i18n import N_
from service.core.problems import Problem

_NAMES = ("library.json", "library/", f"{CARDS}/", f"{RULINGS}/")  # of the files of a snapshot


class SnapshotContents:
    """The library of the snapshot called ``id``, and the cache of results computed from it.

    ``folder`` is its folder on disk; None if it is only in memory.
    """

    def __init__(self, id: str, library: Library, folder: Path | None = None):
        self.id = id
        self.library = library
        self.folder = folder
        self.cache = SnapshotCache()

    @property
    def location(self) -> SnapshotLocation:
        """The form in which a job gets this snapshot: its folder, else the contents themselves."""
        return self.folder or self

    @cached_property
    def cards(self) -> CardStore:
        """The cards, for reading only; finding them in questions needs the whole index."""
        if self.folder is None:
            return CardStore.empty()
        return CardStore.load(self.folder / CARDS, WordTables({}))

    @cached_property
    def rulings(self) -> RulingStore:
        """The rulings outside the rulebooks."""
        return RulingStore.load(self.folder / RULINGS) if self.folder else RulingStore()

    def former(self, address: str) -> FormerEntry | None:
        """Return the record of a former ``address``: the id of an entry or an edition, or the
        `document_address` of a document. None if there is none.
        """
        return FormerEntries(self.folder.parent).find(address) if self.folder else None

    def following_edition(self, address: str) -> Edition | None:
        """Return the successor of the edition, or of the document, that was at an ``address``."""
        found = self.former(address)
        return self.library.edition.get(found.now) if found else None

    def rulebooks(self) -> list[Rulebook]:
        """Read the rulebooks again from the copies of the documents in the snapshot.

        Raises `LookupError` where the snapshot has no folder, `Damaged` where the documents are
        gone or altered.
        """
        from index.building.version_lookup import documents_of_snapshot, read_document

        if self.folder is None:
            raise LookupError(f"index {self.id} is on no disk, and has no documents")
        found = documents_of_snapshot(Snapshots(self.folder.parent), self.folder.name)
        ids = {source.sha256: id for id, source in self.library.sources.items()}
        read = (read_document(document, ids[document.sha256]) for document in found)
        return [book for book in read if book]


SnapshotLocation = Path | SnapshotContents


@lru_cache(maxsize=2)
def open_contents(folder: Path) -> SnapshotContents:
    """Open the contents of the snapshot in ``folder``, verified. Raises `Damaged`, or what
    `index.library.library.load_library` raises.
    """
    verify(folder)
    return SnapshotContents(folder.name, libraries.load_library(folder), folder)


def verify(folder: Path) -> None:
    """Raise `Damaged` if a file in ``folder`` that `open_contents` reads or maps is not the
    original one.
    """
    snapshots = Snapshots(folder.parent)
    names = [name for name in snapshots.files(folder.name) if name.startswith(_NAMES)]
    snapshots.verify(folder.name, names=names)


class SearchIndex(Protocol):
    """The interface that a `Snapshot` requires of an index; `index.search.Index` implements it."""

    @property
    def id(self) -> str:
        """The name of the index; every answer from it has the same."""

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
        """The rulings outside the rulebooks."""

    @property
    def cards(self) -> CardStore:
        """The cards of its games."""

    def search(self, query: Query) -> SearchResult:
        """Find the passages for ``query``, the best first. Raises `StoreUnreachable` where the
        store of the index does not answer.
        """


class Snapshot(SnapshotContents):
    """One published ``index`` with its contents and the cache of all results computed from them.

    Questions are asked through `service.core.ask.ask`, which caches and counts; `search` is the
    bare search. ``stale`` lists the inputs that have changed since it was built
    (`index.building.fingerprints.Dependency`); ``unencoded`` is the number of texts that the build
    left to the general encoder.
    """

    def __init__(
        self,
        index: SearchIndex,
        folder: Path | None = None,
        stale: tuple[str, ...] = (),
        unencoded: int = 0,
    ):
        super().__init__(index.id, index.library, folder)
        self.stale, self._unencoded = stale, unencoded
        self.index = index
        self.built = index.built
        self.cards = index.cards
        self.rulings = index.rulings
        self.waits = index.waits

    def search(self, query: Query) -> SearchResult:
        """Find the passages for ``query``, the best first; see `SearchIndex.search`."""
        return self.index.search(query)

    @property
    def unencoded(self) -> int:
        """How many texts the general encoder has still to encode."""
        return still_unencoded(self.folder, self._unencoded) if self.folder else self._unencoded

    def edition(self, id: str) -> Edition:
        """Return the edition called ``id``. Raises `Problem` (404) where it is not loaded."""
        if id not in self.library.edition:
            raise Problem.unknown(
                N_("There is no such edition here; GET /v1/editions lists those there are.")
            )
        return self.library.edition[id]


class IndexSource(Protocol):
    """Provides the index to answer from; it may be another one at the next request."""

    def current(self) -> Snapshot | None:
        """Return the snapshot in use; None while there is none."""


@dataclass(frozen=True)
class IndexDescription:
    """The metadata of an index: its model as it was named (``encoder``), empty for the built-in
    one, and the ``sizes`` of its documents in bytes, by SHA-256.
    """

    encoder: str
    sizes: Mapping[str, int]


@runtime_checkable
class DescribedIndexSource(Protocol):
    """An index source on disk that can describe its indexes."""

    def description(self, id: str) -> IndexDescription | None:
        """Describe the index called ``id``; None where it is gone or cannot be read."""


@runtime_checkable
class ManagedIndexSource(Protocol):
    """An index source on disk that can be rolled back."""

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots that are kept."""

    def rollback(self, id: str | None = None, wait: float = 0.0) -> str:
        """Publish the index ``id``, else the one before the published one, and return its id.

        Raises `LookupError` if it is not there, `index.building.snapshots.Damaged` if it is
        incomplete, `index.building.snapshots.Busy` while another one is being built.
        """
