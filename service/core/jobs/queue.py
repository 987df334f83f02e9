"""Heavy work outside the process that answers: a queue of jobs for one worker process, which is
there only while it is needed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from index.building.snapshots import Damaged
from service.core import metrics
from service.core.i18n import N_, TranslatableText
from service.core.jobs import budget
from service.core.jobs.worker import NICE, JobResult, JobTimeout, WorkerDied, WorkerProcess
from service.core.problems import Problem

LIMIT = 60.0  # seconds of one job; the longest, the check of all rulebooks, takes ten
IDLE = 60.0  # seconds without a job after which the worker ends: after a check it holds 437 MB
_TRIES = 2

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_PAGE = (
    N_("This request cannot be answered"),
    N_("What this page needs could not be worked out just now. Please try again in a few seconds."),
)


class JobQueue:
    """Runs jobs in a worker process, one after the other, in the order in which they were asked
    for. Safe for threads.

    A job may take ``limit`` seconds; after ``idle`` seconds without one the worker process ends.
    Its priority is lower by ``nice``.
    """

    def __init__(self, limit: float = LIMIT, idle: float = IDLE, nice: int = NICE):
        self._limit = limit
        self._nice = nice
        self._idle = idle
        self._queue: SimpleQueue[tuple[Future[JobResult], Callable[..., Any], tuple[Any, ...]]] = (
            SimpleQueue()
        )
        self._worker: WorkerProcess | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call ``function`` with ``arguments`` in the worker process and return what it returns.

        Both are pickled, a function by its name. What it raises is raised. Raises `Problem` 503
        where it takes too long, or where the worker dies twice in the middle of it. A request waits
        no longer than its `JobBudget` says.
        """
        future: Future[JobResult] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._work, name="jobs", daemon=True)
                self._thread.start()
        self._queue.put((future, function, arguments))
        metrics.count_jobs(1)
        try:
            result = future.result(budget.time_left())
        except TimeoutError as fault:
            future.cancel()
            raise Problem(
                503,
                N_("Others are waiting for this, or it takes long. Ask again in a few seconds."),
                page=_PAGE,
            ) from fault
        if result.raised is not None:
            raise result.raised
        return result.returned  # type: ignore[no-any-return]

    @property
    def pid(self) -> int | None:
        """The id of the worker process, None while there is none."""
        worker = self._worker
        return worker.pid if worker else None

    def _work(self) -> None:
        """Run the jobs of the queue; this is the thread."""
        while True:
            try:
                future, function, arguments = self._queue.get(
                    timeout=self._idle if self._worker else None
                )
            except Empty:
                self._stop()
                continue
            metrics.count_jobs(-1)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._run(function, arguments))
            except BaseException as fault:
                future.set_exception(fault)

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        """Run one job; where the worker dies in the middle of it, again in another one."""
        for _ in range(_TRIES):
            try:
                self._worker = self._worker or WorkerProcess(self._nice)
                result = self._worker.run(function, arguments, self._limit)
                if isinstance(result.raised, Damaged):
                    self._stop()  # what it has cached may come from the damaged files
                return result
            except JobTimeout as fault:
                self._stop()
                _LOG.warning("%s; the helper process was ended", fault)
                raise Problem(
                    503,
                    TranslatableText(
                        N_("This took longer than %(limit)s seconds. Ask again later."),
                        {"limit": int(self._limit)},
                    ),
                    page=_PAGE,
                ) from fault
            except (WorkerDied, OSError) as fault:  # the second where no process can be started
                self._stop()
                _LOG.warning("%s in the middle of %s", fault, function.__name__)
        raise Problem(
            503,
            N_("This could not be worked out just now. Ask again in a few seconds."),
            page=_PAGE,
        )

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
