"""A list of the database collections of a folder of snapshots. Each is listed before it is made, so
that none is left behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

from index.building.snapshots import Damaged, Snapshots
from index.files.durable import replace_synced, write_synced
from index.store.milvus import MilvusConnection, collections
from index.store.protocol import StoreUnreachable

_NAME = ".collections"


class Collection(NamedTuple):
    """A collection in the database at an address."""

    address: str
    collection: str


class CollectionLedger:
    """The collections that builds into a folder of snapshots have made and that may still exist.

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
        """Return the collections that may exist, the oldest first. If the list cannot be read,
        return those of the snapshots.
        """
        return self._known()[0]

    def _known(self) -> tuple[list[Collection], str]:
        """Return what `all` returns, and an error message if the list is damaged, else ""."""
        path = self._snapshots.folder / _NAME
        try:
            listed = json.loads(path.read_text(encoding="utf-8"))
            return [Collection(str(address), str(name)) for address, name in listed], ""
        except FileNotFoundError:
            return [], ""
        except (OSError, ValueError, TypeError, RecursionError) as fault:
            return list(reversed(self._existing().values())), (
                f"{path}: cannot be read ({fault}); collections of indexes that are gone may stay "
                "in the database"
            )

    def reconcile(self, report: Callable[[str], None]) -> None:
        """Bring the databases in line with the snapshots: the alias moves to the collection of the
        published snapshot, in one step.

        Collections without a snapshot are dropped; those of snapshots that are neither published
        nor the previous one are released from memory. A database that does not answer is reported
        and left for the next time.
        """
        listed, fault = self._known()
        if fault:
            report(fault)
        elif not listed:
            return
        pointer, existing = self._snapshots.pointer(), self._existing()
        in_memory = (
            [existing.get(id) for id in (pointer.id, pointer.after or "")] if pointer else []
        )
        published = in_memory[0] if in_memory else None
        dropped: list[Collection] = []
        for address in dict.fromkeys(each.address for each in listed):
            with closing(MilvusConnection(address, self._token)) as connection:
                try:
                    if published and published.address == address:
                        connection.publish(published.collection)
                    for each in [c for c in listed if c.address == address]:
                        gone = each not in existing.values()
                        for name in collections(each.collection):
                            if gone:
                                connection.drop(name)
                            elif each not in in_memory:
                                connection.release(name)
                        dropped += [each] if gone else []
                except StoreUnreachable as unreachable:
                    report(f"{unreachable}; what no index needs there goes with the next build")
        self._write([each for each in listed if each not in dropped])

    def _existing(self) -> dict[str, Collection]:
        """Return the collections of the snapshots that have one, the newest first."""
        found: dict[str, Collection] = {}
        for id in self._snapshots.all():
            try:
                store = self._snapshots.manifest(id).get("store")
            except Damaged:
                continue
            if isinstance(store, dict):
                found[id] = Collection(str(store.get("address")), str(store.get("collection")))
        return found

    def _write(self, listed: list[Collection]) -> None:
        new = self._snapshots.folder / f"{_NAME}.new"
        write_synced(new, json.dumps(listed, indent=1))
        replace_synced(new, self._snapshots.folder / _NAME)
