"""What takes seconds to make of a snapshot: made by a helper process, stored for all processes,
waited for only a moment.

A `Work` says what is made. Right after an index is published, `service.ops.preparation` makes what
visitors are known to ask for; whatever is asked for before that, or besides, is made at the first
request, which does not wait for it longer than `PATIENCE`.
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
from service.core.jobs.stored_files import read_stored, render_once, stored_path
from service.core.problems import Problem
from service.core.snapshot import SnapshotContents, open_contents, verify

PATIENCE = 2.0  # seconds that a request waits for what is not stored yet
_PAUSE = 60.0  # seconds for which a failure is told before the work is tried again
_AT_ONCE = 4  # works that threads of one process wait for
_KEPT = 16  # objects that a snapshot keeps in memory, of all works
_UNSTORED = 32 << 20  # bytes of results that are kept in memory where they cannot be stored
_SLOW = 300.0  # seconds that a slow work may take
_PACKAGES = ("corpus", "glossary", "index", "service")
_PLAIN = {
    ("collections", "Counter"),
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("datetime", "date"),
}
_FILE, _OBJECT = b"f", b"o"  # what a stored result begins with
_LOG = logging.getLogger(__name__)

T = TypeVar("T")


class Preparing(Problem):
    """503: what is asked for is being made; it is there in a few seconds. A page shows how far the
    work is and loads again.
    """

    def __init__(self) -> None:
        super().__init__(
            503, N_("This is being prepared. Ask again in a few seconds."), page=UNANSWERED
        )


@dataclass(frozen=True)
class Work(Generic[T]):
    """Something to be made of a snapshot: what ``function`` returns for its contents and
    ``arguments``.

    ``name`` says what it is, with everything that the result depends on besides the snapshot.
    ``function`` belongs to a module and is called in a helper process. A result that is ``kept``
    stays in the memory of a process that has read it. A ``slow`` work does not hold up the others.
    """

    name: tuple[str, ...]
    function: Callable[..., T]
    arguments: tuple[Any, ...] = ()
    kept: bool = False
    slow: bool = False


def stored(snapshot: SnapshotContents, work: Work[T], patience: float | None = None) -> T:
    """Return the result of ``work`` on ``snapshot``; where it is not stored yet, a helper process
    makes it.

    Raises `Preparing` where that takes longer than ``patience`` seconds (by default `PATIENCE` in a
    request, elsewhere it is waited for); the work goes on meanwhile. Raises what the work raises,
    and `Problem` 503 where it cannot be done now. A snapshot that is on no disk is worked on at
    once, in this process.
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
    """Return whether the result of ``work`` on the snapshot in ``folder`` is there."""
    return stored_path(folder, work.name).exists()


def made(contents: SnapshotContents, work: Work[T]) -> T:
    """Return the result of ``work`` as `stored`, made here and now where it is missing: for
    functions of works that build on others.
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
    """Have ``queue`` do ``work`` on the snapshot in ``folder`` unless its result is stored, and
    return the stored bytes.

    Raises what the work raises, and `Problem` 503 where it cannot be done, or where the files of
    the snapshot are gone or damaged.
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
    """The works that this process waits for, what became of those that failed, and results that
    could not be stored.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="prepared")
        self._queues = {False: JobQueue(), True: JobQueue(_SLOW)}
        self._running: dict[Path, Future[bytes]] = {}
        self._failures: dict[Path, tuple[float, BaseException]] = {}  # with the time of each
        self._unstored: dict[Path, bytes] = {}  # the oldest first
        self._lock = Lock()

    def begin(self, folder: Path, work: Work[Any]) -> Future[bytes]:
        """Return the result to come of ``work``, which is begun unless it is under way, has failed
        a moment ago, or could not be stored.
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
            if time.monotonic() - begun > PATIENCE:  # else whoever asked has been told
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
    """Return those of this process; a forked one has neither the threads of its parent nor may it
    read from its helpers.
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
    """Do ``work`` here; what comes of files that were altered meanwhile is shown to nobody, and
    stored nowhere.
    """
    contents = open_contents(folder)
    try:
        return _encoded(work.function(contents, *work.arguments))
    finally:
        verify(folder)


def _encoded(result: Any) -> bytes:
    """Return ``result`` as it is stored."""
    if isinstance(result, bytes):
        return _FILE + result
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(result)
    return _OBJECT + file.getvalue()


def _decoded(raw: bytes, library: Library) -> Any:
    """Return the result that is stored as ``raw``."""
    return raw[1:] if raw[:1] == _FILE else _Unpickler(io.BytesIO(raw[1:]), library).load()


class _Pickler(pickle.Pickler):
    """Writes objects without what the library has: an entry, passage or edition is written by its
    id.
    """

    def persistent_id(self, obj: Any) -> tuple[str, str] | None:
        """Return what names ``obj``; None for what is written out."""
        return (type(obj).__name__, obj.id) if type(obj) in (Edition, Entry, Passage) else None

    def reducer_override(self, obj: Any) -> Any:
        """Return how a member of an enumeration is made; leave the rest to `pickle`.

        Python before 3.11.4 writes a call of `getattr` for one, which `_Unpickler` refuses.
        """
        return (type(obj), (obj.value,)) if isinstance(obj, Enum) else NotImplemented


class _Unpickler(pickle.Unpickler):
    """Reads objects, taking what is named from ``library``. A file that somebody else has written
    can make no other objects than ours.
    """

    def __init__(self, file: io.BytesIO, library: Library):
        super().__init__(file)
        self._library = library

    def persistent_load(self, pid: Any) -> Any:
        """Return the edition, entry or passage that ``pid`` names."""
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
            if module.partition(".")[0] in _PACKAGES or (module, name) in _PLAIN
            else None
        )
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is not read from a file")
        return found
