"""A store whose vectors are in Milvus, which finds candidates by its own hybrid search."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from corpus.model import Edition
from index.files.arrays import load_mapped
from index.questions.prepared import SearchScope
from index.store.bm25 import EXHAUSTIVE_LIMIT, Bm25, FewGramScores, save_words
from index.store.protocol import CANDIDATES_PER_SIGNAL, MilvusAddress, StoreUnreachable
from index.store.vectors import PassageVectors

ALIAS = "regula"  # names the collection of the published index, for other programs
FOUND = 200  # candidates that the database ranks; a scope with no more is scored as a whole
SAID = 1_000  # phrasings of the candidates that are compared, the nearest

_QUERY_TIMEOUT = 5.0  # seconds that a question waits for the database
_BUILD_TIMEOUT = 600.0  # seconds that building waits for it
_RETRY_AFTER = 1.0  # seconds after a failure without another try, so that questions do not pile up
_NOT_LOADED = 101
_AT_ONCE = 1_000  # rows of an insertion: less than a tenth of what Milvus takes at once
_PHRASINGS = "_phrasings"  # what the name of the second collection ends in
_EF = 400  # candidates that a search of the neighbour graph keeps
_FLAT = {"index_type": "FLAT", "metric_type": "IP"}
_GRAPH = {"index_type": "HNSW", "metric_type": "IP", "params": {"M": 32, "efConstruction": 160}}
_SPARSE = {"index_type": "SPARSE_INVERTED_INDEX", "metric_type": "IP"}
_SCALAR = {"index_type": "INVERTED"}
_INNER_PRODUCT = {"metric_type": "IP"}


class MilvusConnection:
    """Calls to the database at ``address``, counted in ``calls``; every error is raised as
    `StoreUnreachable`, which describes it.

    A connection does not outlive a fork: each process that asks makes its own.
    """

    def __init__(self, address: str, token: str = ""):
        self.address, self.calls = address, 0
        self._parsed, self._token = MilvusAddress.read(address), token
        self._lock = Lock()
        self._client: Any = None
        self._process = 0
        self._unreachable_until, self._fault = 0.0, ""

    def search(self, collection: str, method: str, /, **named: Any) -> Any:
        """Call a ``method`` of pymilvus that reads ``collection``, which is loaded if needed.

        Raises `StoreUnreachable`; at once if the last call failed a moment ago.
        """
        if time.monotonic() < self._unreachable_until:
            raise StoreUnreachable(self._fault)
        self.calls += 1
        try:
            return self._call(method, _QUERY_TIMEOUT, collection_name=collection, **named)
        except _milvus().MilvusException as fault:
            if fault.code != _NOT_LOADED:  # a restarted database has nothing loaded
                raise self._unreachable(fault) from fault
        self.change("load_collection", collection)
        return self.ask(method, collection_name=collection, **named)

    def nearest(
        self,
        collection: str,
        vectors: NDArray[np.float32],
        which: str,
        limit: int,
        params: Mapping[str, Any] = _INNER_PRODUCT,
    ) -> Any:
        """Search the rows nearest to each of ``vectors`` that the filter ``which`` selects."""
        return self.search(
            collection,
            "search",
            data=list(vectors),
            anns_field="vector",
            filter=which,
            limit=limit,
            search_params=params,
            output_fields=["number"],
        )

    def create(
        self, collection: str, fields: Mapping[str, Any], indexes: Mapping[str, Any]
    ) -> None:
        """Make a collection with ``fields``, the first one being its key, and ``indexes`` on
        them.
        """
        milvus = _milvus()
        schema = milvus.MilvusClient.create_schema(auto_id=False, description="Regula")
        for name, kind in fields.items():
            given = {**kind, "datatype": milvus.DataType[kind["datatype"]]}
            schema.add_field(name, is_primary=name == next(iter(fields)), **given)
        wanted = milvus.MilvusClient.prepare_index_params()
        for name, kind in indexes.items():
            wanted.add_index(name, **kind)
        self.change("create_collection", collection, schema=schema, index_params=wanted)

    def fill(self, collection: str, rows: Iterator[dict[str, Any]], count: int) -> None:
        """Add ``count`` rows. Raises `StoreUnreachable` if not all are there afterwards."""
        while some := list(islice(rows, _AT_ONCE)):
            self.change("insert", collection, data=some)
        self.change("flush", collection)
        self.change("load_collection", collection)
        counting = {"output_fields": ["count(*)"], "consistency_level": "Strong"}
        there = int(self.change("query", collection, filter="", **counting)[0]["count(*)"])
        if there != count:
            raise StoreUnreachable(
                f"the store {self.address} has {there} of {count} rows in {collection}; it is not "
                "published"
            )

    def has(self, collection: str) -> bool:
        """Return whether ``collection`` exists."""
        return bool(self.ask("has_collection", collection_name=collection))

    def release(self, collection: str) -> None:
        """Unload a collection from the memory of the database, if it exists."""
        if self.has(collection):
            self.change("release_collection", collection)

    def drop(self, collection: str) -> None:
        """Remove a collection with its aliases, if it exists."""
        if self.has(collection):
            for alias in self.ask("list_aliases", collection_name=collection)["aliases"]:
                self.ask("drop_alias", alias=alias)
            self.change("drop_collection", collection)

    def published(self) -> str | None:
        """Return the collection with the alias, None if there is none."""
        try:
            return str(self._call("describe_alias", _QUERY_TIMEOUT, alias=ALIAS)["collection_name"])
        except _milvus().MilvusException:
            self.ask("list_collections")  # raises if not only the alias is missing
            return None

    def publish(self, collection: str) -> None:
        """Move the alias to ``collection`` in one step."""
        if (now := self.published()) != collection:
            method = "alter_alias" if now else "create_alias"
            self.ask(method, collection_name=collection, alias=ALIAS)

    def close(self) -> None:
        """Close the connection; another call opens a new one."""
        with self._lock:
            client, self._client = self._client, None
            if client is not None and self._process == os.getpid():
                client.close()

    def ask(self, method: str, limit: float = _QUERY_TIMEOUT, /, **named: Any) -> Any:
        """Call a ``method`` of pymilvus within ``limit`` seconds. Raises `StoreUnreachable`."""
        try:
            return self._call(method, limit, **named)
        except _milvus().MilvusException as fault:
            raise self._unreachable(fault) from fault

    def change(self, method: str, collection: str, /, **named: Any) -> Any:
        """Call a ``method`` of pymilvus that may take long. Raises `StoreUnreachable`."""
        return self.ask(method, _BUILD_TIMEOUT, collection_name=collection, **named)

    def _call(self, method: str, limit: float, /, **named: Any) -> Any:
        milvus = _milvus()
        import grpc

        try:
            with self._lock:
                if self._client is None or self._process != os.getpid():
                    access = {"token": self._token, "db_name": self._parsed.database}
                    self._client = milvus.MilvusClient(
                        self._parsed.uri, timeout=_QUERY_TIMEOUT, dedicated=True, **access
                    )
                    self._process = os.getpid()
                client = self._client
            return getattr(client, method)(timeout=limit, **named)
        except grpc.RpcError as fault:
            said = getattr(fault, "details", lambda: "")() or type(fault).__name__
            raise milvus.MilvusException(message=said) from fault

    def _unreachable(self, fault: Exception) -> StoreUnreachable:
        said = str(getattr(fault, "message", "") or fault).splitlines()[0]
        if self._parsed.is_file:
            said += "; one process at a time can open a local file, see docs/servers.md"
        self._unreachable_until = time.monotonic() + _RETRY_AFTER
        self._fault = f"the store {self.address} does not answer ({said})"
        return StoreUnreachable(self._fault)


def _milvus() -> Any:
    """Import the client library. Raises `StoreUnreachable` if it is not installed."""
    try:
        import pymilvus
    except ImportError as fault:
        raise StoreUnreachable("the store needs pymilvus: pip install 'regula[milvus]'") from fault
    for noisy in ("pymilvus", "milvus_lite"):  # they log every error with the code around it
        logging.getLogger(noisy).setLevel(logging.CRITICAL + 1)
    return pymilvus


class MilvusStore:
    """A `Store` whose passages are rows of one collection and their query variants of another.

    Vectors are compared by the database, words and characters here, in files mapped into memory. A
    question takes three searches: a hybrid one for the numbers of the candidates, one for their
    similarity, and one among their variants.
    """

    waits: ClassVar[bool] = True

    def __init__(
        self,
        remote: MilvusConnection,
        collection: str,
        editions: Sequence[Sequence[str]],
        words: Bm25,
        characters: FewGramScores,
        first: NDArray[np.int64],
    ):
        self.remote, self.collection = remote, collection
        self._editions = editions  # with their languages
        self._words, self._characters = words, characters
        self._first = first  # where the variants of each passage begin
        many = len(first) - 1 > EXHAUSTIVE_LIMIT
        self._near = {**_INNER_PRODUCT, "params": {"ef": _EF} if many else {}}

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """See `Store`; returns the `FOUND` best by reciprocal rank fusion of words and of each
        vector.
        """
        if len(scope.numbers) <= FOUND:
            return None
        from pymilvus import AnnSearchRequest, RRFRanker

        limits = {"limit": CANDIDATES_PER_SIGNAL, "expr": self._filter(scope)}
        requests = [AnnSearchRequest([each], "vector", self._near, **limits) for each in vectors]
        if known := dict.fromkeys(self._words.numbers(terms), 1.0):
            requests.append(AnnSearchRequest([known], "words", _INNER_PRODUCT, **limits))
        named = {"reqs": requests, "ranker": RRFRanker(), "output_fields": ["number"]}
        found = self.remote.search(self.collection, "hybrid_search", limit=FOUND, **named)
        return np.unique(np.array(found[0].ids, dtype=np.int64))

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> list[NDArray[np.float32]]:
        """See `Store`."""
        return [self._words.scores(terms, scope.numbers) for terms in queries]

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        return self._characters.scores(words, scope.numbers)

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        numbers = scope.numbers
        found = np.zeros((len(vectors), len(numbers)), dtype=np.float32)
        if not len(numbers):
            return found
        which = f"number in {numbers.tolist()}"
        hits = self.remote.nearest(self.collection, vectors, which, len(numbers), self._near)
        for row, near in zip(found, hits, strict=True):
            if len(near) != len(numbers):
                raise StoreUnreachable(
                    f"the store {self.remote.address} has only {len(near)} of {len(numbers)} "
                    f"passages of {self.collection}"
                )
            row[np.searchsorted(numbers, np.array(near.ids))] = near.distances
        return found

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See `Store`; variants beyond the `SAID` nearest count as missing."""
        found = np.zeros(len(numbers), dtype=np.float32)
        counts = self._first[numbers + 1] - self._first[numbers]
        if counts.any():
            which, most = f"passage in {numbers[counts > 0].tolist()}", min(int(counts.sum()), SAID)
            hits = self.remote.nearest(collections(self.collection)[1], vector[None], which, most)[
                0
            ]
            owners = np.searchsorted(self._first, np.array(hits.ids), side="right") - 1
            order = np.argsort(numbers)
            places = order[np.searchsorted(numbers, owners, sorter=order)]
            np.maximum.at(found, places, np.array(hits.distances, dtype=np.float32))
        return found

    def _filter(self, scope: SearchScope) -> str:
        if len(scope.editions) == len(self._editions):
            return ""
        if len(scope.editions) == sum(spoken in scope.languages for _, spoken in self._editions):
            return f"language in {json.dumps(scope.languages, ensure_ascii=False)}"
        return f"edition in {json.dumps(scope.editions, ensure_ascii=False)}"

    @classmethod
    def load(cls, folder: Path, address: str, collection: str, token: str = "") -> MilvusStore:
        """Open the store of the snapshot in ``folder``.

        Raises `ValueError` if the database lacks the collection, and what
        `index.store.store.open_store` raises.
        """
        remote = MilvusConnection(address, token)
        for name in collections(collection):
            if not remote.has(name):
                raise ValueError(f"the store {address} has no collection {name}")
            remote.change("load_collection", name)
        editions = json.loads((folder / "editions.json").read_text(encoding="utf-8"))
        words, characters = Bm25.load(folder / "words"), FewGramScores.load(folder / "characters")
        first = load_mapped(folder / "phrasings.npy")
        return cls(remote, collection, editions, words, characters, first)


