"""The index of a server that has to answer at once: opened, or built, while the first calls wait."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread

from corpus.errors import RegulaError
from service.core.problems import Problem
from service.core.snapshot import IndexSource, Snapshot

_LOG = logging.getLogger("regula")
WAIT = 45.0  # seconds that a call waits; assistants give up on one after a minute


class BackgroundIndexLoader:
    """The current index of ``indexes``, which ``load`` opens or builds in the background; a call waits ``wait`` seconds for it.

    Assistants start the server and want its list of tools within seconds, while building an index takes minutes.
    """

    def __init__(self, indexes: IndexSource, load: Callable[[], Snapshot], wait: float = WAIT):
        self._indexes = indexes
        self._wait = wait
        self._loaded: Future[Snapshot] = Future()
        Thread(target=self._load, args=(load,), name="opening", daemon=True).start()

    def _load(self, load: Callable[[], Snapshot]) -> None:
        try:
            self._loaded.set_result(load())
        except (RegulaError, OSError) as fault:  # told to whoever asks
            self._loaded.set_exception(fault)
        except Exception as fault:
            _LOG.exception("opening the index failed")
            self._loaded.set_exception(fault)

    def snapshot(self) -> Snapshot:
        """Return the current snapshot. Raises `Problem` 503 where it takes longer, or cannot be had."""
        try:
            loaded = self._loaded.result(self._wait)
        except TimeoutError:
            raise Problem(503, "The index is still being built from the rulebooks. Ask again in a minute.") from None
        except (RegulaError, OSError) as fault:
            raise Problem(503, f"There is no index to answer from: {fault}") from fault
        except Exception as fault:
            raise Problem(503, "There is no index to answer from: a fault of the program, which is in its log.") from fault
        return self._indexes.current() or loaded
