"""The owner's workspace: a folder with rulebooks and with data files that are read beside those of the package, and first.

`VARIABLE` names it, so that processes started for a part of the work find it too. Nothing is ever written into the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

VARIABLE = "REGULA_HOME"
RULEBOOKS, EDITIONS, CONCEPTS, PHRASINGS, CARDS, RULINGS = FOLDERS = ("rulebooks", "editions", "concepts", "phrasings", "cards", "rulings")
PRODUCTS = f"{CONCEPTS}/products"
INDEX = "index"

Folders = Path | Sequence[Path] | None
"""Folders of data files, the first one wins; None for those of `data_folders`."""


def workspace() -> Path | None:
    """The workspace in use, None where there is none."""
    home = os.environ.get(VARIABLE, "").strip()
    return Path(home).expanduser().absolute() if home else None


def use_workspace(home: Path | None) -> None:
    """Read data files from ``home`` too from now on, in this process and in those that it starts; None leaves everything as it is."""
    if home is not None:
        os.environ[VARIABLE] = str(home.expanduser().absolute())


def data_folders(kind: str, package: Path) -> tuple[Path, ...]:
    """The folders of data files of one ``kind``, such as `EDITIONS`: that of the workspace where there is one, then the ``package``'s."""
    home = workspace()
    return (home / kind, package) if home is not None else (package,)


def chosen_folders(folders: Folders, kind: str, package: Path) -> tuple[Path, ...]:
    """``folders`` as a tuple; those of `data_folders` where it is None."""
    if folders is None:
        return data_folders(kind, package)
    return (folders,) if isinstance(folders, Path) else tuple(folders)


def data_files_of(home: Path) -> Iterator[Path]:
    """Every data file of the workspace ``home`` that an index depends on, in order."""
    for kind in (EDITIONS, CONCEPTS, PRODUCTS, PHRASINGS):
        yield from sorted((home / kind).glob("*.yaml"))
