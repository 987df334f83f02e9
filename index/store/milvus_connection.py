"""A connection to a Milvus database: one client for each process, time limits, one exception for
everything that goes wrong.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from index.store.milvus_address import MilvusAddress
from index.store.protocol import StoreUnreachable

ALIAS = "regula"  # names the collection of the published index, for other programs

_QUERY_TIMEOUT = 5.0  # seconds that a question waits for the database
_BUILD_TIMEOUT = 600.0  # seconds that building waits for it
_RETRY_AFTER = 1.0  # seconds without another try where it could not be reached: questions that wait for it must not pile up
_NOT_LOADED = 101


class MilvusConnection:
    """Calls to the database at ``address``, counted in ``calls``; every fault becomes
    `StoreUnreachable`, which names it.

    A connection does not outlive a fork: each process that asks makes its own.
    """

    def __init__(self, address: str, token: str = ""):
        self.address = address
        self.calls = 0
        self._parsed, self._token = MilvusAddress.read(address), token
        self._lock = Lock()
        self._client: Any = None
        self._process = 0
        self._unreachable_until, self._fault = 0.0, ""

    def search(self, collection: str, method: str, /, **named: Any) -> Any:
        """What a ``method`` of pymilvus that reads answers about a loaded ``collection``; loads it
        first where that must be.

        Raises `StoreUnreachable`, at once where the last call found nobody a moment ago.
        """
        if time.monotonic() < self._unreachable_until:
            raise StoreUnreachable(self._fault)
        milvus = _milvus()
        self.calls += 1
        try:
            return self._call(method, _QUERY_TIMEOUT, collection_name=collection, **named)
        except milvus.MilvusException as fault:
            if fault.code != _NOT_LOADED:  # what a restarted database may have forgotten
                raise self._unreachable(fault) from fault
            self.load(collection)
        return self._checked(method, _QUERY_TIMEOUT, collection_name=collection, **named)

    def create(
        self,
        collection: str,
        fields: Mapping[str, Mapping[str, Any]],
        indexes: Mapping[str, Mapping[str, Any]],
        note: str,
    ) -> None:
        """Make a collection with ``fields``, the first one its key, and ``indexes`` of them, both
        as pymilvus calls what describes them.
        """
        milvus = _milvus()
        schema = milvus.MilvusClient.create_schema(
            auto_id=False, enable_dynamic_field=False, description=note
        )
        for name, kind in fields.items():
            given = {**kind, "datatype": milvus.DataType[kind["datatype"]]}
            schema.add_field(name, is_primary=name == next(iter(fields)), **given)
        wanted = milvus.MilvusClient.prepare_index_params()
        for name, kind in indexes.items():
            wanted.add_index(name, **kind)
        self._checked(
            "create_collection",
            _BUILD_TIMEOUT,
            collection_name=collection,
            schema=schema,
            index_params=wanted,
        )

    def insert(self, collection: str, rows: list[dict[str, Any]]) -> None:
        """Add ``rows``, each field by name."""
        self._checked("insert", _BUILD_TIMEOUT, collection_name=collection, data=rows)

    def finish(self, collection: str) -> int:
        """Make what was inserted lasting and searchable; the number of rows that are there."""
        self._checked("flush", _BUILD_TIMEOUT, collection_name=collection)
        self.load(collection)
        named = {"filter": "", "output_fields": ["count(*)"], "consistency_level": "Strong"}
        return int(
            self._checked("query", _BUILD_TIMEOUT, collection_name=collection, **named)[0][
                "count(*)"
            ]
        )

    def load(self, collection: str) -> None:
        """Have a collection in the memory of the database, where it can be searched."""
        self._checked("load_collection", _BUILD_TIMEOUT, collection_name=collection)

    def release(self, collection: str) -> None:
        """Take a collection out of the memory of the database."""
        self._checked("release_collection", _BUILD_TIMEOUT, collection_name=collection)

    def has(self, collection: str) -> bool:
        """Whether there is such a collection."""
        return bool(self._checked("has_collection", _QUERY_TIMEOUT, collection_name=collection))

    def drop(self, collection: str) -> None:
        """Remove a collection where it is there, and whatever alias it has."""
        if self.has(collection):
            for alias in self._checked("list_aliases", _QUERY_TIMEOUT, collection_name=collection)[
                "aliases"
            ]:
                self._checked("drop_alias", _QUERY_TIMEOUT, alias=alias)
            self._checked("drop_collection", _BUILD_TIMEOUT, collection_name=collection)

    def published(self) -> str | None:
        """The collection that has the alias, None where none has it."""
        try:
            return str(self._call("describe_alias", _QUERY_TIMEOUT, alias=ALIAS)["collection_name"])
        except _milvus().MilvusException:
            self._checked(
                "list_collections", _QUERY_TIMEOUT
            )  # raises where it is not the alias that is missing
            return None

    def publish(self, collection: str) -> None:
        """Give ``collection`` the alias in one step, whichever has it now."""
        now = self.published()
        if now != collection:
            self._checked(
                "alter_alias" if now else "create_alias",
                _QUERY_TIMEOUT,
                collection_name=collection,
                alias=ALIAS,
            )

    def close(self) -> None:
        """End the connection; another call makes a new one. A local file stays open to this process
        alone.
        """
        with self._lock:
            client, self._client = self._client, None
            if client is not None and self._process == os.getpid():
                client.close()

    def _checked(self, method: str, limit: float, /, **named: Any) -> Any:
        try:
            return self._call(method, limit, **named)
        except _milvus().MilvusException as fault:
            raise self._unreachable(fault) from fault

    def _call(self, method: str, limit: float, /, **named: Any) -> Any:
        """What a method of pymilvus answers within ``limit`` seconds. Raises `MilvusException`,
        also for what gRPC raises.
        """
        milvus = _milvus()
        import grpc

        try:
            return getattr(self._connected(milvus), method)(timeout=limit, **named)
        except grpc.RpcError as fault:
            raise milvus.MilvusException(
                message=getattr(fault, "details", lambda: "")() or type(fault).__name__
            ) from fault

    def _connected(self, milvus: Any) -> Any:
        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client = milvus.MilvusClient(
                    self._parsed.uri,
                    token=self._token,
                    db_name=self._parsed.database,
                    timeout=_QUERY_TIMEOUT,
                    dedicated=True,
                )
                self._process = os.getpid()
            return self._client

    def _unreachable(self, fault: Exception) -> StoreUnreachable:
        said = str(getattr(fault, "message", "") or fault).splitlines()[0]
        if self._parsed.is_file:
            said += "; one process at a time can open a local file, see docs/servers.md"
        self._unreachable_until, self._fault = (
            time.monotonic() + _RETRY_AFTER,
            f"the store {self.address} does not answer ({said})",
        )
        return StoreUnreachable(self._fault)


def string_list(given: Iterable[str]) -> str:
    """Texts as a filter of Milvus lists them."""
    return (
        "["
        + ", ".join('"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in given)
        + "]"
    )


def _milvus() -> Any:
    """The client library, which only a setting brings in. Raises `StoreUnreachable` where it is not
    installed.
    """
    try:
        import pymilvus
    except ImportError as fault:
        raise StoreUnreachable("the store needs pymilvus: pip install 'regula[milvus]'") from fault
    for noisy in (
        "pymilvus",
        "milvus_lite",
    ):  # they log every fault with the code around it; it is told by whoever asked
        logging.getLogger(noisy).setLevel(logging.CRITICAL + 1)
    return pymilvus
