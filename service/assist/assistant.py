"""Answer questions with the help of a model, within a time limit. Whatever the model does, only
passages of the index are shown.
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

SHOWN = 12  # passages of the question's own search that the model sees
_MORE = 8  # passages of each reformulation
_MOST_CHOSEN = 3
_SETTLING_TIME = 0.2  # seconds; a reply cannot come in less
# Confidence where the model has named passages: this much, and the rest as without it. Measured on
# 73 questions of strangers with the request of `service.assist.lookup_request`: the model named
# passages for all 62 that the rulebook settles, 59 of them right, and for none of the 11 that it
# leaves open.
_CHOSEN = 0.75
_NOTES = {
    ModelTimeout: AssistNote.TIMEOUT,
    BadReply: AssistNote.BAD_REPLY,
    BudgetSpent: AssistNote.BUDGET,
    NotRecorded: AssistNote.NOT_RECORDED,
}


@dataclass(frozen=True)
class Assistance:
    """What a model did for an answer: the ``queries`` that it searched for, and the ids of the
    ``chosen`` passages, the best first.

    ``ms`` is the duration in milliseconds. If there is a ``note``, the model did nothing, and the
    answer is the one without it.
    """

    queries: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    model: str | None = None
    ms: int = 0
    note: AssistNote | None = None


@dataclass(frozen=True)
class AssistedResult:
    """A result, and the model's part in it; None where no help was wanted."""

    result: SearchResult
    assistance: Assistance | None


class _Unassisted(Exception):
    """No help is available for this question now."""

    def __init__(self, note: AssistNote):
        self.note = note


class Assistant:
    """Answers questions with the help of the model of ``client``, each in at most ``seconds``.
    Thread-safe.

    At most ``most`` questions are looked up at once; further ones immediately get the answer
    without a model.
    """

    def __init__(self, client: ModelClient, seconds: float, most: int):
        self.client = client
        self._seconds = seconds
        self.most = most
        self._free = BoundedSemaphore(most)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """The threads that wait for replies; created with the first reply, since threads do not
        survive a fork.
        """
        return ThreadPoolExecutor(self.most, thread_name_prefix="model")

    def ask(
        self,
        snapshot: Snapshot,
        query: Query,
        interactive: bool = True,
        cached: int = CACHED_ANSWERS,
    ) -> AssistedResult:
        """Return the result of ``snapshot`` for ``query``, with the passages first that the model
        chose; the arguments are those of `ask`.

        Raises `index.store.protocol.StoreUnreachable` where the store of the index does not answer
        the question itself.
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
        """Ask the model and run its searches until it has chosen. Raises `ModelError`,
        `StoreUnreachable`.
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
    """Return the answer for a request for help where there is no model, or it may not be asked."""
    return AssistedResult(
        ask(snapshot, query, interactive, cached), Assistance(note=AssistNote.OFF)
    )


def _searches(reply: LookupReply, lookup: Lookup) -> list[str]:
    """Return the new searches that ``reply`` asks for, without those that are no valid
    questions.
    """
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
    """Return the hits that ``reply`` names, each once; invalid numbers are ignored."""
    numbers = [number for number in dict.fromkeys(reply.settled_by) if 1 <= number <= len(hits)]
    return [hits[number - 1] for number in numbers[:_MOST_CHOSEN]]


def _reranked(plain: SearchResult, chosen: Sequence[Hit]) -> SearchResult:
    """Return ``plain`` with the ``chosen`` hits first, and with its confidence updated by the
    choice.
    """
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
