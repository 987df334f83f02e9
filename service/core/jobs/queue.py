"""Run heavy jobs outside the process that answers: a queue for one worker process, which has a
lower priority, can be killed, and frees its memory when it ends after the last job.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from index.building.snapshots import Damaged
from index.building.subprocess_task import IndependentContext, end_with_parent
from service.core import metrics
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem

LIMIT = 60.0  # seconds of one job; the longest, the check of all rulebooks, takes ten
IDLE = 60.0  # seconds without a job after which the worker ends: after a check it holds 437 MB
NICE = 10  # how much the priority of the worker is lowered
_TRIES = 2

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
UNANSWERED = (  # heading and advice of the error page if a job has no result
    N_("This request cannot be answered"),
    N_("What this page needs could not be worked out just now. Please try again in a few seconds."),
)


class JobBudget:
    """The time that one request may wait for jobs: ``seconds`` from its first job."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._deadline: float | None = None

    def time_left(self) -> float:
        """Return the seconds that the request may still wait, at least 0."""
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._seconds
        return max(0.0, self._deadline - now)


# The budget of the request that the current thread answers; None outside of requests.
CURRENT_BUDGET: ContextVar[JobBudget | None] = ContextVar("job budget", default=None)


def time_left() -> float | None:
    """Return the seconds that the current request may still wait for jobs; None outside of
    requests.
    """
    budget = CURRENT_BUDGET.get()
    return budget.time_left() if budget else None


class WorkerDied(RuntimeError):
    """Raised if the worker process ended during a job: killed, or out of memory."""


class JobTimeout(RuntimeError):
    """Raised if a job took longer than its limit; the worker process still runs it."""


@dataclass(frozen=True)
class JobResult:
    """The return value of a job, or the exception it raised."""

    returned: Any
    raised: BaseException | None


class WorkerProcess:
    """A process that runs jobs one after the other, for one thread, with its priority lowered by
    ``nice``. It ends with its parent.
    """

    def __init__(self, nice: int = NICE) -> None:
        context = IndependentContext()
        self._pipe, other = context.Pipe()
        self._process = context.Process(
            target=_work, args=(other, nice), name="regula-helper", daemon=True
        )
        self._process.start()
        other.close()

    @property
    def pid(self) -> int | None:
        """The id of the process."""
        return self._process.pid

    def run(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], limit: float
    ) -> JobResult:
        """Call ``function`` in the process and return its result.

        Raises `JobTimeout` after ``limit`` seconds, `WorkerDied` if the process is gone; then only
        `stop` may be called.
        """
        try:
            self._pipe.send_bytes(pickle.dumps((function, arguments)))
            if not self._pipe.poll(limit):
                raise JobTimeout(f"{function.__name__} took longer than {limit:g} seconds")
            found: JobResult = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as fault:
            self._process.join(1)
            raise WorkerDied(
                f"the helper process ended with status {self._process.exitcode}"
            ) from fault
        return found

    def stop(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()


def _work(pipe: Connection, nice: int) -> None:
    """Run jobs until the parent closes the pipe: the main loop of the worker process."""
    # Ctrl-C reaches all processes of a terminal; this one ends with its parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):  # a sandbox may forbid it
        os.nice(nice)
    end_with_parent()
    while True:
        try:
            job = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_run(job))


def _run(job: bytes) -> bytes:
    """Run a pickled job and return its pickled `JobResult`."""
    returned, raised = None, None
    try:
        function, arguments = pickle.loads(job)  # imports the module of the function
        returned = function(*arguments)
    except Exception as fault:
        fault.add_note(f"In the helper process:\n{''.join(traceback.format_exception(fault))}")
        raised = fault
    try:
        pickled = pickle.dumps(JobResult(returned, raised), pickle.HIGHEST_PROTOCOL)
        if raised:
            pickle.loads(pickled)  # some exceptions can be pickled but not unpickled
    except Exception as fault:
        lost = RuntimeError(f"{raised or fault!r} cannot be handed over")
        pickled = pickle.dumps(JobResult(None, lost))
    return pickled


class JobQueue:
    """Runs jobs in a worker process, one after the other, in the order of the calls. Thread-safe.

    A job may take ``limit`` seconds; after ``idle`` seconds without a job the worker process ends.
    Its priority is lowered by ``nice``.
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
        """Call ``function`` with ``arguments``, both pickled, in the worker process; return its
        result or raise its exception.

        Raises `Problem` 503 if the job takes too long, or longer than the `JobBudget` of the
        request, or if the worker dies twice during the job.
        """
        future: Future[JobResult] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run_jobs, name="jobs", daemon=True)
                self._thread.start()
        self._queue.put((future, function, arguments))
        metrics.count("regula_jobs_waiting")
        try:
            result = future.result(time_left())
        except TimeoutError as fault:
            future.cancel()
            text = N_("Others are waiting for this, or it takes long. Ask again in a few seconds.")
            raise Problem(503, text, page=UNANSWERED) from fault
        if result.raised is not None:
            raise result.raised
        return result.returned  # type: ignore[no-any-return]

    @property
    def pid(self) -> int | None:
        """The id of the worker process, or None."""
        worker = self._worker
        return worker.pid if worker else None

    def _run_jobs(self) -> None:
        """Run the jobs of the queue: the main loop of the thread."""
        while True:
            try:
                idle = self._idle if self._worker else None
                future, function, arguments = self._queue.get(timeout=idle)
            except Empty:
                self._stop()
                continue
            metrics.count("regula_jobs_waiting", by=-1)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._run(function, arguments))
            except BaseException as fault:
                future.set_exception(fault)

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        """Run one job; if the worker dies, run the job again in a new one."""
        for _ in range(_TRIES):
            try:
                self._worker = self._worker or WorkerProcess(self._nice)
                result = self._worker.run(function, arguments, self._limit)
                if isinstance(result.raised, Damaged):
                    self._stop()  # its caches may come from the damaged files
                return result
            except JobTimeout as fault:
                self._stop()
                _LOG.warning("%s; the helper process was ended", fault)
                text = N_("This took longer than %(limit)s seconds. Ask again later.")
                told = TranslatableText(text, {"limit": int(self._limit)})
                raise Problem(503, told, page=UNANSWERED) from fault
            except (WorkerDied, OSError) as fault:  # OSError: no process can be started
                self._stop()
                _LOG.warning("%s in the middle of %s", fault, function.__name__)
        text = N_("This could not be worked out just now. Ask again in a few seconds.")
        raise Problem(503, text, page=UNANSWERED)

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
