"""The one way in which questions are put to an index: web, assistants, batches and the command line all go through `ask`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import astuple

from index.model import Query, SearchResult
from service.core import metrics
from service.core.snapshot import Snapshot
from service.core.turns import TurnLock

CACHED_ANSWERS = 1024  # answers that a snapshot keeps where a setting does not say otherwise

# Answering is work for the processor. Side by side in one process all questions would be done when the last one is; one after the
# other, each waits only for those before it. An index that waits for a store elsewhere needs no turn: others may go on meanwhile.
_TURNS = TurnLock()


def ask(snapshot: Snapshot, query: Query, interactive: bool = True, cached: int = CACHED_ANSWERS, counted: bool = True) -> SearchResult:
    """Return what ``snapshot`` finds for ``query``, and count the question unless it is one that was answered before (``counted``).

    ``interactive`` questions, for which a person waits, go before all others, such as the rows of a batch. At most ``cached``
    answers are kept for each snapshot, none where it is 0. Raises `index.store.protocol.StoreUnreachable` where the store of the
    index does not answer.
    """
    searched = False

    def search() -> SearchResult:
        nonlocal searched
        searched = True
        with nullcontext() if snapshot.waits else _TURNS.turn(interactive):
            return snapshot.search(query)

    if cached:
        found = snapshot.cache.get(("answer", *(repr(each) for each in astuple(query))), search, most=cached)
        if counted:
            metrics.count_cached(not searched)
    else:
        found = search()
    if counted:
        metrics.count_question(found.answered, found.settled)
    return found
