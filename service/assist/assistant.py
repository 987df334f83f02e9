"""Answer questions with the help of a language model, within a time limit. Only passages of the
index are shown, whatever the model replies.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from threading import BoundedSemaphore

from index.model import Hit, Query, SearchResult
from index.store.protocol import StoreUnreachable
from service.assist.lookup_request import Lookup, LookupReply
from service.core import metrics, parameters
from service.core.ask import CACHED_ANSWERS, ask
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.llm.client import ModelClient
from service.llm.model_request import BadReply, BudgetSpent, ModelError, ModelTimeout, NotRecorded
from service.schemas.answer import AssistNote

SHOWN = 12  # passages found for the question that the model sees
_MORE = 8  # passages found for each reformulation
_MOST_CHOSEN = 3
_SETTLING_TIME = 0.2  # seconds; no reply takes less
# Weight of the model's choice in the confidence, beside the confidence without it. Measured on 73
# unseen questions with the request of `service.assist.lookup_request`: the model named passages for
# all 62 that the rulebook settles, 59 of them right, and for none of the 11 that it leaves open.
_CHOSEN = 0.75
_NOTES = {
    ModelTimeout: AssistNote.TIMEOUT,
    BadReply: AssistNote.BAD_REPLY,
    BudgetSpent: AssistNote.BUDGET,
    NotRecorded: AssistNote.NOT_RECORDED,
}


@dataclass(frozen=True)
class Assistance:
    """The contribution of a ``model`` to an answer: the ``queries`` that it asked for, and the ids
    of the ``chosen`` passages, the best first.

    ``ms`` is the duration in milliseconds. A ``note`` says why the model contributed nothing.
    """

    queries: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    model: str | None = None
    ms: int = 0
    note: AssistNote | None = None


@dataclass(frozen=True)
class AssistedResult:
    """A result, and the model's contribution to it; None if no help was needed."""

    result: SearchResult
    assistance: Assistance | None


class _Unassisted(Exception):
    """Raised if the model cannot help with this question now."""

    def __init__(self, note: AssistNote):
        self.note = note


