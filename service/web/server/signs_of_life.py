"""A watch over the event loop of a process: where it stands still, the process says where each
thread is, and ends.
"""

from __future__ import annotations

import asyncio
import faulthandler
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

STANDARD_ERROR = 2
_BEAT = 1.0  # seconds
ENDING = 3  # seconds that threads which still answer have once the event loop is over


class LoopWatch:
    """Ends this process where its event loop stands still for ``seconds``, after it has written to
    ``file`` where each thread is.

    The timer is faulthandler's, a thread that needs no interpreter: so it also ends a process in
    which something keeps the interpreter to itself, where no signal is handled and no thread of
    Python gets a turn. It starts anew with every beat of the loop, and ``beat`` is called then.
    ``file`` is the descriptor of a file.
    """

    def __init__(self, seconds: float, file: int, beat: Callable[[], object] = lambda: None):
        self._seconds, self._file, self._beat = seconds, file, beat
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin, where it has not begun yet: uvicorn calls this now and then, as long as it does
        not end.
        """
        self._task = self._task or asyncio.create_task(self._go_on())

    async def _go_on(self) -> None:
        with suppress(asyncio.CancelledError):
            while True:
                faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._file)
                self._beat()
                await asyncio.sleep(_BEAT)

    def end(self) -> None:
        """End this process soon, whatever its threads are at; the event loop is over."""
        faulthandler.dump_traceback_later(ENDING, exit=True, file=self._file)


def watch_interpreter(seconds: float) -> None:
    """End this process where no thread but one gets a turn for ``seconds``, as `LoopWatch` does;
    for one whose event loop is another's.
    """

    def go_on() -> None:
        while True:
            faulthandler.dump_traceback_later(seconds, exit=True, file=STANDARD_ERROR)
            time.sleep(_BEAT)

    Thread(target=go_on, name="signs-of-life", daemon=True).start()
