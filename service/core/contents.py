"""The contents of a snapshot: what comparing, listing and checking need, without what only
searching needs.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path

from corpus.model import Rulebook
from glossary.word_tables import WordTables
from index.building.snapshots import Snapshots
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.layers.ruling_store import RULINGS, RulingStore
from index.library import library as libraries
from index.library.library import Library
from service.core.cache import SnapshotCache

_NAMES = ("library.json", "library/", f"{CARDS}/", f"{RULINGS}/")  # of the files of a snapshot


class SnapshotContents:
    """The library of the snapshot called ``id``, and the cache of what is computed from it.

    ``folder`` is where the snapshot is on the disk; None where it is in memory alone.
    """

    def __init__(self, id: str, library: Library, folder: Path | None = None):
        self.id = id
        self.library = library
        self.folder = folder
        self.cache = SnapshotCache()

    @property
    def location(self) -> SnapshotLocation:
        """Where a job finds this snapshot: its folder, or the contents themselves where there is
        none.
        """
        return self.folder or self

    @cached_property
    def cards(self) -> CardStore:
        """The cards, to be read; they can be found in questions only where the whole index is
        loaded.
        """
        return (
            CardStore.load(self.folder / CARDS, WordTables({}))
            if self.folder
            else CardStore.empty()
        )

    @cached_property
    def rulings(self) -> RulingStore:
        """The rulings outside the rulebooks."""
        return RulingStore.load(self.folder / RULINGS) if self.folder else RulingStore()

    def rulebooks(self) -> list[Rulebook]:
        """Read the rulebooks again from the copies of the documents in the snapshot.

        Raises `LookupError` where the snapshot has no folder, `Damaged` where the documents are
        gone or altered.
        """
        from index.building.version_lookup import documents_of_snapshot, read_document

        if self.folder is None:
            raise LookupError(f"index {self.id} is on no disk, and has no documents")
        found = documents_of_snapshot(Snapshots(self.folder.parent), self.folder.name)
        return [book for document in found if (book := read_document(document))]


SnapshotLocation = Path | SnapshotContents


@lru_cache(maxsize=2)
def open_contents(folder: Path) -> SnapshotContents:
    """Open the contents of the snapshot in ``folder``, verified. Raises `Damaged`, or what
    `index.library.library.load` raises.
    """
    verify(folder)
    return SnapshotContents(folder.name, libraries.load_library(folder), folder)


def verify(folder: Path) -> None:
    """Raise `Damaged` where a file that `open_contents` reads or maps in ``folder`` is not the one
    that was built.
    """
    snapshots = Snapshots(folder.parent)
    names = [name for name in snapshots.files(folder.name) if name.startswith(_NAMES)]
    snapshots.verify(folder.name, names=names)
