"""Ask an index a question; web, assistants, batches and the command line all use `ask`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import astuple
from threading import Condition

from index.model import Query, SearchResult
from service.core import metrics
from service.core.snapshot import Snapshot

CACHED_ANSWERS = 1024  # answers cached for a snapshot by default


class TurnLock:
    """A lock that interactive waiters always get before others. Thread-safe."""

    def __init__(self) -> None:
        self._free = Condition()
        self._taken = False
        self._interactive = 0  # interactive waiters

    @contextmanager
    def turn(self, interactive: bool = True) -> Iterator[None]:
        """Hold the lock inside the block."""
        with self._free:
            self._interactive += interactive
            while self._taken or (self._interactive and not interactive):
                self._free.wait()
            self._interactive -= interactive
            self._taken = True
        try:
            yield
        finally:
            with self._free:
                self._taken = False
                self._free.notify_all()


# Answering is CPU-bound. In parallel, all questions would be done when the last one is; in turns,
# each waits only for those before it. An index that waits for a store elsewhere needs no turn.
_TURNS = TurnLock()


def ask(
    snapshot: Snapshot,
    query: Query,
    interactive: bool = True,
    cached: int = CACHED_ANSWERS,
    counted: bool = True,
) -> SearchResult:
    """Return the result of ``snapshot`` for ``query``, and count it in the metrics if ``counted``.

    ``interactive`` questions, for which a person waits, go before all others, such as the rows of a
    batch. At most ``cached`` answers are kept for each snapshot, 0 for none. Raises
    `index.store.protocol.StoreUnreachable` if the store of the index does not answer.
    """
    searched = False

    def search() -> SearchResult:
        nonlocal searched
        searched = True
        with nullcontext() if snapshot.waits else _TURNS.turn(interactive):
            return snapshot.search(query)

    if cached:
        found = snapshot.cache.get(("answer", *map(repr, astuple(query))), search, most=cached)
        if counted:
            metrics.count("regula_kept_answers", "miss" if searched else "hit")
    else:
        found = search()
    if counted:
        metrics.count("regula_questions", "yes" if found.answered else "no")
        metrics.count("regula_verdicts", found.settled)
    return found
