"""A published index as the service uses it: its contents, to compare, list and check, with or
without the parts for searching; and the sources of indexes.
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

_NAMES = ("library.json", "library/", f"{CARDS}/", f"{RULINGS}/")  # files of the contents


class SnapshotContents:
    """The contents of the snapshot ``id``, and a cache of results computed from them.

    ``folder`` is the folder on disk; None if the snapshot is only in memory.
    """

    def __init__(self, id: str, library: Library, folder: Path | None = None):
        self.id = id
        self.library = library
        self.folder = folder
        self.cache = SnapshotCache()

    @property
    def location(self) -> SnapshotLocation:
        """The folder of the snapshot, passed to jobs, or this object if it has none."""
        return self.folder or self

    @cached_property
    def cards(self) -> CardStore:
        """The cards, without the word tables needed to find them in questions."""
        if self.folder is None:
            return CardStore.empty()
        return CardStore.load(self.folder / CARDS, WordTables({}))

    @cached_property
    def rulings(self) -> RulingStore:
        """The rulings outside the rulebooks."""
        return RulingStore.load(self.folder / RULINGS) if self.folder else RulingStore()

    def former(self, address: str) -> FormerEntry | None:
        """Return the record of a former ``address`` (the id of an entry or edition, or the
        `document_address` of a document), or None.
        """
        return FormerEntries(self.folder.parent).find(address) if self.folder else None

    def following_edition(self, address: str) -> Edition | None:
        """Return the successor of the edition or document formerly at ``address``, or None."""
        found = self.former(address)
        return self.library.edition.get(found.now) if found else None

    def rulebooks(self) -> list[Rulebook]:
        """Read the rulebooks again from the copies of the documents in the snapshot.

        Raises `LookupError` if the snapshot has no folder, `Damaged` if the documents are gone or
        altered.
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
    """Raise `Damaged` if a file in ``folder`` that `open_contents` reads or maps was changed."""
    snapshots = Snapshots(folder.parent)
    names = [name for name in snapshots.files(folder.name) if name.startswith(_NAMES)]
    snapshots.verify(folder.name, names=names)


class SearchIndex(Protocol):
    """The interface that a `Snapshot` requires of an index; `index.search.Index` implements it."""

    @property
    def id(self) -> str:
        """The name of the index, which its answers state."""

    @property
    def built(self) -> datetime:
        """The time of the build."""

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
        """Find the passages for ``query``, the best first. Raises `StoreUnreachable` if the store
        of the index does not answer.
        """


class Snapshot(SnapshotContents):
    """One published ``index`` with its contents and the cache of all results computed from them.

    Ask questions with `service.core.ask.ask`, which caches and counts; `search` only searches.
    ``stale`` lists the inputs that have changed since the build
    (`index.building.fingerprints.Dependency`); ``unencoded`` is the number of texts that the build
    left to be encoded by the general encoder later.
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
        """The number of texts that the general encoder still has to encode."""
        return still_unencoded(self.folder, self._unencoded) if self.folder else self._unencoded

    def edition(self, id: str) -> Edition:
        """Return the edition ``id``. Raises `Problem` 404 if it is not loaded."""
        if id not in self.library.edition:
            raise Problem.unknown(
                N_("There is no such edition here; GET /v1/editions lists those there are.")
            )
        return self.library.edition[id]


class IndexSource(Protocol):
    """Provides the index to answer from, which may change between requests."""

    def current(self) -> Snapshot | None:
        """Return the current snapshot, or None."""


@dataclass(frozen=True)
class IndexDescription:
    """The metadata of an index: the name of its ``encoder``, "" for the built-in one, and the
    ``sizes`` of its documents in bytes by SHA-256.
    """

    encoder: str
    sizes: Mapping[str, int]


@runtime_checkable
class DescribedIndexSource(Protocol):
    """An index source on disk that can describe its indexes."""

    def description(self, id: str) -> IndexDescription | None:
        """Describe the index ``id``; None if it is gone or unreadable."""


@runtime_checkable
class ManagedIndexSource(Protocol):
    """An index source on disk that can be rolled back."""

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots on disk."""

    def rollback(self, id: str | None = None, wait: float = 0.0) -> str:
        """Publish the index ``id``, by default the one before the published one; return its id.

        Raises `LookupError` if there is no such index, `index.building.snapshots.Damaged` if it is
        incomplete, `index.building.snapshots.Busy` while another index is being built.
        """
