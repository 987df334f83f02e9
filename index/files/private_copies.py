"""Private copies of files, without names: nobody can change what was opened or mapped from them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

from corpus.errors import RegulaError

_PREFIX = ".regula-serving-"
_SPARE = 2  # times its size that has to be free for a copy: it must not take the last room
_COPIERS = 4  # threads that copy files, which they do side by side
_AT_ONCE = 1 << 30  # bytes


class NoSpace(RegulaError, OSError):
    """No folder has room for a copy; the message says why."""


@contextmanager
def private_copy(source: Path, names: Sequence[str], places: Sequence[Path]) -> Iterator[Path]:
    """A new folder, in the first of ``places`` with room, with copies of the files ``names`` of
    ``source``.

    It is removed afterwards; what was opened or mapped inside lives on without a name. Where the
    file system supports it, a copy shares its blocks with the original until one of them is written
    to. Raises `NoSpace`, and `OSError` for a missing file.
    """
    size = sum((source / name).stat().st_size for name in names)
    reasons = []
    for place in places:
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(_folder(place, size))
                _copy(source, names, folder)
            except OSError as fault:
                reasons.append(f"{place}: {fault.strerror or fault}")
                continue
            yield folder
            return
    raise NoSpace(f"no room for a copy of {size / 1e6:,.0f} MB ({'; '.join(reasons)})")


def remove_abandoned(place: Path) -> None:
    """Remove the copies in ``place`` whose processes have ended."""
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if lock_descriptor(lock, blocking=False):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


@contextmanager
def _folder(place: Path, size: int) -> Iterator[Path]:
    """A new folder in ``place``, removed afterwards; locked, so that others know that its process
    lives. Raises `OSError`.
    """
    remove_abandoned(place)
    free = shutil.disk_usage(place).free
    if free < _SPARE * size:
        raise OSError(f"{free / 1e6:,.0f} MB free, {_SPARE * size / 1e6:,.0f} MB wanted")
    folder, lock = _locked(place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():  # a network file system keeps names of open files: then the lock lasts as long as the process
            os.close(lock)


def _locked(place: Path) -> tuple[Path, int]:
    """A new folder in ``place``, and the open lock on it."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # swept by another process before it was locked
        try:
            if lock_descriptor(lock, blocking=False) and folder.exists():
                return folder, lock
        except OSError:  # some network file systems cannot lock a folder
            os.close(lock)
            folder.rmdir()
            raise
        os.close(lock)


def _copy(source: Path, names: Sequence[str], target: Path) -> None:
    for folder in {(target / name).parent for name in names}:
        folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_COPIERS) as pool:
        for _ in pool.map(lambda name: _copy_file(source / name, target / name), names):
            pass


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as read, target.open("xb") as written:
        with suppress(OSError, AttributeError):  # not every system can
            while os.copy_file_range(read.fileno(), written.fileno(), _AT_ONCE):
                pass
        shutil.copyfileobj(read, written)  # what that left, mostly nothing
