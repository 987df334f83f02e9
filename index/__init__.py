"""Build a search index of rulebooks, and answer questions from it.

    from pathlib import Path

    from index import build_index, open_index
    from index.model import Query

    build_index(Path("corpus/sample/rulebooks"), Path("my-index"))
    index = open_index(Path("my-index"))
    result = index.search(Query("Wann steigt der Pegel?", k=3))
    for hit in result.hits:
        print(hit.passage.entry, hit.passage.display)

`index.search` describes the steps from a question to its answer, `index.building.build` those from
rulebooks to an index.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from index.building.build import BuildOptions, BuildResult
    from index.search import Index

__all__ = ["build_index", "open_index"]


def build_index(rulebooks: Path, folder: Path, options: BuildOptions | None = None) -> BuildResult:
    """Read the documents in the folder ``rulebooks`` and publish an index of them in ``folder``,
    which is created if it is missing.

    ``folder`` keeps the last indexes; `open_index` opens the newest. Raises what
    `index.building.build.build` raises, above all `NothingToRead` where no document can be read as
    a rulebook.
    """
    from index.building.build import (
        BuildOptions,
        build,
    )  # not needed for opening, and slow to import
    from index.building.snapshots import Snapshots

    return build(rulebooks, Snapshots(folder), options or BuildOptions())


def open_index(folder: Path, token: str = "") -> Index:
    """Open the published index in ``folder``: verified against the hashes in its manifest, and
    mapped into memory.

    ``token`` authenticates where its passages are in a database. Raises `FileNotFoundError` where
    ``folder`` has no index, `index.building.snapshots.Damaged` where it is damaged, and
    `index.store.protocol.StoreUnreachable` where the database does not answer.
    """
    from index.building.opening import open_snapshot
    from index.building.snapshots import Snapshots

    snapshots = Snapshots(folder)
    id = snapshots.current()
    if id is None:
        raise FileNotFoundError(f"{folder}: no index in it")
    return open_snapshot(snapshots, id, token).index
