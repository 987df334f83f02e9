"""Heavy work on a snapshot, outside the process that answers: one helper for each serving process, there only while it is needed."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Concatenate, ParamSpec, TypeVar

from flask import current_app, g, has_app_context, has_request_context

from index.building.snapshots import Damaged
from service.core.contents import Contents, open_contents, verify
from service.core.i18n import N_
from service.core.jobs.worker import Ended, Helper, TooLong
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.web.request_context import desk

LIMIT = 60.0  # seconds of one job; the longest, the check of all rulebooks, takes ten
IDLE = 60.0  # seconds without a job after which the helper ends: after a check it holds 437 MB
_TRIES = 2

P = ParamSpec("P")
T = TypeVar("T")
Source = Path | Contents  # the folder of a snapshot, or a snapshot that is on no disk

_LOG = logging.getLogger(__name__)
_PAGE = (
    N_("This request cannot be answered"),
    N_("What this page needs could not be worked out just now. Please try again in a few seconds."),
)


class Jobs:
    """Runs jobs in a helper process, one after the other, in the order in which they were asked for. Safe for threads."""

    def __init__(self, limit: float = LIMIT, idle: float = IDLE):
        self._limit = limit
        self._idle = idle
        self._queue: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = SimpleQueue()
        self._helper: Helper | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """What ``function`` returns for ``arguments``; both go to the helper, and a function goes by its name.

        What it raises is raised. Raises `Problem` 503 where it takes too long, or the helper ends twice in the middle of it. The
        processor time that it took is charged to the request that asks, in seconds in ``g.job_seconds``.
        """
        job: Future[tuple[Any, BaseException | None, float]] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._work, name="jobs", daemon=True)
                self._thread.start()
        self._queue.put((job, function, arguments))
        try:
            made, raised, seconds = job.result(time_left())
        except TimeoutError as fault:
            job.cancel()
            raise Problem(503, "Others are waiting for this, or it takes long. Ask again in a few seconds.", page=_PAGE) from fault
        if has_request_context():
            g.job_seconds = g.get("job_seconds", 0.0) + seconds
        if raised is not None:
            raise raised
        return made  # type: ignore[no-any-return]

    @property
    def pid(self) -> int | None:
        """The number of the helper's process, None while there is none."""
        helper = self._helper
        return helper.pid if helper else None

    def _work(self) -> None:
        while True:
            try:
                job, function, arguments = self._queue.get(timeout=self._idle if self._helper else None)
            except Empty:
                self._stop()
                continue
            if not job.set_running_or_notify_cancel():
                continue
            try:
                job.set_result(self._done(function, arguments))
            except BaseException as fault:
                job.set_exception(fault)

    def _done(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None, float]:
        for _ in range(_TRIES):
            try:
                self._helper = self._helper or Helper()
                found = self._helper.run(function, arguments, self._limit)
                if isinstance(found[1], Damaged):
                    self._stop()  # what it remembers may come from the damaged files
                return found
            except TooLong as fault:
                self._stop()
                _LOG.warning("%s; the helper process was ended", fault)
                raise Problem(503, f"This took longer than {self._limit:g} seconds. Ask again later.", page=_PAGE) from fault
            except (Ended, OSError) as fault:  # the second where no process can be started
                self._stop()
                _LOG.warning("%s in the middle of %s", fault, function.__name__)
        raise Problem(503, "This could not be worked out just now. Ask again in a few seconds.", page=_PAGE)

    def _stop(self) -> None:
        if self._helper is not None:
            self._helper.stop()
            self._helper = None


JOBS = Jobs()


def _after_fork() -> None:
    """A forked process must not read from the helper of its parent, and has no thread of it."""
    global JOBS
    JOBS = Jobs()


os.register_at_fork(after_in_child=_after_fork)


def time_left() -> float | None:
    """Seconds that the request under way may still wait for jobs, so that it is answered in time; None outside of requests."""
    if not has_request_context():
        return None
    now = time.monotonic()
    until: float = g.setdefault("jobs_until", now + current_app.config["REGULA"].request_timeout)
    return max(0.0, until - now)


def source(snapshot: Snapshot) -> Source:
    """Where jobs find ``snapshot``: its folder, which the helper opens; the snapshot itself where it is on no disk."""
    if has_app_context():
        with suppress(Problem):
            return desk().managed().snapshots.path(snapshot.id)
    return Contents(snapshot.id, snapshot.library)


def run(source: Source, function: Callable[Concatenate[Contents, P], T], *arguments: P.args, **named: P.kwargs) -> T:
    """What ``function`` makes of the snapshot at ``source`` and ``arguments``, in the helper of this process; see `run_by`."""
    return run_by(JOBS, source, function, *arguments, **named)


def run_by(jobs: Jobs, source: Source, function: Callable[Concatenate[Contents, P], T], *arguments: P.args, **named: P.kwargs) -> T:
    """What ``function`` makes of the snapshot at ``source`` and ``arguments``, as one of ``jobs``; at once for one that is on no disk.

    What it raises is raised; besides, `Problem` 503 as by `Jobs.run`, and where the files of the snapshot are gone or damaged.
    """
    if isinstance(source, Contents):
        return function(source, *arguments, **named)
    try:
        made: T = jobs.run(_in_helper, source, function, arguments, named)
        return made
    except (OSError, Damaged) as fault:
        _LOG.warning("%s cannot work on index %s: %s", function.__name__, source.name, fault)
        raise Problem(503, "The files of this index are gone or damaged. Ask again in a few seconds.", page=_PAGE) from fault


def _in_helper(folder: Path, function: Callable[..., T], arguments: tuple[Any, ...], named: dict[str, Any]) -> T:
    try:
        return function(open_contents(folder), *arguments, **named)
    finally:
        verify(folder)  # what comes of files that were altered meanwhile is shown to nobody, and stored nowhere
