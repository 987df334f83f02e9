"""Render files from a snapshot and store them in the folder of the indexes: each is rendered once
for all processes, and survives restarts.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path

from index.building.snapshots import CARDS, MANIFEST, RULEBOOKS, Damaged, Snapshots
from index.files.durable import Busy, locked, program_hash
from service.core.cache import SnapshotCache
from service.core.jobs.queue import LIMIT, time_left
from service.core.snapshot import SnapshotContents, SnapshotLocation

FOLDER = ".rendered"  # in the folder of the indexes
ROOM = 200_000_000  # most bytes of all files; the oldest are removed first
_DIGEST = hashlib.sha256().digest_size
# Besides the snapshot, these libraries, and the code and data of these packages, affect rendering.
_LIBRARIES = ("babel", "jinja2", "lxml", "numpy", "openpyxl", "pypdfium2", "rapidfuzz", "scipy")
PACKAGES = ("corpus", "glossary", "index", "service")

_RENDERING = SnapshotCache()  # files being rendered; keeps none
_REFUSING: set[Path] = set()  # folders of indexes in which storing last failed
_LOG = logging.getLogger(__name__)


def render_once(
    location: SnapshotLocation, name: tuple[str, ...], render: Callable[[], bytes]
) -> bytes:
    """Return the file ``name`` of the snapshot at ``location``; if it is not stored, ``render`` it
    and store the result.

    It is rendered once for all waiting callers in all processes. Failure to store it is only
    logged.
    """
    if isinstance(location, SnapshotContents):
        return _RENDERING.get(("file", location.id, *name), render, most=0)
    path = stored_path(location, name)
    found = read_stored(path)
    if found is not None:
        return found
    return _RENDERING.get(("file", path), lambda: _render_and_store(path, name, render), most=0)


def stored_path(folder: Path, name: tuple[str, ...]) -> Path:
    """Return the path of the stored file ``name`` of the snapshot in ``folder``."""
    key = content_key(folder)
    file = _hash((program_hash(PACKAGES, libraries=_LIBRARIES), key, *name))
    return folder.parent / FOLDER / key / file


def stored_bytes(folder: Path) -> int:
    """Return the size in bytes of all files stored for the snapshot in ``folder``."""
    try:
        with os.scandir(folder.parent / FOLDER / content_key(folder)) as entries:
            return sum(entry.stat().st_size for entry in entries)
    except OSError:
        return 0


def content_key(folder: Path) -> str:
    """Return a key that identifies the rulebooks and cards of the snapshot in ``folder``.

    Snapshots that differ only in rulings share the key, and so the files made from rulebooks and
    cards: a new ruling does not cause two editions to be compared again.
    """
    try:
        return _content_key(folder, (folder / MANIFEST).stat().st_mtime_ns)
    except OSError:
        return folder.name


@lru_cache(maxsize=64)
def _content_key(folder: Path, _changed: int) -> str:
    try:
        manifest = Snapshots(folder.parent).manifest(folder.name)
    except Damaged:
        return folder.name
    marks = [manifest.get(RULEBOOKS), manifest.get(CARDS)]
    return _hash(tuple(map(str, marks)))[:32] if marks[0] else folder.name


def _render_and_store(path: Path, name: tuple[str, ...], render: Callable[[], bytes]) -> bytes:
    with ExitStack() as stack:
        # Without a lock, several processes may render the file at the same time.
        with suppress(Busy, OSError):
            patience = 2 * LIMIT if (left := time_left()) is None else left
            stack.enter_context(locked(path.with_suffix(".lock"), patience))
        found = read_stored(path)  # another process may have rendered it meanwhile
        if found is None:
            began = time.monotonic()
            found = render()
            _LOG.info(
                "rendered %s in %.1f s", " ".join(filter(None, name)), time.monotonic() - began
            )
            _store(path, found)
    return found


def read_stored(path: Path) -> bytes | None:
    """Return the content stored in ``path``; None if it is missing or damaged."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    content = found[_DIGEST:]
    if found[:_DIGEST] == _digest(path, content):
        return content
    _LOG.warning("%s is damaged; it is rendered anew", path)
    return None


def _store(path: Path, content: bytes) -> None:
    """Store ``content`` in ``path``; a failure is logged once for each folder of indexes."""
    folder, new = path.parents[2], path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # A crash may leave an incomplete file, which the digest reveals.
            new.write_bytes(_digest(path, content) + content)
            os.replace(new, path)
        except OSError:
            new.unlink(missing_ok=True)
            raise
        _tidy(path.parents[1])
    except OSError as fault:
        if folder not in _REFUSING:
            _LOG.warning(
                "rendered files cannot be stored in %s (%s); they are rendered when asked for",
                folder,
                fault.strerror,
            )
        _REFUSING.add(folder)
        return
    if folder in _REFUSING:
        _REFUSING.remove(folder)
        _LOG.info("rendered files are stored in %s again", folder)


def _tidy(place: Path) -> None:
    """Remove the files of snapshots that are gone, then the oldest files until the rest has at most
    `ROOM` bytes.
    """
    snapshots = Snapshots(place.parent)
    kept = {content_key(snapshots.path(id)) for id in snapshots.all()}
    for each in place.iterdir():
        if each.name not in kept:
            shutil.rmtree(each, ignore_errors=True)
    found = []
    for path in place.glob("*/*"):
        with suppress(OSError):  # removed by another process
            found.append((path.stat().st_mtime_ns, path.stat().st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= ROOM:
            break
        if size:  # a lock has none, and may be held
            path.unlink(missing_ok=True)
            total -= size


def _digest(path: Path, content: bytes) -> bytes:
    """Hash ``content`` with the name of the file, to reveal incomplete and misplaced files."""
    return hashlib.sha256(path.name.encode() + content).digest()


def _hash(name: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(name).encode()).hexdigest()
