"""The ways to store a library that are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from index.library.library import Library, load_library, save_library
from tests.bench.records.sqlite_library import CACHED, SqliteLibrary, save_sqlite

T = TypeVar("T")

FILES, CACHING, SQLITE, UNMAPPED = STORAGES = ("mapped files", "mapped files, more cached", "SQLite, mapped", "SQLite, not mapped")

_PACKAGES = ("glossary", "index", "tests")


class CachingMapping(Mapping[str, T]):
    """What ``made`` makes of ``things``; the last ones are cached by key, as in `SqliteLibrary`."""

    def __init__(self, things: Mapping[str, Any], made: Callable[[Any], T]) -> None:
        self._things = things
        self._find = lru_cache(CACHED)(lambda key: None if (thing := things.get(key)) is None else made(thing))

    def __getitem__(self, key: str) -> T:
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        return found

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)


def save(storage: str, library: Library, folder: Path) -> None:
    """Write the records of ``library`` into ``folder``, which is new."""
    if storage in (FILES, CACHING):
        save_library(library, folder, ())
    else:
        folder.mkdir()
        save_sqlite(library, folder)


def open_library(storage: str, folder: Path) -> Library:
    """Return the library in ``folder``."""
    if storage in (SQLITE, UNMAPPED):
        return SqliteLibrary(folder, mapped=storage == SQLITE)
    library = load_library(folder)
    if storage == CACHING:
        vars(library)["entry"] = CachingMapping(library.entry, lambda entry: entry)
        vars(library)["references_of"] = CachingMapping(library.references_of, tuple)
        vars(library)["pages"] = CachingMapping(library.pages, lambda pages: pages)
    return library


def clear_caches(thing: object) -> None:
    """Empty every cache of ``thing``, a library or a part of one."""
    for part in getattr(thing, "__dict__", {}).values():
        if hasattr(part, "cache_clear"):
            part.cache_clear()
        elif type(part).__module__.partition(".")[0] in _PACKAGES:
            clear_caches(part)
