"""Publishing safely on a file system: one builder at a time, bytes that are on the disk, clear
errors for a full disk.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from corpus.errors import RegulaError

REMOVING = ".removing-"  # prefix of the names of folders that are to be removed

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_FULL_MESSAGES = tuple(map(os.strerror, _FULL))
_POLL = 0.2  # seconds between two looks at a lock that another process holds


class Busy(RegulaError, RuntimeError):
    """Another process holds the folder."""


class NotWritable(RegulaError, OSError):
    """A folder cannot be written to, or the disk is full; the message is one line."""


@contextmanager
def locked(
    lock: Path, wait: float = 0.0, waiting: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Hold the lock file ``lock``, also against other processes; it is freed when its holder ends,
    in whatever way.

    Where another process holds it, ``waiting`` is called once and the lock tried again for ``wait``
    seconds. Raises `Busy` after that, `NotWritable` where the file cannot be written.
    """
    file = FileLock(lock, poll_interval=_POLL)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            file.acquire(timeout=0)
        except Timeout:
            if wait > 0:
                waiting()
            file.acquire(timeout=-1 if wait == math.inf else wait)
    except Timeout as fault:
        raise Busy(
            f"{lock.parent}: another build is under way; wait for it with --wait or use another --index"
        ) from fault
    except OSError as fault:
        raise _closed(lock.parent, fault) from fault
    try:
        yield
    finally:
        file.release()


@contextmanager
def full_disk_refused(folder: Path) -> Iterator[None]:
    """Turn what is raised inside because the disk of ``folder`` is full, or may not be written to,
    into `NotWritable`.
    """
    try:
        yield
    except NotWritable:
        raise
    except Exception as fault:
        if _is_full(fault):
            free = shutil.disk_usage(folder).free / 1e6
            raise NotWritable(
                f"{folder}: no room for another index (the disk is full or a file may not be so large; {free:,.0f} MB are free); "
                "nothing was published"
            ) from fault
        if (
            isinstance(fault, OSError)
            and fault.errno in _CLOSED
            and str(fault.filename).startswith(str(folder))
        ):
            raise _closed(folder, fault) from fault
        raise


def _closed(folder: Path, fault: OSError) -> NotWritable:
    return NotWritable(
        f"{folder}: cannot be written to ({fault.strerror}); name another folder with --index"
    )


def _is_full(fault: Exception) -> bool:
    """Whether the disk was full; FAISS and safetensors say so in words, and numpy only that it
    could not write everything.
    """
    if isinstance(fault, OSError):
        return fault.errno in _FULL or (fault.errno is None and "requested and" in str(fault))
    return any(tell in str(fault) for tell in _FULL_MESSAGES)


def sync_tree(folder: Path, mode: int | None = None) -> None:
    """Return when all of ``folder`` is on the disk; with ``mode``, every file in it gets these
    permissions before.
    """
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place, name)
            if mode is not None:
                path.chmod(mode)
            _sync(path)
        _sync(Path(place))


def replace_synced(source: Path, target: Path) -> None:
    """Rename ``source`` to ``target`` in one step that a crash of the machine does not undo.

    A folder where a file belongs is moved aside, to a name that is removed later.
    """
    if source.is_file() and target.is_dir():
        os.replace(target, target.with_name(f"{REMOVING}{target.name}"))
    os.replace(source, target)
    _sync(target.parent)


def write_synced(path: Path, text: str) -> None:
    """Write ``text`` to ``path``; it is on the disk when this returns."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
