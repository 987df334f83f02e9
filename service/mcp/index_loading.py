"""The index of a server that has to answer at once: opened, or built, while the first calls wait."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TakesLong
from threading import Thread

from corpus.errors import RegulaError
from service.core.problems import Problem
from service.core.snapshot import IndexSource, Snapshot

_LOG = logging.getLogger("regula")
WAIT = 45.0  # seconds that a call waits; assistants give up on one after a minute


class Opening:
    """The current index of ``indexes``, which ``ready`` opens in the background.

    Assistants start the server and want its list of tools within seconds, while building an index takes minutes.
    """

    def __init__(self, indexes: IndexSource, ready: Callable[[], Snapshot], wait: float = WAIT):
        self._indexes = indexes
        self._wait = wait
        self._opened: Future[Snapshot] = Future()
        Thread(target=self._open, args=(ready,), name="opening", daemon=True).start()

    def _open(self, ready: Callable[[], Snapshot]) -> None:
        try:
            self._opened.set_result(ready())
        except (RegulaError, OSError) as fault:  # told to whoever asks
            self._opened.set_exception(fault)
        except Exception as fault:
            _LOG.exception("opening the index failed")
            self._opened.set_exception(fault)

    def snapshot(self) -> Snapshot:
        """The current index. Raises `Problem` 503 where it takes longer, or cannot be had."""
        try:
            opened = self._opened.result(self._wait)
        except TakesLong:
            raise Problem(503, "The index is still being built from the rulebooks. Ask again in a minute.") from None
        except (RegulaError, OSError) as fault:
            raise Problem(503, f"There is no index to answer from: {fault}") from fault
        except Exception as fault:
            raise Problem(503, "There is no index to answer from: a fault of the program, which is in its log.") from fault
        return self._indexes.current() or opened
