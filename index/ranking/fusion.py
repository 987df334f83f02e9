"""The score of a passage: a weighted sum of its signals, the weights learned from practice
questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "weights.json"

# words: BM25 of the question; asking: of its asking sentences alone; characters: of its character
# n-grams; terms: of the official names of what it mentions by other names. vectors: similarity of
# the passage to the question; questions: to the nearest of several asking sentences; phrasings: of
# its nearest phrasing; place: of the best passage in its entry. about: certainty that the question
# mentions the concept of its entry; literal: share of the question's short quotations that it
# contains; length: of the passage, since a longer one settles more; general: similarity to the
# question by the general encoder, where an index has one.
SIGNALS = (
    "words",
    "asking",
    "characters",
    "terms",
    "vectors",
    "questions",
    "phrasings",
    "place",
    "about",
    "literal",
    "length",
    "general",
)
TOTAL = 2.0  # the greatest sum of all signals: the scale of the bonuses in `index.ranking.signals`
SHARES = frozenset(
    {"about", "literal", "length"}
)  # signals from 0 to 1 that are not divided by their greatest value


# The weights are learned without the general encoder and with it, then of prepared rulebooks and of
# those without phrasings apart. Without it, weights of their own gave the latter nothing.
BUILT_IN, PREPARED, UNPHRASED = "signals", "general", "general_unphrased"
KINDS = (BUILT_IN, PREPARED, UNPHRASED)


@cache
def weights(kind: str = BUILT_IN) -> dict[str, float]:
    """Return the weight of each of `SIGNALS` for one of `KINDS`, as `make tune` last wrote them; 0
    for a signal that is newer than that.
    """
    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))[kind]
    return {name: float(learned.get(name, 0.0)) for name in SIGNALS}


def scaled(scores: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float64]]:
    """Score arrays of one shape (n,), each divided by its greatest score, so that signals compare;
    `SHARES` as they are.
    """
    found = {}
    for name, values in scores.items():
        found[name] = np.maximum(values, 0.0).astype(np.float64) / _top(name, values)
    return found


def fuse(
    scores: Mapping[str, NDArray[np.float32]], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    """Return the weighted sum of ``scores`` of one shape (n,), `scaled`.

    Sums keep what reciprocal ranks lose: how far ahead of the next the first passage is.
    """
    values = np.array(list(scores.values()), dtype=np.float64)
    np.maximum(values, 0.0, out=values)
    tops = values.max(axis=1, initial=0.0).tolist()
    worth = [
        weights[name] / (1.0 if name in SHARES or top == 0 else top)
        for name, top in zip(scores, tops, strict=True)
    ]
    return np.asarray(np.dot(worth, values))


def top(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` greatest of ``values``, the greatest first; of equal
    ones the first one first.
    """
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    places = np.flatnonzero(
        values >= np.partition(values, -count)[-count]
    )  # to sort only these is far quicker
    return places[np.argsort(-values[places], kind="stable")[:count]]


def top_positions(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` greatest of ``values``, ascending; among equal ones the
    choice is arbitrary.
    """
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(values, len(values) - count)[len(values) - count :])


def _top(name: str, values: NDArray[np.float32]) -> float:
    """Return what the scores of signal ``name`` are divided by."""
    top = 1.0 if name in SHARES else float(values.max(initial=0.0))
    return top if top > 0 else 1.0
