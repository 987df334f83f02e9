"""Questions put to the index of a request: answers that were given before are kept ready, and all are counted."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import astuple
from threading import Lock

from flask import current_app, g

from index.model import Found, Query
from index.store.store import Unreachable
from service import metrics
from service.desk import desk
from service.keeping import Kept
from service.problems import Problem

# Answering is work for the processor. Side by side in one process all questions would be done when the last one is; one after the
# other, each waits only for those before it. Unless it waits for a store elsewhere: then another may go on meanwhile.
_TURN = Lock()


def search(query: Query) -> Found:
    """What the index of this request finds for ``query``. Raises `Problem` 503 where its store does not answer."""
    here = desk()
    snapshot = here.snapshot()
    most: int = current_app.config["REGULA"].answers_kept
    made = False

    def find() -> Found:
        nonlocal made
        made = True
        try:
            with nullcontext() if snapshot.waits else _TURN:
                return snapshot.search(query)
        except Unreachable as fault:
            current_app.logger.error("%s", fault)
            raise Problem.no_store() from fault

    if most:
        kept: Kept[Found] = here.kept("found", lambda _: Kept(most))
        found = kept.get(tuple(repr(each) for each in astuple(query)), find)
        metrics.KEPT.labels("miss" if made else "hit").inc()
    else:
        found = find()
    metrics.QUESTIONS.labels("yes" if found.answered else "no").inc()
    g.answered, g.asked = found.answered, query.question
    return found
