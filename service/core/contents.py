"""A snapshot as far as comparing, listing and checking need it: what was read, without what only searching needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from index.building.snapshots import Snapshots
from index.library import library as libraries
from index.library.library import Library

_NAMES = ("library.json", "library/")  # of the files of a snapshot


@dataclass(frozen=True)
class Contents:
    """The library of the snapshot called ``id``."""

    id: str
    library: Library


@lru_cache(maxsize=2)
def open_contents(folder: Path) -> Contents:
    """The contents of the snapshot in ``folder``, verified. Raises `Damaged`, or what `index.library.library.load` raises."""
    verify(folder)
    return Contents(folder.name, libraries.load(folder))


def verify(folder: Path) -> None:
    """Raises `Damaged` where what `open_contents` reads in ``folder``, and has mapped afterwards, is not what was built."""
    snapshots = Snapshots(folder.parent)
    names = [name for name in snapshots.files(folder.name) if name.startswith(_NAMES)]
    snapshots.verify(folder.name, names=names)
