"""Results that take seconds to compute from a snapshot: computed by a helper process, and stored
for all processes.

A `Work` describes such a result. After an index is published, `service.ops.preparing` computes the
results that visitors usually request. Other results are computed at the first request, which waits
at most `PATIENCE`.
"""

from __future__ import annotations

import io
import logging
import os
import pickle
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from corpus.model import Edition, Entry, Passage
from index.building.snapshots import Damaged
from index.library.library import Library
from service.core.i18n import N_
from service.core.jobs.queue import UNANSWERED, JobQueue, time_left
from service.core.jobs.stored_files import PACKAGES, read_stored, render_once, stored_path
from service.core.problems import Problem
from service.core.snapshot import SnapshotContents, open_contents, verify

PATIENCE = 2.0  # seconds that a request waits for a result not stored yet
_PAUSE = 60.0  # seconds after a failure before the work is tried again
_AT_ONCE = 4  # works that threads of one process wait for at the same time
_KEPT = 16  # results that a snapshot keeps in memory
_UNSTORED = 32 << 20  # bytes of results kept in memory because they cannot be stored
_SLOW = 300.0  # seconds that a slow work may take
_PLAIN = {
    ("collections", "Counter"),
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("datetime", "date"),
}
_FILE, _OBJECT = b"f", b"o"  # the first byte of a stored result: bytes, or a pickled object
_LOG = logging.getLogger(__name__)

T = TypeVar("T")


class Preparing(Problem):
    """503: the requested result is being computed and will be ready in a few seconds. A page shows
    the progress and reloads.
    """

    def __init__(self) -> None:
        super().__init__(
            503, N_("This is being prepared. Ask again in a few seconds."), page=UNANSWERED
        )


@dataclass(frozen=True)
class Work(Generic[T]):
    """A result to compute from a snapshot: ``function`` applied to its contents and ``arguments``.

    Attributes:
        name: Identifies the result, with everything that it depends on besides the snapshot.
        function: A function of a module, called in a helper process.
        kept: Whether a process that has read the result keeps it in memory.
        slow: Whether it runs in a queue of its own, so that other works do not wait for it.
    """

    name: tuple[str, ...]
    function: Callable[..., T]
    arguments: tuple[Any, ...] = ()
    kept: bool = False
    slow: bool = False


def stored(snapshot: SnapshotContents, work: Work[T], patience: float | None = None) -> T:
    """Return the result of ``work`` on ``snapshot``; if it is not stored yet, a helper process
    computes it (this process if the snapshot has no folder).

    Raises `Preparing` if that takes longer than ``patience`` seconds, while the work continues; the
    default is `PATIENCE` in a request, otherwise no limit. Raises exceptions of the work, and
    `Problem` 503 if it cannot be done now.
    """
    folder = snapshot.folder
    if folder is None:
        return snapshot.cache.get(
            ("made", *work.name), lambda: work.function(snapshot, *work.arguments), most=_KEPT
        )

    def load() -> T:
        found: T = _decoded(_file(folder, work, patience), snapshot.library)
        return found

    return snapshot.cache.get(("stored", *work.name), load, most=_KEPT) if work.kept else load()


def is_stored(folder: Path, work: Work[Any]) -> bool:
    """Return whether the result of ``work`` on the snapshot in ``folder`` is stored."""
    return stored_path(folder, work.name).exists()


def made(contents: SnapshotContents, work: Work[T]) -> T:
    """Return the result of ``work`` like `stored`, but compute it in this process if it is missing:
    for works that use results of others.
    """
    folder = contents.folder
    if folder is None:
        return stored(contents, work)

    def load() -> T:
        found: T = _decoded(
            render_once(folder, work.name, lambda: _made_of(folder, work)), contents.library
        )
        return found

    return contents.cache.get(("stored", *work.name), load, most=_KEPT)


def make_in(queue: JobQueue, folder: Path, work: Work[Any]) -> bytes:
    """Run ``work`` on the snapshot in ``folder`` in ``queue``, unless its result is stored; return
    the stored bytes.

    Raises exceptions of the work, and `Problem` 503 if it cannot be done, or if the files of the
    snapshot are gone or damaged.
    """

    def make() -> bytes:
        try:
            return queue.run(_made_of, folder, work)
        except (OSError, Damaged) as fault:
            _LOG.warning("%s cannot work on index %s: %s", " ".join(work.name), folder.name, fault)
            raise Problem(
                503,
                N_("The files of this index are gone or damaged. Ask again in a few seconds."),
                page=UNANSWERED,
            ) from fault

    return render_once(folder, work.name, make)


