"""Snapshots: each build is a folder of its own, checked, then published in one step; the latest
good ones are kept.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from corpus.errors import RegulaError
from index.files.durable import (
    REMOVING,
    Busy,
    NotWritable,
    file_digest,
    full_disk_refused,
    locked,
    remove_abandoned,
    replace_synced,
    sync_tree,
    write_synced,
)
from index.library.former_file import NEW as FORMER

__all__ = [
    "CARDS",
    "FORMAT",
    "MANIFEST",
    "RULEBOOKS",
    "SNAPSHOTS_KEPT",
    "Busy",
    "Damaged",
    "NotWritable",
    "Pointer",
    "Snapshots",
    "file_digest",
    "published_id",
]

SNAPSHOTS_KEPT = 3
MANIFEST = "manifest.json"
RULEBOOKS, CARDS = "rulebooks", "cards"  # in a manifest: a hash of all inputs of each
UNENCODED = "unencoded"  # in a manifest: how many texts are left to the general encoder
FORMAT = 2  # of the files of a snapshot, in its manifest; when to raise it is in docs/indexes.md

_READERS = 4  # threads that hash files in parallel
_POINTER = re.compile(r"(\S+)(?:\n(pinned|pulled))?(?:\nafter (\S+))?\n?")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Damaged(RegulaError, ValueError):
    """The files of a snapshot are not what its manifest says."""


@dataclass(frozen=True)
class Pointer:
    """The published snapshot ``id``; ``pinned`` after a rollback to it, ``pulled`` if another
    machine built it.

    ``after`` is the snapshot published before. ``fault`` says what is wrong with the file
    ``current``; then ``id`` is the newest snapshot.
    """

    id: str
    pinned: bool = False
    after: str | None = None
    fault: str = ""
    pulled: bool = False

    @property
    def stays(self) -> bool:
        """Whether it is served even if the rulebooks change, until a build or a pull."""
        return self.pinned or self.pulled


class Snapshots:
    """The snapshots in an index folder, ``<folder>/<id>/`` each; the file ``current`` names the
    published one.

    At most ``keep`` are kept, the published one included. Even if a builder is killed, every folder
    named by an id is complete and ``current`` names one of them; all other folders have a dot in
    their name and are removed by the next `tidy`. ``notify`` is called once, with one line, if
    ``current`` is faulty.
    """

    def __init__(
        self,
        folder: Path,
        keep: int = SNAPSHOTS_KEPT,
        notify: Callable[[str], None] = lambda _: None,
    ):
        self.folder = folder
        self.keep = max(keep, 1)
        self._notify, self._notified = notify, ""

    def pointer(self) -> Pointer | None:
        """Return the published snapshot: the one that ``current`` names, else the newest; None if
        there are none.
        """
        while True:
            stamp = self.stamp()
            found, fault = self._pointer()
            if not fault:
                return found
            # Otherwise another one was published meanwhile, and the one named was removed.
            if stamp == self.stamp():
                break
        if fault != self._notified:
            self._notified = fault
            newest = found and f"the newest index, {found.id}, is taken for the published one"
            self._notify(f"{fault}; {newest or 'there is no other index'}")
        return found

    def _pointer(self) -> tuple[Pointer | None, str]:
        """Return the published snapshot, and the fault in the file ``current``, if any."""
        path = self.folder / "current"
        match, fault = None, "does not name an index"
        try:
            match = _POINTER.fullmatch(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            fault = "is missing"
        except UnicodeDecodeError:
            fault = "cannot be read (not UTF-8)"
        except OSError as error:
            fault = f"cannot be read ({error.strerror})"
        here = self.all()
        if match and match[1] in here:
            state = match[2]
            return Pointer(match[1], state == "pinned", match[3], pulled=state == "pulled"), ""
        if match:
            fault = f"names {match[1]}, which is no index here (it has no {MANIFEST})"
        if not here and not path.exists():  # nothing was published yet
            return None, ""
        return (Pointer(here[0], fault=f"{path}: {fault}") if here else None), f"{path}: {fault}"

    def current(self) -> str | None:
        """Return the id of the published snapshot, or None if there is none."""
        found = self.pointer()
        return found.id if found else None

    def stamp(self) -> tuple[int, int] | None:
        """Return a value that changes with each publication and rollback; None before the first."""
        try:
            found = (self.folder / "current").stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def all(self) -> list[str]:
        """Return the ids of the snapshots, newest first."""
        ids = (path.parent.name for path in self.folder.glob(f"*/{MANIFEST}"))
        return sorted((id for id in ids if not id.startswith(".")), reverse=True)

    def rollback_candidates(self) -> list[str]:
        """Return the snapshots that a rollback may publish, the best first: the previously
        published one, then older ones.
        """
        here, pointer = self.all(), self.pointer()
        if pointer is None:
            return here
        older = [id for id in here if id < pointer.id]
        return [id for id in dict.fromkeys([pointer.after, *older]) if id in here]

    def path(self, id: str) -> Path:
        """Return the folder of snapshot ``id``."""
        return self.folder / id

    def manifest(self, id: str) -> dict[str, object]:
        """Read the manifest of a snapshot. Raises `Damaged` if it cannot be read."""
        return _manifest(id, self.path(id))

    def check_format(self, id: str) -> None:
        """Raise `Damaged` if this program does not read the format of snapshot ``id``."""
        found = self.manifest(id).get("format", 1)  # version 1.0 wrote none
        if found != FORMAT:
            raise Damaged(
                f"snapshot {id}: its files have format {found}, and this version of the program "
                f"reads format {FORMAT}"
            )

    def hashes(self, id: str) -> dict[str, str]:
        """Return the SHA-256 of the files of snapshot ``id`` by name, without its manifest. Raises
        `Damaged` if the manifest does not list them.
        """
        return _hashes(id, self.manifest(id))

    def files(self, id: str) -> list[str]:
        """Return the names of the files of snapshot ``id``, without its manifest."""
        return list(self.hashes(id))

    def read(self, id: str, name: str) -> bytes:
        """Read a file of snapshot ``id``. Raises `Damaged` if it is not the one that was built."""
        try:
            found = (self.path(id) / name).read_bytes()
        except OSError as error:
            raise Damaged(f"snapshot {id}: {name} cannot be read ({error.strerror})") from error
        if hashlib.sha256(found).hexdigest() != self.hashes(id).get(name):
            raise Damaged(f"snapshot {id}: {name} is not the file that was built")
        return found

    def verify(
        self, id: str, place: Path | None = None, names: Iterable[str] | None = None
    ) -> None:
        """Raise `Damaged` if a file of snapshot ``id`` is missing or is not the one that was built.

        Files are looked for in the folder ``place``, by default where the snapshot is published;
        ``names`` limits which.
        """
        place = place or self.path(id)
        hashes = _hashes(id, _manifest(id, place))
        wanted = list(hashes if names is None else names)

        def check(name: str) -> None:
            try:
                found = file_digest(place / name)
            except OSError as error:
                raise Damaged(f"snapshot {id}: {name} cannot be read ({error.strerror})") from error
            if found != hashes[name]:
                raise Damaged(f"snapshot {id}: {name} is not the file that was built")

        with ThreadPoolExecutor(_READERS) as pool:
            list(pool.map(check, wanted))

    def publish(self, built: Path, id: str, pulled: bool = False, completes: bool = False) -> None:
        """Make the folder ``built`` snapshot ``id`` and publish it; all but the last `keep`
        snapshots are removed.

        ``built`` is the folder that `building` gave, or one in it. A snapshot with this ``id`` is
        replaced. ``pulled``: another machine has built it. ``completes``: it has everything that
        the published snapshot has, so that a rollback skips the latter. Raises `Damaged` if its
        files are not what its manifest says.
        """
        # safetensors makes files that only their owner may read; whoever serves may be somebody
        # else. Nobody is to write to them any more: services have them mapped.
        sync_tree(built, (built / MANIFEST).stat().st_mode & 0o555)
        self.verify(id, built)
        before = self.pointer()
        after = before.id if before and before.id != id else None
        if before and completes:
            after = before.after
        pointer = self._prepared(Pointer(id, after=after, pulled=pulled))  # renaming needs no space
        if self.path(id).exists():
            replace_synced(self.path(id), self.folder / f"{REMOVING}{id}")
        replace_synced(built, self.path(id))
        replace_synced(pointer, self.folder / "current")
        self._prune()

    def pin(self, id: str, pinned: bool = True) -> None:
        """Publish snapshot ``id`` and keep it published until the next `publish`; if not
        ``pinned``, as if it had just been built. The folder has to be `locked`.
        """
        self._point(Pointer(id, pinned=pinned))

    def take_again(self, id: str) -> None:
        """Publish snapshot ``id``, which was pulled before, as if it were pulled now. The folder
        has to be `locked`.
        """
        self._point(Pointer(id, after=self.current(), pulled=True))

    def _point(self, pointer: Pointer) -> None:
        replace_synced(self._prepared(pointer), self.folder / "current")

    def _prepared(self, pointer: Pointer) -> Path:
        path = self.folder / ".current"
        state = "pinned\n" if pointer.pinned else "pulled\n" if pointer.pulled else ""
        after = f"after {pointer.after}\n" if pointer.after else ""
        with full_disk_refused(self.folder):
            write_synced(path, f"{pointer.id}\n{state}{after}")
        return path

    @contextmanager
    def locked(
        self, wait: float = 0.0, waiting: Callable[[], None] = lambda: None
    ) -> Iterator[None]:
        """Prevent other processes from building, publishing or rolling back inside the block;
        remove the remains of killed builders.

        If another process does so already, call ``waiting`` and wait for ``wait`` seconds. Raises
        `Busy` after that, `NotWritable` if the folder cannot be written to.
        """
        with locked(self.folder / ".lock", wait, waiting):
            self._sweep()
            yield

    @contextmanager
    def building(
        self, wait: float = 0.0, waiting: Callable[[], None] = lambda: None
    ) -> Iterator[Path]:
        """Yield an empty folder to build in, for one builder at a time; it is removed afterwards
        unless it was published.

        Raises what `locked` raises, and `NotWritable` if the disk is full.
        """
        with self.locked(wait, waiting), full_disk_refused(self.folder):
            self._prune()  # otherwise a builder killed just after publishing would leave one more
            place = self.folder / ".building"
            place.mkdir()
            try:
                yield place
            finally:
                self._sweep()

    def tidy(self) -> None:
        """Remove the remains of killed processes; if ``current`` names no snapshot, make it name an
        undamaged one.

        Does nothing if another process holds the folder, or if it may not be written to.
        """
        if not self.folder.is_dir():
            return
        try:
            with self.locked():
                self._mend()
                self._prune()
        except (Busy, OSError):
            return

    def _sweep(self) -> None:
        for pattern in (".building", ".current", FORMER, f"{REMOVING}*"):
            for left in self.folder.glob(pattern):
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    with suppress(OSError):
                        left.unlink()
        remove_abandoned(self.folder)

    def _mend(self) -> None:
        pointer = self.pointer()
        for id in self.all() if pointer and pointer.fault else ():
            with suppress(Damaged):
                self.verify(id)
                self._point(Pointer(id))
                return

    def _prune(self) -> None:
        """Remove all snapshots but the published one, the one before it and the newest, up to
        `keep` in all.
        """
        pointer, here = self.pointer(), self.all()
        named = [pointer.id, pointer.after] if pointer else []
        for old in [id for id in dict.fromkeys([*named, *here]) if id in here][self.keep :]:
            gone = self.folder / f"{REMOVING}{old}"
            # In one step, so that no part of it is ever taken for a snapshot.
            replace_synced(self.path(old), gone)
            shutil.rmtree(gone, ignore_errors=True)


def published_id(text: str) -> str | None:
    """Return the id in the ``text`` of a file ``current`` of any machine; None if invalid."""
    match = _POINTER.fullmatch(text)
    return match[1] if match and _ID.fullmatch(match[1]) else None


def _manifest(id: str, place: Path) -> dict[str, object]:
    try:
        found = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Damaged(f"snapshot {id}: no readable {MANIFEST} ({error})") from error
    if not isinstance(found, dict):
        raise Damaged(f"snapshot {id}: {MANIFEST} is no object")
    return found


def _hashes(id: str, manifest: Mapping[str, object]) -> dict[str, str]:
    if manifest.get("id", id) != id:
        raise Damaged(f"snapshot {id}: {MANIFEST} is that of {manifest['id']}")
    files = manifest.get("files")
    if not isinstance(files, dict):
        raise Damaged(f"snapshot {id}: {MANIFEST} lists no files")
    for name, found in files.items():
        path = PurePosixPath(name)
        outside = path.is_absolute() or ".." in path.parts or str(path) != name
        if outside or "\0" in name or name in (".", MANIFEST):
            raise Damaged(f"snapshot {id}: {MANIFEST} lists {name!r}, which is no file of it")
        if not isinstance(found, str) or not _SHA256.fullmatch(found):
            raise Damaged(f"snapshot {id}: {MANIFEST} has no hash of {name!r}")
    return files
