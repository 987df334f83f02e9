"""A folder of indexes whose rulebooks replace each other, without search: to test data that
outlives an index.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from corpus.document import Document
from corpus.editions import identify
from corpus.model import Rulebook
from corpus.read import read
from corpus.rulings.model import Ruling
from index.building.former_stage import former_kept
from index.building.snapshots import MANIFEST, Snapshots, file_digest
from index.layers.ruling_store import RULINGS, RulingStore
from index.library.library import assemble_library, load_library, save_library
from index.model import Query, SearchResult
from tests.service.harbour import Harbour

_numbers = count()


def rulebook(file: str, text: str) -> Rulebook:
    """Return ``text`` as a rulebook."""
    document = Document.from_bytes(file, text.encode())
    return read(document, identify(document))


class ServedShelf(Harbour):
    """An index of a shelf that finds nothing, so every question is open."""

    def search(self, query: Query) -> SearchResult:
        return SearchResult(query, "de", (), 0.1, False, None)


class Shelf:
    """The indexes in ``folder``; ``said`` are the lines reported while publishing."""

    def __init__(self, folder: Path) -> None:
        self.snapshots = Snapshots(folder)
        self.said: list[str] = []

    def publish(self, books: Sequence[Rulebook], rulings: Sequence[Ruling] = ()) -> Harbour:
        """Publish an index of ``books`` and ``rulings`` as a build does, and serve it."""
        replaced = self.snapshots.current()
        with self.snapshots.building() as place:
            save_library(assemble_library(books), place, [book.document for book in books])
            RulingStore.build({ruling.game: rulings for ruling in rulings}).save(place / RULINGS)
            files = {
                str(p.relative_to(place)): file_digest(p)
                for p in sorted(place.rglob("*"))
                if p.is_file()
            }
            id = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{next(_numbers):08x}"
            (place / MANIFEST).write_text(json.dumps({"id": id, "files": files}), encoding="utf-8")
            with former_kept(self.snapshots, replaced, place, self.said.append):
                self.snapshots.publish(place, id)
        return self.serve(id)

    def serve(self, id: str) -> Harbour:
        """Return the index with this ``id``."""
        folder = self.snapshots.path(id)
        served = ServedShelf(
            load_library(folder), id=id, rulings=RulingStore.load(folder / RULINGS)
        )
        served.folder = folder  # type: ignore[assignment]
        return served
