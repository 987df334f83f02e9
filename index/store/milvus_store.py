"""A store on another machine: passages in a collection of Milvus, which finds candidates by its own
hybrid search.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import local
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from corpus.model import Edition
from index.files.quantized import load_mapped
from index.questions.prepared import SearchScope
from index.store.char_forward_index import CharForwardIndex
from index.store.forward_index import ForwardIndex
from index.store.milvus_connection import MilvusConnection, string_list
from index.store.protocol import CANDIDATES_PER_SIGNAL, EXHAUSTIVE_LIMIT, StoreUnreachable
from index.store.vectors import PassageVectors

FOUND = 200  # candidates that the database ranks; of a scope with no more, all are looked at
SAID = 1_000  # phrasings of the candidates that are given, the nearest; those of fifty passages are some 1,350

_AT_ONCE = 1_000  # rows of an insertion: less than a tenth of what Milvus takes at once
_PHRASINGS = "_phrasings"  # what the name of the second collection ends in
_EF = 400  # vectors that the graph of neighbours keeps in view
_SPARSE = {"index_type": "SPARSE_INVERTED_INDEX", "metric_type": "IP"}
_SCALAR = {"index_type": "INVERTED"}


@dataclass(frozen=True)
class FetchedPassages:
    """Some passages fetched from the database: their ``numbers``, ascending, their vectors, and
    indexes of their words.
    """

    numbers: NDArray[np.int64]
    vectors: NDArray[np.float32]
    words: ForwardIndex
    characters: CharForwardIndex


class MilvusStore:
    """A `Store` whose passages are rows of one collection and their phrasings rows of another.

    A question takes three round trips: a hybrid search for the numbers of the candidates; a query
    for their rows, from which words, characters and vectors are scored here as in
    `index.store.file_store.CandidateStore`; and a search among their phrasings. Character n-grams
    find no candidates: a question has hundreds of them, each in every tenth passage. A row has the
    words that they are made of, which takes a tenth of the space (see
    `index.store.char_forward_index`).

    In memory here are, for each passage, only the number of its phrasings and its length, 12 bytes.
    """

    waits: ClassVar[bool] = True

    def __init__(
        self,
        remote: MilvusConnection,
        collection: str,
        editions: Sequence[tuple[str, str]],
        words: ForwardIndex,
        characters: CharForwardIndex,
        first: NDArray[np.int64],
    ):
        self.remote, self.collection = remote, collection
        self._editions = editions  # with their languages
        self._words, self._characters, self._first = words, characters, first
        self._last = local()

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """See `Store`; the `FOUND` best by reciprocal ranks (Cormack, Clarke and Büttcher 2009) of
        words and of each vector.
        """
        if len(scope.numbers) <= FOUND:
            return None
        from pymilvus import AnnSearchRequest, RRFRanker

        expression = self._filter(scope)
        near = {"metric_type": "IP", "params": {"ef": _EF} if self._graph else {}}
        searches = [("vector", vector, near) for vector in vectors]
        if known := dict.fromkeys(self._words.numbers(terms), 1.0):
            searches.append(("words", known, {"metric_type": "IP"}))
        requests = [
            AnnSearchRequest(
                data=[data],
                anns_field=field,
                param=param,
                limit=CANDIDATES_PER_SIGNAL,
                expr=expression,
            )
            for field, data, param in searches
        ]
        found = self.remote.search(
            self.collection,
            "hybrid_search",
            reqs=requests,
            ranker=RRFRanker(),
            limit=FOUND,
            output_fields=["number"],
        )[0]
        return np.unique(np.array(found.ids, dtype=np.int64))

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> list[NDArray[np.float32]]:
        """See `Store`."""
        rows, here = self._rows(scope.numbers)
        return list(rows.words.scores(queries, here))

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        rows, here = self._rows(scope.numbers)
        return rows.characters.scores(words, here)

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """See `Store`."""
        rows, here = self._rows(scope.numbers)
        return (
            np.asarray(vectors @ rows.vectors[here].T, dtype=np.float32)
            if len(here)
            else np.zeros((len(vectors), 0), dtype=np.float32)
        )

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See `Store`; a passage with none of the `SAID` nearest phrasings counts as one without
        any.
        """
        found = np.zeros(len(numbers), dtype=np.float32)
        counts = self._first[numbers + 1] - self._first[numbers]
        if counts.any():
            hits = self.remote.search(
                self.collection + _PHRASINGS,
                "search",
                data=[vector],
                anns_field="vector",
                filter=f"passage in {numbers[counts > 0].tolist()}",
                limit=min(int(counts.sum()), SAID),
                search_params={"metric_type": "IP"},
                output_fields=["number"],
            )[0]
            owners = (
                np.searchsorted(self._first, np.array(hits.ids, dtype=np.int64), side="right") - 1
            )
            order = np.argsort(numbers)
            np.maximum.at(
                found,
                order[np.searchsorted(numbers, owners, sorter=order)],
                np.array(hits.distances, dtype=np.float32),
            )
        return found

    @property
    def _graph(self) -> bool:
        return len(self._first) - 1 > EXHAUSTIVE_LIMIT

    def _filter(self, scope: SearchScope) -> str:
        """``scope`` as a filter expression of Milvus, in its shortest form."""
        if len(scope.editions) == len(self._editions):
            return ""
        languages = set(scope.languages)
        if len(scope.editions) == sum(language in languages for _, language in self._editions):
            return f"language in {string_list(scope.languages)}"
        return f"edition in {string_list(scope.editions)}"

    def _rows(self, numbers: NDArray[np.int64]) -> tuple[FetchedPassages, NDArray[np.int64]]:
        """Rows that include the passages ``numbers``, and the positions of these: those this thread
        fetched last, else fetched now.
        """
        last: FetchedPassages | None = getattr(self._last, "rows", None)
        if last is not None:
            here = np.minimum(np.searchsorted(last.numbers, numbers), max(len(last.numbers) - 1, 0))
            if len(last.numbers) and np.array_equal(last.numbers[here], numbers):
                return last, here
        self._last.rows = last = self._fetched(numbers)
        return last, np.arange(len(numbers))

    def _fetched(self, numbers: NDArray[np.int64]) -> FetchedPassages:
        if not len(numbers):
            return FetchedPassages(
                numbers, np.empty((0, 0), dtype=np.float32), self._words, self._characters
            )
        found = self.remote.search(
            self.collection,
            "query",
            filter=f"number in {numbers.tolist()}",
            output_fields=["number", "row"],
        )
        if len(found) != len(numbers):
            raise StoreUnreachable(
                f"the store {self.remote.address} has only {len(found)} of {len(numbers)} passages of {self.collection}"
            )
        parts = [unpack(row["row"]) for row in sorted(found, key=lambda row: row["number"])]
        terms, weights, spelt, often, vectors = (
            np.concatenate(part) for part in zip(*parts, strict=True)
        )
        words = self._words.with_texts(_begins([len(p[0]) for p in parts]), terms, weights)
        characters = self._characters.with_texts(
            numbers, _begins([len(p[2]) for p in parts]), spelt, often
        )
        return FetchedPassages(numbers, vectors.reshape(len(parts), -1) * _STEP, words, characters)

    @classmethod
    def load(cls, folder: Path, address: str, collection: str, token: str = "") -> MilvusStore:
        """The store of the snapshot in ``folder``.

        Raises `StoreUnreachable`, `ValueError` where the database does not have the collection,
        else as `open_store` does.
        """
        remote = MilvusConnection(address, token)
        for name in (collection, collection + _PHRASINGS):
            if not remote.has(name):
                raise ValueError(f"the store {address} has no collection {name}")
            remote.load(name)
        editions = [
            tuple(line.split("\t"))
            for line in (folder / "editions.tsv").read_text(encoding="utf-8").splitlines()
        ]
        words, characters = (
            ForwardIndex.load(folder / "words"),
            CharForwardIndex.load(folder / "characters"),
        )
        return cls(
            remote,
            collection,
            editions,  # type: ignore[arg-type]
            words,
            characters,
            load_mapped(folder / "phrasings.npy"),
        )


