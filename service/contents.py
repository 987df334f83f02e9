"""A snapshot as far as comparing, listing and checking need it: what was read, without what only searching needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from index.building.snapshots import Snapshots
from index.library import library as libraries
from index.library.library import Library


@dataclass(frozen=True)
class Contents:
    """The library of the snapshot called ``id``."""

    id: str
    library: Library


@lru_cache(maxsize=2)
def open_contents(folder: Path) -> Contents:
    """The snapshot in ``folder``, verified. Raises `Damaged`, or `OSError`, `ValueError`, `KeyError` where it cannot be read."""
    Snapshots(folder.parent).verify(folder.name)
    return Contents(folder.name, libraries.load(folder))
