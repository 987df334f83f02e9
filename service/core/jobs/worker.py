"""A process for heavy work, behind all that answers questions: it can be killed, and gives its memory back when it ends."""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from index.building.subprocess_task import end_with_parent

_NICE = 10  # below whatever answers


class Ended(RuntimeError):
    """The helper ended in the middle of a job: somebody killed it, or there was no memory."""


class TooLong(RuntimeError):
    """A job took longer than it may; the helper is at it still."""


class Helper:
    """A process of its own that does one job after another; for one thread. It ends with the process that started it."""

    def __init__(self) -> None:
        context = get_context("spawn")  # libraries with threads do not survive a fork
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other,), name="regula-helper", daemon=True)
        self._process.start()
        other.close()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> tuple[Any, BaseException | None, float]:
        """What ``function`` returned, or what it raised, and the seconds of processor time it took.

        Raises `TooLong` after ``limit`` seconds, `Ended` where the process is gone. Both leave nothing to do but `stop`.
        """
        try:
            self._pipe.send_bytes(pickle.dumps((function, arguments)))
            if not self._pipe.poll(limit):
                raise TooLong(f"{function.__name__} took longer than {limit:g} seconds")
            found: tuple[Any, BaseException | None, float] = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as fault:
            self._process.join(1)
            raise Ended(f"the helper process ended with status {self._process.exitcode}") from fault
        return found

    def stop(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()


def _work(pipe: Connection) -> None:
    """What the process does: jobs as they come, until its parent wants no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all of a terminal; this process ends with its parent
    with suppress(OSError):  # a sandbox may forbid it
        os.nice(_NICE)
    end_with_parent()
    while True:
        try:
            job = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_done(job))


def _done(job: bytes) -> bytes:
    before = time.process_time()
    made, raised = None, None
    try:
        function, arguments = pickle.loads(job)  # which imports what the function needs
        made = function(*arguments)
    except Exception as fault:
        fault.add_note(f"In the helper process:\n{''.join(traceback.format_exception(fault))}")
        raised = fault
    took = time.process_time() - before
    try:
        written = pickle.dumps((made, raised, took), pickle.HIGHEST_PROTOCOL)
        pickle.loads(written) if raised else None  # some exceptions can be written and not read
    except Exception as fault:
        written = pickle.dumps((None, RuntimeError(f"{raised or fault!r} cannot be handed over"), took))
    return written