def save_milvus_part(
    folder: Path,
    terms: Iterable[Sequence[str]],
    words: Iterable[Sequence[str]],
    editions: Sequence[Edition],
    bounds: Sequence[int],
    vectors: PassageVectors,
) -> Callable[[MilvusConnection, str], None]:
    """Write to ``folder`` what a `MilvusStore` reads there; returns a function that fills the
    collections, given their name.

    ``terms``, ``words`` and ``bounds`` are as for `index.store.file_store.save_words`. The function
    returned raises `StoreUnreachable`, also where the database does not have all passages
    afterwards.
    """
    forward, spelling = ForwardIndex.build(terms), CharForwardIndex.build(words)
    none = np.zeros(1, dtype=np.int64)
    forward.with_texts(none, forward.terms[:0], forward.weights[:0]).save(folder / "words")
    spelling.without_texts().save(folder / "characters")
    lines = [f"{edition.id}\t{edition.language}" for edition in editions]
    (folder / "editions.tsv").write_text("\n".join(lines), encoding="utf-8")
    np.save(folder / "phrasings.npy", vectors.first)
    owners = np.repeat(np.arange(len(editions)), np.diff(bounds)).tolist()

    def passages() -> Iterator[dict[str, Any]]:
        for number, owner in enumerate(owners):
            found, worth = forward.row(number)
            sparse = dict(zip(found.tolist(), (worth * forward.step).tolist(), strict=True))
            yield {
                "number": number,
                "edition": editions[owner].id,
                "language": editions[owner].language,
                "vector": vectors.matrix[number],
                "words": sparse
                or {
                    len(forward.known): 1.0
                },  # none may be empty, and no question has a term of this number
                "row": pack(
                    found, worth, *spelling.row(number), np.rint(vectors.matrix[number] / _STEP)
                ),
            }

    def phrasings() -> Iterator[dict[str, Any]]:
        passage = np.repeat(np.arange(len(vectors.first) - 1), np.diff(vectors.first)).tolist()
        for start in range(0, len(passage), _AT_ONCE):
            here = range(start, min(start + _AT_ONCE, len(passage)))
            for number, vector in zip(here, vectors.phrasing_rows(np.array(here)), strict=True):
                yield {"number": number, "passage": passage[number], "vector": vector}

    def fill(remote: MilvusConnection, collection: str) -> None:
        dimensions = vectors.matrix.shape[1]
        for name, shape, rows, count in (
            (
                collection,
                _passages(dimensions, len(owners) > EXHAUSTIVE_LIMIT),
                passages(),
                len(owners),
            ),
            (collection + _PHRASINGS, _said(dimensions), phrasings(), int(vectors.first[-1])),
        ):
            remote.create(name, *shape, note="Regula")
            while some := list(islice(rows, _AT_ONCE)):
                remote.insert(name, some)
            if (there := remote.finish(name)) != count:
                raise StoreUnreachable(
                    f"the store {remote.address} has {there} of {count} rows in {name}; it is not published"
                )

    return fill


