"""The interface between ranking and any store of passages, and the address of a remote store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from index.questions.prepared import SearchScope

CANDIDATES_PER_SIGNAL = 200  # candidates by vectors, and as many by words


_FILE = ".db"  # how the name of a local file ends, which Milvus Lite reads
_PORT = 19530
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class StoreUnreachable(RegulaError, RuntimeError):
    """A store on another machine does not answer, or not properly; the message is one line."""


class Store(Protocol):
    """Scores the passages of an index, which are numbered from 0 in the order of its library.

    Each score belongs to a passage of a ``scope``, in their order. Words and characters are scored
    by BM25, so that a passage without any of the terms gets 0; vectors by inner product. ``waits``
    says whether another machine computes scores; then every method may raise `StoreUnreachable`.
    """

    waits: ClassVar[bool]

    def candidates(
        self, terms: Sequence[str], vectors: NDArray[np.float32], scope: SearchScope
    ) -> NDArray[np.int64] | None:
        """Return the passages worth scoring, ascending; None if all of ``scope`` are.

        ``terms`` are the index terms of the question in every language, ``vectors``, shape (m,
        dimensions), the vectors of the question and of its parts.
        """

    def words(
        self, queries: Sequence[Sequence[str]], scope: SearchScope
    ) -> Sequence[NDArray[np.float32]]:
        """Return the BM25 scores for each of ``queries``, given as index terms."""

    def characters(self, words: Sequence[str], scope: SearchScope) -> NDArray[np.float32]:
        """Return the BM25 scores for the character n-grams of a question's folded ``words``."""

    def vectors(self, vectors: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """Return the similarity to each of ``vectors``, shape (m, len(scope.numbers))."""

    def phrasings(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return for each of ``numbers`` the similarity of its nearest variant to ``vector``,
        or 0.
        """


@dataclass(frozen=True)
class MilvusAddress:
    """The ``uri`` of a database as pymilvus takes it, and its name, empty for the default one."""

    uri: str
    database: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a local file, which one process at a time can open."""
        return self.uri.endswith(_FILE)

    @classmethod
    def read(cls, address: str) -> MilvusAddress:
        """Read ``milvus://host:port/database``, the same with ``https``, or a file ``….db``.

        Port (19530) and database may be left out. Raises `ValueError`, with a line that says what
        may be written, for anything else.
        """
        parts = urlsplit(address)
        if not parts.scheme and address.endswith(_FILE):
            return cls(str(Path(address).expanduser().resolve()))
        database = parts.path.strip("/")
        fits = parts.scheme in ("milvus", "https") and parts.hostname and not parts.username
        if (
            not fits
            or parts.query
            or parts.fragment
            or (database and not _NAME.fullmatch(database))
        ):
            raise ValueError(
                "write milvus://host:19530, milvus://host:19530/database, the same with https, or "
                "the path of a file ….db"
            )
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
        scheme = "https" if parts.scheme == "https" else "http"
        return cls(f"{scheme}://{host}:{parts.port or _PORT}", database)
