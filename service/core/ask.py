"""Questions put to the index of a request: answers that were given before are kept ready, and all are counted."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import astuple

from flask import current_app, g

from index.model import Found, Query
from index.store.store import Unreachable
from service.core import metrics
from service.core.cache import BoundedCache
from service.core.problems import Problem
from service.core.turns import Turns
from service.web.request_context import desk

# Answering is work for the processor. Side by side in one process all questions would be done when the last one is; one after the
# other, each waits only for those before it. Unless it waits for a store elsewhere: then another may go on meanwhile.
_TURNS = Turns()


def search(query: Query, first: bool = True) -> Found:
    """What the index of this request finds for ``query``; questions that are not ``first`` let all others pass.

    Raises `Problem` 503 where its store does not answer.
    """
    here = desk()
    snapshot = here.snapshot()
    most: int = current_app.config["REGULA"].answers_kept
    made = False

    def find() -> Found:
        nonlocal made
        made = True
        try:
            with nullcontext() if snapshot.waits else _TURNS.turn(first):
                return snapshot.search(query)
        except Unreachable as fault:
            current_app.logger.error("%s", fault)
            raise Problem.no_store() from fault

    if most:
        cache: BoundedCache[Found] = here.kept("found", lambda _: BoundedCache(most))
        found = cache.get(tuple(repr(each) for each in astuple(query)), find)
        metrics.count_cached(not made)
    else:
        found = find()
    metrics.count_question(found.answered)
    g.answered, g.asked = found.answered, query.question
    return found
