"""A list of the database collections of a folder of snapshots, written before each is made, so that
none is left behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

from index.building.snapshots import Damaged, Snapshots
from index.files.durable import replace_synced, write_synced
from index.store.milvus_connection import MilvusConnection
from index.store.milvus_store import collections
from index.store.protocol import StoreUnreachable

_NAME = ".collections"


class Collection(NamedTuple):
    """A collection in the database at an address."""

    address: str
    collection: str


class CollectionLedger:
    """The collections that builds into a folder of snapshots have made and that may still be there.

    Use it only while the folder is `Snapshots.locked`. Collections that other folders made in the
    same database are never touched.
    """

    def __init__(self, snapshots: Snapshots, token: str = ""):
        self._snapshots, self._token = snapshots, token

    def register(self, address: str, id: str) -> Collection:
        """List a new collection for the snapshot ``id`` in the database at ``address``; the list is
        on the disk when this returns.
        """
        made = Collection(address, f"regula_{id.replace('-', '_')}")
        self._write([*self.all(), made])
        return made

    def all(self) -> list[Collection]:
        """The collections that may exist, the oldest first; those of the snapshots where the list
        cannot be read.
        """
        return self._known()[0]

    def _known(self) -> tuple[list[Collection], str]:
        """The same, and what is wrong with the list, empty where nothing is."""
        path = self._snapshots.folder / _NAME
        try:
            return [
                Collection(str(address), str(name))
                for address, name in json.loads(path.read_text(encoding="utf-8"))
            ], ""
        except FileNotFoundError:
            return [], ""
        except (OSError, ValueError, TypeError, RecursionError) as fault:
            of_snapshots = [
                found for id in reversed(self._snapshots.all()) if (found := self._of(id))
            ]
            return (
                of_snapshots,
                f"{path}: cannot be read ({fault}); collections of indexes that are gone may stay in the database",
            )

    def reconcile(self, report: Callable[[str], None]) -> None:
        """Bring the databases in line with the snapshots: the alias goes to the collection of the
        published one, in one step.

        Collections without a snapshot are dropped; those of snapshots that are neither published
        nor the previous one are released from memory. A database that does not answer is reported
        and left for the next time.
        """
        listed, fault = self._known()
        if fault:
            report(fault)
        elif not listed:
            return
        pointer = self._snapshots.pointer()
        existing = {id: found for id in self._snapshots.all() if (found := self._of(id))}
        in_memory = [
            existing[id]
            for id in ((pointer.id, pointer.after) if pointer else ())
            if id in existing
        ]
        published = existing.get(pointer.id) if pointer else None
        dropped: list[Collection] = []
        for address in dict.fromkeys(each.address for each in listed):
            with closing(MilvusConnection(address, self._token)) as connection:
                try:
                    if published and published.address == address:
                        connection.publish(published.collection)
                    for each in [c for c in listed if c.address == address]:
                        self._tidy(
                            connection,
                            each,
                            existing=each in existing.values(),
                            in_memory=each in in_memory,
                        )
                        if each not in existing.values():
                            dropped.append(each)
                except StoreUnreachable as unreachable:
                    report(f"{unreachable}; what no index needs there goes with the next build")
        self._write([each for each in listed if each not in dropped])

    @staticmethod
    def _tidy(
        connection: MilvusConnection, listed: Collection, existing: bool, in_memory: bool
    ) -> None:
        """Drop a collection that no snapshot has, and release from memory one that need not be
        there.
        """
        for name in collections(listed.collection):
            if not existing:
                connection.drop(name)
            elif not in_memory and connection.has(name):
                connection.release(name)

    def _of(self, id: str) -> Collection | None:
        """The collection of a snapshot, None where it has none."""
        try:
            store = self._snapshots.manifest(id).get("store")
        except Damaged:
            return None
        return (
            Collection(str(store.get("address")), str(store.get("collection")))
            if isinstance(store, dict)
            else None
        )

    def _write(self, listed: list[Collection]) -> None:
        new = self._snapshots.folder / f"{_NAME}.new"
        write_synced(new, json.dumps(listed, indent=1))
        replace_synced(new, self._snapshots.folder / _NAME)
