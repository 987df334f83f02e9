"""A process for heavy work, at a lower priority than what answers questions. It can be killed, and
returns its memory when it ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from index.building.subprocess_task import IndependentContext, end_with_parent

NICE = 10  # how much the priority is below that of what answers


class WorkerDied(RuntimeError):
    """The worker process ended in the middle of a job: somebody killed it, or there was no
    memory.
    """


class JobTimeout(RuntimeError):
    """A job took longer than it may; the worker process is still at it."""


@dataclass(frozen=True)
class JobResult:
    """What a job returned or what it raised."""

    returned: Any
    raised: BaseException | None


class WorkerProcess:
    """A process that runs one job after the other, for one thread, its priority lower by ``nice``.
    It ends with its parent.
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

        Raises `JobTimeout` after ``limit`` seconds, `WorkerDied` where the process is gone; only
        `stop` may follow either.
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
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()


def _work(pipe: Connection, nice: int) -> None:
    """Run jobs as they come, until the parent closes the pipe. This is all that the process
    does.
    """
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C goes to all of a terminal; this process ends with its parent
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
        function, arguments = pickle.loads(job)  # which imports what the function needs
        returned = function(*arguments)
    except Exception as fault:
        fault.add_note(f"In the helper process:\n{''.join(traceback.format_exception(fault))}")
        raised = fault
    try:
        pickled = pickle.dumps(JobResult(returned, raised), pickle.HIGHEST_PROTOCOL)
        pickle.loads(
            pickled
        ) if raised else None  # some exceptions can be pickled and not unpickled
    except Exception as fault:
        pickled = pickle.dumps(
            JobResult(None, RuntimeError(f"{raised or fault!r} cannot be handed over"))
        )
    return pickled