class _Flights:
    """The running works that this process waits for, recent failures, and results that could not be
    stored.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="prepared")
        self._queues = {False: JobQueue(), True: JobQueue(_SLOW)}
        self._running: dict[Path, Future[bytes]] = {}
        self._failures: dict[Path, tuple[float, BaseException]] = {}  # with the time of each
        self._unstored: dict[Path, bytes] = {}  # the oldest first
        self._lock = Lock()

    def begin(self, folder: Path, work: Work[Any]) -> Future[bytes]:
        """Return a future for ``work``; start the work unless it is running, has just failed, or
        its result is kept because it could not be stored.
        """
        path = stored_path(folder, work.name)
        with self._lock:
            if path in self._running:
                return self._running[path]
            future: Future[bytes] = Future()
            failed, fault = self._failures.get(path, (-_PAUSE, None))
            if fault is not None and time.monotonic() < failed + _PAUSE:
                future.set_exception(fault)
            elif path in self._unstored:
                future.set_result(self._unstored[path])
            else:
                future = self._running[path] = self._threads.submit(self._run, path, folder, work)
            return future

    def _run(self, path: Path, folder: Path, work: Work[Any]) -> bytes:
        begun = time.monotonic()
        try:
            found = make_in(self._queues[work.slow], folder, work)
            with self._lock:
                if not path.exists() and len(found) <= _UNSTORED:
                    self._unstored[path] = found
                    while sum(map(len, self._unstored.values())) > _UNSTORED:
                        del self._unstored[next(iter(self._unstored))]
            return found
        except BaseException as fault:
            if time.monotonic() - begun > PATIENCE:  # otherwise the caller gets the exception
                with self._lock:
                    now = time.monotonic()
                    recent = {
                        path: failure
                        for path, failure in self._failures.items()
                        if failure[0] > now - _PAUSE
                    }
                    self._failures = recent | {path: (now, fault)}
            raise
        finally:
            with self._lock:
                del self._running[path]


@cache
def _flights() -> _Flights:
    """Return the works of this process. A forked process gets new ones, as it lacks its parent's
    threads and must not read from its helpers.
    """
    return _Flights()


os.register_at_fork(after_in_child=_flights.cache_clear)


def _file(folder: Path, work: Work[Any], patience: float | None) -> bytes:
    found = read_stored(stored_path(folder, work.name))
    if found is not None:
        return found
    future = _flights().begin(folder, work)
    if patience is None and time_left() is not None:
        patience = PATIENCE
    try:
        return future.result(patience)
    except TimeoutError:
        if future.done():  # raised by the work itself
            raise
        raise Preparing from None


def _made_of(folder: Path, work: Work[Any]) -> bytes:
    """Run ``work`` in this process. Raises `Damaged` if files were altered meanwhile."""
    contents = open_contents(folder)
    try:
        return _encoded(work.function(contents, *work.arguments))
    finally:
        verify(folder)


def _encoded(result: Any) -> bytes:
    """Return ``result`` encoded for storing."""
    if isinstance(result, bytes):
        return _FILE + result
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(result)
    return _OBJECT + file.getvalue()


def _decoded(raw: bytes, library: Library) -> Any:
    """Decode the stored result ``raw``; entries, passages and editions come from ``library``."""
    return raw[1:] if raw[:1] == _FILE else _Unpickler(io.BytesIO(raw[1:]), library).load()


class _Pickler(pickle.Pickler):
    """Pickles objects with the ids of entries, passages and editions in place of these."""

    def persistent_id(self, obj: Any) -> tuple[str, str] | None:
        """Return the id of ``obj`` in the library; None for objects to be pickled."""
        return (type(obj).__name__, obj.id) if type(obj) in (Edition, Entry, Passage) else None

    def reducer_override(self, obj: Any) -> Any:
        """Return how to recreate a member of an enumeration; leave other objects to `pickle`.

        Python before 3.11.4 would write a call of `getattr`, which `_Unpickler` refuses.
        """
        return (type(obj), (obj.value,)) if isinstance(obj, Enum) else NotImplemented


class _Unpickler(pickle.Unpickler):
    """Unpickles objects, taking entries, passages and editions from ``library``. A forged file
    cannot create objects of foreign classes.
    """

    def __init__(self, file: io.BytesIO, library: Library):
        super().__init__(file)
        self._library = library

    def persistent_load(self, pid: Any) -> Any:
        """Return the edition, entry or passage with the id ``pid``."""
        kind, id = pid
        if kind == Passage.__name__:
            return self._library.passage(id)
        return (self._library.entry if kind == Entry.__name__ else self._library.edition)[id]

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of the program, or a plain container. Raises `pickle.UnpicklingError` for
        anything else.
        """
        found = (
            super().find_class(module, name)
            if module.partition(".")[0] in PACKAGES or (module, name) in _PLAIN
            else None
        )
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is not read from a file")
        return found
