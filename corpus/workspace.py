"""The workspace of the owner: a folder with rulebooks and data files, which have priority over
those of the package.

The environment variable `VARIABLE` names it, so that child processes find it too. Nothing is ever
written into the package. `AS_NEW` names a game to be treated as new: the package then provides only
its editions and languages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "REGULA_HOME"
AS_NEW = "REGULA_AS_NEW"
RULEBOOKS, EDITIONS, CONCEPTS, PHRASINGS, CARDS, RULINGS = FOLDERS = (
    "rulebooks",
    "editions",
    "concepts",
    "phrasings",
    "cards",
    "rulings",
)
PRODUCTS = f"{CONCEPTS}/products"
REVIEWS = "reviews"  # created with the first review
PAIRINGS = "pairings"  # created with the first item
IGNORED = "ignored"  # created with the first item
CHECKS = "checks"  # created by hand
INDEX = "index"
DATA_SUFFIXES = (".json", ".yaml", ".yml", ".csv")  # of cards and rulings

Folders = Path | Sequence[Path] | None
"""Folders of data files, the first has priority; None stands for those of `data_folders`."""


def workspace() -> Path | None:
    """Return the current workspace, or None if none is set."""
    home = os.environ.get(VARIABLE, "").strip()
    return Path(home).expanduser().absolute() if home else None


def use_workspace(home: Path | None) -> None:
    """Use the workspace ``home``, unless None, in this process and its child processes."""
    if home is not None:
        os.environ[VARIABLE] = str(home.expanduser().absolute())


def game_as_new() -> str:
    """Return the game treated as new, for which the package provides only editions, or ""."""
    return os.environ.get(AS_NEW, "").strip()


@contextmanager
def as_new(game: str) -> Iterator[None]:
    """Treat ``game`` as new within the context, also in child processes."""
    before = os.environ.get(AS_NEW)
    os.environ[AS_NEW] = game
    try:
        yield
    finally:
        if before is None:
            del os.environ[AS_NEW]
        else:
            os.environ[AS_NEW] = before


def data_folders(kind: str, package: Path, game: str = "") -> tuple[Path, ...]:
    """Return the folders with data files of one ``kind``, such as `EDITIONS`: that of the
    workspace, if there is one, then ``package``.

    ``package`` is left out if the files are about one ``game`` and it is treated as new.
    """
    home = workspace()
    packaged = () if game and game == game_as_new() else (package,)
    return (home / kind, *packaged) if home is not None else packaged


def chosen_folders(folders: Folders, kind: str, package: Path, game: str = "") -> tuple[Path, ...]:
    """Return ``folders`` as a tuple, or those of `data_folders` if it is None."""
    if folders is None:
        return data_folders(kind, package, game)
    return (folders,) if isinstance(folders, Path) else tuple(folders)


def data_files_of(home: Path) -> Iterator[Path]:
    """Yield every data file of the workspace ``home`` on which an index depends, in order; cards
    and rulings of a game treated as new are left out.
    """
    for kind in (EDITIONS, CONCEPTS, PRODUCTS, PHRASINGS, CHECKS):
        yield from sorted((home / kind).glob("*.yaml"))
    for kind in (CARDS, RULINGS):
        for folder in sorted((home / kind).glob("[!.]*/")):
            if folder.name != game_as_new():
                found = (path for path in folder.rglob("*") if path.suffix.lower() in DATA_SUFFIXES)
                yield from sorted(path for path in found if _is_shown(path, folder))


def _is_shown(path: Path, folder: Path) -> bool:
    # Files that are still being written are in hidden folders.
    hidden = any(part[0] == "." for part in path.relative_to(folder).parts)
    return not hidden and path.is_file()