def save_milvus_part(
    folder: Path,
    terms: Iterable[Sequence[str]],
    words: Iterable[Sequence[str]],
    editions: Sequence[Edition],
    bounds: Sequence[int],
    vectors: PassageVectors,
) -> Callable[[MilvusConnection, str], None]:
    """Write to ``folder`` what a `MilvusStore` reads there; return a function that fills the
    collections, given their name.

    ``terms`` and ``words`` are as for `save_words`; the passages of edition i are those from
    ``bounds[i]`` up to ``bounds[i + 1]``. The function returned raises `StoreUnreachable`.
    """
    save_words(folder, terms, words, limit=-1)
    spoken = json.dumps([(edition.id, edition.language) for edition in editions])
    (folder / "editions.json").write_text(spoken, encoding="utf-8")
    np.save(folder / "phrasings.npy", vectors.first)
    owners = np.repeat(np.arange(len(editions)), np.diff(bounds)).tolist()

    def passages() -> Iterator[dict[str, Any]]:
        weights = Bm25.load(folder / "words").by_text()
        nowhere = {weights.shape[1]: 1.0}  # none may be empty, and no question has this term
        for number, owner in enumerate(owners):
            row = slice(weights.indptr[number], weights.indptr[number + 1])
            said = zip(weights.indices[row].tolist(), weights.data[row].tolist(), strict=True)
            yield {
                "number": number,
                "edition": editions[owner].id,
                "language": editions[owner].language,
                "vector": vectors.matrix[number],
                "words": dict(said) or nowhere,
            }

    def phrasings() -> Iterator[dict[str, Any]]:
        passage = np.repeat(np.arange(len(vectors.first) - 1), np.diff(vectors.first)).tolist()
        for start in range(0, len(passage), _AT_ONCE):
            here = range(start, min(start + _AT_ONCE, len(passage)))
            for number, vector in zip(here, vectors.phrasing_rows(np.array(here)), strict=True):
                yield {"number": number, "passage": passage[number], "vector": vector}

    number, text = {"datatype": "INT64"}, {"datatype": "VARCHAR", "max_length": 512}
    vector = {"datatype": "FLOAT_VECTOR", "dim": vectors.matrix.shape[1]}
    words_field = {"datatype": "SPARSE_FLOAT_VECTOR"}
    of_passages = {"number": number, "edition": text, "language": text, "vector": vector}
    of_phrasings = {"number": number, "passage": number, "vector": vector}
    near = _GRAPH if len(owners) > EXHAUSTIVE_LIMIT else _FLAT
    indexes = {"vector": near, "words": _SPARSE, "edition": _SCALAR, "language": _SCALAR}

    def fill(remote: MilvusConnection, collection: str) -> None:
        for_passages, for_phrasings = collections(collection)
        remote.create(for_passages, {**of_passages, "words": words_field}, indexes)
        remote.fill(for_passages, passages(), len(owners))
        # Variants are never searched as a whole: the filter leaves some thousand.
        remote.create(for_phrasings, of_phrasings, {"vector": _FLAT, "passage": _SCALAR})
        remote.fill(for_phrasings, phrasings(), int(vectors.first[-1]))

    return fill


def collections(collection: str) -> tuple[str, str]:
    """Return the names of the collections of passages and of their query variants."""
    return collection, collection + _PHRASINGS