def collections(collection: str) -> tuple[str, str]:
    """All collections that belong to the one called ``collection``, and this itself."""
    return collection, collection + _PHRASINGS


def _passages(dimensions: int, graph: bool) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Fields and indexes of the passages."""
    dense = (
        {"index_type": "HNSW", "params": {"M": 32, "efConstruction": 160}}
        if graph
        else {"index_type": "FLAT"}
    )
    return {
        "number": {"datatype": "INT64"},
        "edition": {"datatype": "VARCHAR", "max_length": 512},
        "language": {"datatype": "VARCHAR", "max_length": 16},
        "vector": {"datatype": "FLOAT_VECTOR", "dim": dimensions},
        "words": {"datatype": "SPARSE_FLOAT_VECTOR"},
        "row": {"datatype": "VARCHAR", "max_length": 65_535},
    }, {
        "vector": {**dense, "metric_type": "IP"},
        "words": _SPARSE,
        "edition": _SCALAR,
        "language": _SCALAR,
    }


def _said(dimensions: int) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Fields and indexes of the phrasings, which are never searched as a whole: the filter leaves
    some thousand of them.
    """
    return {
        "number": {"datatype": "INT64"},
        "passage": {"datatype": "INT64"},
        "vector": {"datatype": "FLOAT_VECTOR", "dim": dimensions},
    }, {"vector": {"index_type": "FLAT", "metric_type": "IP"}, "passage": _SCALAR}


def _begins(counts: Sequence[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *counts], dtype=np.int64)


_STEP = np.float32(
    1 / 32767
)  # components of vectors are kept as multiples of it, as `index.files.quantized` keeps them
_COLUMNS = tuple(
    map(np.dtype, ("<u4", "<u2", "<u4", "u1", "<i2"))
)  # terms, weights; words, how often each; the vector
_LENGTHS = (0, 0, 1, 1, 2)  # which of three lengths each of them has


def pack(*columns: NDArray[Any]) -> str:
    """Terms of a passage, their weights, its words, how often it has each, and its vector, as text.

    Of what a database gives, clients take far longer to read sparse and dense vectors than to read
    a text.
    """
    lengths = np.array([len(columns[0]), len(columns[2]), len(columns[4])], dtype="<u4").tobytes()
    return base64.b64encode(
        lengths + b"".join(c.astype(t).tobytes() for c, t in zip(columns, _COLUMNS, strict=True))
    ).decode("ascii")


def unpack(row: str) -> list[NDArray[Any]]:
    """The columns that `pack` made a text of."""
    content = base64.b64decode(row)
    lengths = np.frombuffer(content, dtype="<u4", count=3).tolist()
    found, start = [], 12
    for which, type in zip(_LENGTHS, _COLUMNS, strict=True):
        found.append(np.frombuffer(content, dtype=type, count=lengths[which], offset=start))
        start += lengths[which] * type.itemsize
    return found
