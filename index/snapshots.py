"""Snapshots: each build is a folder of its own, checked, then published in one step; the last good ones are kept."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KEPT = 3


class Damaged(ValueError):
    """A snapshot whose files are not what its manifest says."""


class Busy(RuntimeError):
    """Another build holds the folder."""


class Snapshots:
    """The snapshots in one index folder: ``<folder>/<id>/`` each, and the file ``current`` that names the published one."""

    def __init__(self, folder: Path):
        self.folder = folder

    def current(self) -> str | None:
        """The id of the published snapshot, None before the first."""
        try:
            return (self.folder / "current").read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def all(self) -> list[str]:
        """The ids of the snapshots that are there, newest first."""
        if not self.folder.is_dir():
            return []
        return sorted((p.parent.name for p in self.folder.glob("*/manifest.json") if not p.parent.name.startswith(".")), reverse=True)

    def path(self, id: str) -> Path:
        """The folder of snapshot ``id``."""
        return self.folder / id

    def manifest(self, id: str) -> dict[str, object]:
        """What a snapshot says about itself. Raises `Damaged` where it cannot be read."""
        try:
            found = json.loads((self.path(id) / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Damaged(f"snapshot {id}: no readable manifest ({error})") from error
        if not isinstance(found, dict):
            raise Damaged(f"snapshot {id}: the manifest is no object")
        return found

    def verify(self, id: str) -> None:
        """Raises `Damaged` where a file of snapshot ``id`` is missing or not the one that was built."""
        files = self.manifest(id).get("files")
        if not isinstance(files, dict):
            raise Damaged(f"snapshot {id}: the manifest lists no files")
        for name, digest in files.items():
            try:
                found = file_digest(self.path(id) / name)
            except OSError as error:
                raise Damaged(f"snapshot {id}: {name} cannot be read ({error.strerror})") from error
            if found != digest:
                raise Damaged(f"snapshot {id}: {name} is not the file that was built")

    def publish(self, built: Path, id: str) -> None:
        """Make the folder ``built`` the snapshot ``id`` and the published one; old snapshots beyond `KEPT` are removed."""
        os.replace(built, self.path(id))
        pointer = self.folder / ".current"
        with pointer.open("w", encoding="utf-8") as file:
            file.write(id + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(pointer, self.folder / "current")
        for old in [name for name in self.all() if name != id][KEPT - 1 :]:
            shutil.rmtree(self.path(old), ignore_errors=True)

    @contextmanager
    def building(self) -> Iterator[Path]:
        """An empty folder to build in, held by one builder at a time; gone afterwards unless it was published.

        Raises `Busy` where another process builds into the same index folder.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise Busy(f"{self.folder}: another build is under way; wait for it or use another --index") from error
            place = self.folder / ".building"
            shutil.rmtree(place, ignore_errors=True)  # what a killed build left
            place.mkdir()
            try:
                yield place
            finally:
                shutil.rmtree(place, ignore_errors=True)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
