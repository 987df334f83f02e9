"""Which collections the snapshots of a folder have in databases, written down before each is made, so that none is left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
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

    To be used while the folder is `Snapshots.held`. Collections that other folders made in the same database are never touched.
    """

    def __init__(self, snapshots: Snapshots, token: str = ""):
        self._snapshots, self._token = snapshots, token

    def register(self, address: str, id: str) -> Collection:
        """A new collection for the snapshot ``id`` in the database at ``address``; it is on the disk when this returns."""
        made = Collection(address, f"regula_{id.replace('-', '_')}")
        self._write([*self.all(), made])
        return made

    def all(self) -> list[Collection]:
        """The collections that may be there, the oldest first; where that cannot be read, those of the snapshots."""
        return self._known()[0]

    def _known(self) -> tuple[list[Collection], str]:
        """The same, and what is wrong with the file, empty where nothing is."""
        path = self._snapshots.folder / _NAME
        try:
            return [Collection(str(address), str(name)) for address, name in json.loads(path.read_text(encoding="utf-8"))], ""
        except FileNotFoundError:
            return [], ""
        except (OSError, ValueError, TypeError, RecursionError) as fault:
            of_snapshots = [kept for id in reversed(self._snapshots.all()) if (kept := self._of(id))]
            return of_snapshots, f"{path}: cannot be read ({fault}); collections of indexes that are gone may stay in the database"

    def reconcile(self, say: Callable[[str], None]) -> None:
        """Bring the databases in line with the snapshots: the alias is given to the collection of the published one, in one step.

        Collections of no snapshot are dropped, those of snapshots that are neither published nor the one before released from
        memory. A database that does not answer is told of and left for the next time.
        """
        known, fault = self._known()
        if fault:
            say(fault)
        elif not known:
            return
        pointer = self._snapshots.pointer()
        here = {id: kept for id in self._snapshots.all() if (kept := self._of(id))}
        wanted = [here[id] for id in ((pointer.id, pointer.after) if pointer else ()) if id in here]
        published = here.get(pointer.id) if pointer else None
        gone = []
        for address in dict.fromkeys(kept.address for kept in known):
            remote = MilvusConnection(address, self._token)
            try:
                if published and published.address == address:
                    remote.publish(published.collection)
                for kept in [k for k in known if k.address == address]:
                    for name in collections(kept.collection):
                        if kept not in here.values():
                            remote.drop(name)
                        elif kept not in wanted and remote.has(name):
                            remote.release(name)
                    if kept not in here.values():
                        gone.append(kept)
            except StoreUnreachable as fault:
                say(f"{fault}; what no index needs there goes with the next build")
            finally:
                remote.close()
        self._write([kept for kept in known if kept not in gone])

    def _of(self, id: str) -> Collection | None:
        """The collection of a snapshot, None where it has none."""
        try:
            store = self._snapshots.manifest(id).get("store")
        except Damaged:
            return None
        return Collection(str(store.get("address")), str(store.get("collection"))) if isinstance(store, dict) else None

    def _write(self, kept: list[Collection]) -> None:
        new = self._snapshots.folder / f"{_NAME}.new"
        write_synced(new, json.dumps(kept, indent=1))
        replace_synced(new, self._snapshots.folder / _NAME)
