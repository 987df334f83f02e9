"""The data files in a folder of cards, read with limits: no link leads out of the folder, nothing
is read that is no file.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from corpus.cards.faults import FaultList
from corpus.sourced_text import StringSource
from corpus.workspace import DATA_SUFFIXES

MOST_FILES = 5_000
LARGEST_FILE = 64_000_000  # bytes
LARGEST_FOLDER = 256_000_000  # bytes


class CardFile(NamedTuple):
    """A data file: its ``name`` in the folder, with slashes, the SHA-256 of its bytes, and its
    text.

    Bytes that are no UTF-8 are surrogates in the text, by which a record that has some is told.
    """

    name: str
    sha256: str
    text: str

    def source(self, pointer: str) -> StringSource:
        """The place that the JSON ``pointer`` names in this file."""
        return StringSource(self.name, self.sha256, pointer)


class CardFiles:
    """The data files of a ``folder``, by names relative to it, in order; what cannot be read is a
    line in ``faults``.
    """

    def __init__(self, folder: Path, faults: FaultList):
        self._folder = folder
        self._faults = faults
        self._left = LARGEST_FOLDER
        self.names = tuple(self._find())

    def _find(self) -> list[str]:
        """The names of the files with one of the `DATA_SUFFIXES`, hidden ones and folders of links
        left out. Raises `OSError`.
        """
        found: list[str] = []
        os.scandir(self._folder).close()  # raises what `os.walk` would hide
        for place, folders, files in os.walk(self._folder):
            here = Path(place)
            for name in sorted(folders):
                if (here / name).is_symlink() and name[0] != ".":
                    self._faults.add(self._name(here / name), "", "a link to a folder; left out")
            folders[:] = sorted(name for name in folders if name[0] != ".")
            found += [
                self._name(here / name)
                for name in files
                if name[0] != "." and name.lower().endswith(DATA_SUFFIXES)
            ]
            if len(found) > MOST_FILES:
                self._faults.add("", "", f"more than {MOST_FILES:,} files; the others are left out")
                break
        return sorted(found)[:MOST_FILES]

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()

    def in_folder(self, folder: str) -> list[str]:
        """The names of the files that are directly in ``folder``, "" for the outermost, in
        order.
        """
        parent = PurePosixPath(folder)
        return [name for name in self.names if PurePosixPath(name).parent == parent]

    def copy(self, folder: Path) -> None:
        """Copy every file that can be read to ``folder``, which must not have them. Raises
        `OSError` where it cannot be written.
        """
        for name in self.names:
            raw = self._bytes(name)
            if raw is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with (folder / name).open("xb") as file:
                    file.write(raw)

    def read(self, name: str) -> CardFile | None:
        """The file ``name``; None, and a fault, where it cannot be read."""
        raw = self._bytes(name)
        if raw is None:
            return None
        text = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        return CardFile(name, hashlib.sha256(raw).hexdigest(), text)

    def _bytes(self, name: str) -> bytes | None:
        path = self._folder / name
        try:
            if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._folder)):
                self._faults.add(name, "", "a link that leads out of the folder; left out")
                return None
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                self._faults.add(name, "", "no regular file; left out")
                return None
            most = min(LARGEST_FILE, self._left)
            with path.open("rb") as file:
                raw = file.read(most + 1) if found.st_size <= most else b""
        except OSError as fault:
            self._faults.add(name, "", f"cannot be read: {fault.strerror}")
            return None
        if found.st_size > most or len(raw) > most:
            self._faults.add(name, "", f"larger than {most / 1e6:,.0f} MB; left out")
            return None
        self._left -= len(raw)
        return raw