class Assistant:
    """Answers questions with the help of the model of ``client``, each in at most ``seconds``.
    Thread-safe.

    At most ``most`` questions get help at once; further questions are answered without the model.
    """

    def __init__(self, client: ModelClient, seconds: float, most: int):
        self.client = client
        self._seconds = seconds
        self.most = most
        self._free = BoundedSemaphore(most)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """The threads that wait for replies, created on first use, since threads do not survive a
        fork.
        """
        return ThreadPoolExecutor(self.most, thread_name_prefix="model")

    def ask(
        self,
        snapshot: Snapshot,
        query: Query,
        interactive: bool = True,
        cached: int = CACHED_ANSWERS,
    ) -> AssistedResult:
        """Return the result of ``snapshot`` for ``query``, with the passages that the model chose
        first; arguments as in `service.core.ask.ask`.

        Raises `index.store.protocol.StoreUnreachable` if the store does not answer even without the
        model.
        """
        started = time.monotonic()
        plain = ask(snapshot, query, interactive, cached)
        if not plain.in_effect:  # there is nothing to look up
            return AssistedResult(plain, None)
        key = ("assisted", self.client.name, *map(repr, astuple(query)))
        try:
            if cached:
                found = snapshot.cache.get(
                    key, lambda: self._looked_up(snapshot, plain, interactive, started), most=cached
                )
            else:
                found = self._looked_up(snapshot, plain, interactive, started)
            metrics.count("regula_assisted", "chosen" if found.result.answered else "open")
            return found
        except _Unassisted as failure:
            metrics.count("regula_assisted", failure.note)
            ms = _milliseconds(started)
            return AssistedResult(
                plain, Assistance(model=self.client.name, ms=ms, note=failure.note)
            )

    def _looked_up(
        self, snapshot: Snapshot, plain: SearchResult, interactive: bool, started: float
    ) -> AssistedResult:
        if not self._free.acquire(blocking=False):
            raise _Unassisted(AssistNote.BUSY)
        try:
            lookup, chosen = self._loop(snapshot, plain, interactive, started + self._seconds)
        except ModelError as fault:
            kinds = (note for kind, note in _NOTES.items() if isinstance(fault, kind))
            raise _Unassisted(next(kinds, AssistNote.UNREACHABLE)) from fault
        except StoreUnreachable as fault:
            raise _Unassisted(AssistNote.UNREACHABLE) from fault
        finally:
            self._free.release()
        assistance = Assistance(
            queries=tuple(lookup.searches)[1:],
            chosen=tuple(hit.passage.id for hit in chosen),
            model=self.client.name,
            ms=_milliseconds(started),
        )
        return AssistedResult(_reranked(plain, chosen), assistance)

    def _loop(
        self, snapshot: Snapshot, plain: SearchResult, interactive: bool, end: float
    ) -> tuple[Lookup, list[Hit]]:
        """Ask the model and run its searches until it asks for no more; return all searches and the
        hits it chose. Raises `ModelError`, `StoreUnreachable`.
        """
        asked = replace(plain.query, k=SHOWN)
        query = replace(asked, question=plain.whole_question, context=())
        lookup = Lookup(snapshot.library, query)
        first = plain
        if plain.query.k != SHOWN:
            first = ask(snapshot, asked, interactive, 0, counted=False)
        lookup.add(query.question, first.hits[:SHOWN])
        while True:
            reply = self._reply(lookup, end)
            searches = _searches(reply, lookup)
            if not searches:
                return lookup, _chosen(reply, lookup.hits)
            for search in searches:
                other = replace(query, question=search, language=None, k=_MORE)
                found = ask(snapshot, other, interactive, 0, counted=False)
                lookup.add(search, found.hits)

    def _reply(self, lookup: Lookup, end: float) -> LookupReply:
        left = end - time.monotonic()
        if left < _SETTLING_TIME:
            raise ModelTimeout("no time is left")
        call = self._pool.submit(self.client.ask, lookup.request(), left)
        try:
            return call.result(left)
        except FutureTimeout:
            call.cancel()
            raise ModelTimeout("the model did not answer in time") from None


def unassisted(
    snapshot: Snapshot, query: Query, interactive: bool = True, cached: int = CACHED_ANSWERS
) -> AssistedResult:
    """Return the answer without a model, with the note that assistance is off."""
    return AssistedResult(
        ask(snapshot, query, interactive, cached), Assistance(note=AssistNote.OFF)
    )


def _searches(reply: LookupReply, lookup: Lookup) -> list[str]:
    """Return the new searches that ``reply`` asks for, except invalid questions."""
    found: dict[str, None] = {}
    for text in reply.queries:
        line = " ".join(text.split())
        try:
            parameters.question(line)
        except Problem:
            continue
        if line not in lookup.searches:
            found[line] = None
    return list(found)[: lookup.queries_left]


def _chosen(reply: LookupReply, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits that ``reply`` names by number, each once; invalid numbers are ignored."""
    numbers = [number for number in dict.fromkeys(reply.settled_by) if 1 <= number <= len(hits)]
    return [hits[number - 1] for number in numbers[:_MOST_CHOSEN]]


def _reranked(plain: SearchResult, chosen: Sequence[Hit]) -> SearchResult:
    """Return the result ``plain`` with the ``chosen`` hits first and updated confidence."""
    first = {passage.id for hit in chosen for passage in (hit.passage, *hit.duplicates)}
    others = [hit for hit in plain.hits if hit.passage.id not in first]
    confidence = (1 - _CHOSEN) * plain.confidence + (_CHOSEN if chosen else 0.0)
    return replace(
        plain,
        hits=(*chosen, *others)[: plain.query.depth],
        confidence=plain.confidence if plain.ruled else confidence,
        answered=bool(chosen) or plain.ruled,
        # The chosen passages answer the whole question, so they come first.
        parts=() if chosen else plain.parts,
        lacking=() if chosen else plain.lacking,
    )


def _milliseconds(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
