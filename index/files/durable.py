"""Publish files safely: locks, writes that have reached the disk, private copies, hashes."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from corpus.errors import RegulaError
from corpus.file_changes import sync_file, try_lock

REMOVING = ".removing-"  # prefix of the names of folders that are to be removed

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_POLL = 0.2  # seconds between two attempts at a lock that another process holds
_COPY = ".regula-serving-"  # prefix of the names of folders with private copies
_SPARE = 2  # free space needed for a copy, in times its size: it must not take the last
_COPIERS = 4  # threads that copy files in parallel
_AT_ONCE = 1 << 30  # bytes
_ROOT = Path(__file__).resolve().parents[2]


class Busy(RegulaError, RuntimeError):
    """Another process holds the folder."""


class NotWritable(RegulaError, OSError):
    """A folder cannot be written to, or the disk is full; the message is one line."""


class NoSpace(RegulaError, OSError):
    """No folder has room for a copy; the message says why."""


@contextmanager
def locked(
    lock: Path, wait: float = 0.0, waiting: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Hold the lock file ``lock`` against other processes; it is released however its holder ends.

    If another process holds it, ``waiting`` is called once and the lock tried again for ``wait``
    seconds. Raises `Busy` after that, `NotWritable` if the file cannot be written.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as fault:
        raise _closed(lock.parent, fault) from fault
    try:
        if not _is_locked(lock, descriptor):
            if wait > 0:
                waiting()
            end = time.monotonic() + wait
            while not _is_locked(lock, descriptor):
                if time.monotonic() >= end:
                    raise Busy(
                        f"{lock.parent}: another build is under way; wait for it with --wait or "
                        "use another --index"
                    )
                time.sleep(_POLL)
        yield
    finally:
        os.close(descriptor)


def held_elsewhere(lock: Path) -> bool:
    """Return whether another process holds the lock file ``lock`` now."""
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not try_lock(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _is_locked(lock: Path, descriptor: int) -> bool:
    try:
        return try_lock(descriptor)
    except OSError as fault:
        raise _closed(lock.parent, fault) from fault


@contextmanager
def full_disk_refused(folder: Path) -> Iterator[None]:
    """Raise errors for a full disk, or for one that cannot be written to, as `NotWritable`."""
    try:
        yield
    except NotWritable:
        raise
    except Exception as fault:
        if _is_full(fault):
            free = shutil.disk_usage(folder).free / 1e6
            raise NotWritable(
                f"{folder}: no room for another index (the disk is full or a file may not be so "
                f"large; {free:,.0f} MB are free); nothing was published"
            ) from fault
        closed = fault if isinstance(fault, OSError) and fault.errno in _CLOSED else None
        if closed and str(closed.filename).startswith(str(folder)):
            raise _closed(folder, closed) from fault
        raise


def _closed(folder: Path, fault: OSError) -> NotWritable:
    return NotWritable(
        f"{folder}: cannot be written to ({fault.strerror}); name another folder with --index"
    )


def _is_full(fault: Exception) -> bool:
    # FAISS and safetensors describe it in words, numpy only says that not all was written.
    if isinstance(fault, OSError):
        return fault.errno in _FULL or (fault.errno is None and "requested and" in str(fault))
    return any(os.strerror(code) in str(fault) for code in _FULL)


def sync_tree(folder: Path, mode: int | None = None) -> None:
    """Flush all of ``folder`` to the disk; with ``mode``, first give its files these
    permissions.
    """
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place, name)
            if mode is not None:
                path.chmod(mode)
            sync_file(path)
        sync_file(Path(place))


def replace_synced(source: Path, target: Path) -> None:
    """Rename ``source`` to ``target`` in one step that survives a crash of the machine.

    A folder in place of the target file is renamed; it is removed later.
    """
    if source.is_file() and target.is_dir():
        os.replace(target, target.with_name(f"{REMOVING}{target.name}"))
    os.replace(source, target)
    sync_file(target.parent)


def write_synced(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` and flush it to the disk."""
    path.write_text(text, encoding="utf-8")
    sync_file(path)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def program_hash(
    packages: tuple[str, ...], suffixes: tuple[str, ...] = (), libraries: tuple[str, ...] = ()
) -> str:
    """Hash the files of ``packages`` of the program, by path and content, and the installed
    versions of ``libraries``.

    If there are ``suffixes``, only files that end with one of them count.
    """
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in libraries).encode())
    for package in packages:
        for path in sorted((_ROOT / package).rglob("*")):
            wanted = not suffixes or path.suffix in suffixes
            if wanted and path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def private_copy(source: Path, names: Sequence[str], places: Sequence[Path]) -> Iterator[Path]:
    """Copy the files ``names`` of ``source`` to a new folder in the first of ``places`` with room.

    The copy is removed afterwards: files opened or mapped inside live on without a name, so that
    nobody can change them. Where the file system supports it, a copy shares its blocks with the
    original. Raises `NoSpace`, and `OSError` for a missing file.
    """
    size = sum((source / name).stat().st_size for name in names)
    reasons = []
    for place in places:
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(_copy_folder(place, size))
                for parent in {(folder / name).parent for name in names}:
                    parent.mkdir(parents=True, exist_ok=True)
                with ThreadPoolExecutor(_COPIERS) as pool:
                    copies = map(source.joinpath, names), map(folder.joinpath, names)
                    list(pool.map(_copy_file, *copies))
            except OSError as fault:
                reasons.append(f"{place}: {fault.strerror or fault}")
                continue
            yield folder
            return
    raise NoSpace(f"no room for a copy of {size / 1e6:,.0f} MB ({'; '.join(reasons)})")


def remove_abandoned(place: Path) -> None:
    """Remove the private copies in ``place`` whose processes have ended."""
    for folder in place.glob(f"{_COPY}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if try_lock(lock):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


@contextmanager
def _copy_folder(place: Path, size: int) -> Iterator[Path]:
    """Make a locked folder in ``place``; the lock shows others that its process is alive."""
    remove_abandoned(place)
    free = shutil.disk_usage(place).free
    if free < _SPARE * size:
        raise OSError(f"{free / 1e6:,.0f} MB free, {_SPARE * size / 1e6:,.0f} MB wanted")
    folder, lock = _locked_folder(place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        # A network file system keeps names of open files: then the lock lasts as long as the
        # process.
        if not folder.exists():
            os.close(lock)


def _locked_folder(place: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_COPY, dir=place))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # removed by another process before it was locked
        try:
            if try_lock(lock) and folder.exists():
                return folder, lock
        except OSError:  # some network file systems cannot lock a folder
            os.close(lock)
            folder.rmdir()
            raise
        os.close(lock)


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as read, target.open("xb") as written:
        with suppress(OSError, AttributeError):  # not every system can
            while os.copy_file_range(read.fileno(), written.fileno(), _AT_ONCE):
                pass
        shutil.copyfileobj(read, written)  # what that left, mostly nothing
