"""Opens the store of a snapshot, wherever it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from index.store.file_store import load_file_store
from index.store.protocol import Store


def open_store(folder: Path, remote: Mapping[str, str] | None = None, token: str = "") -> Store:
    """The store of the snapshot in ``folder``: in its files or, where ``remote`` is given, in that
    ``collection`` at that ``address``.

    ``token`` authenticates there. Raises `OSError`, `ValueError` or `RuntimeError` where files are
    damaged, `StoreUnreachable` where the other machine does not answer.
    """
    if remote:
        from index.store.milvus_store import (
            MilvusStore,
        )  # imports the client of Milvus, which nobody else needs

        return MilvusStore.load(folder, remote["address"], remote["collection"], token)
    return load_file_store(folder)
