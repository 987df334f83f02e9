"""What speaks for a passage, made one score: a weighted sum of its parts, the weights learned from practice questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "weights.json"

# words: BM25 of the question, characters: BM25 of its n-grams, asking: BM25 of its asking sentences alone;
# vectors: nearness in meaning of the passage, questions: of the passage to the nearest of several questions asked at once,
# phrasings: of its nearest phrasing, place: of the best passage of the same entry;
# terms: BM25 of the official names of what the question calls otherwise, about: whether the entry is the one of a term that is
# mentioned; literal: of short quotations, those that it holds; length: of the passage, since a longer one settles more.
PARTS = ("words", "asking", "characters", "terms", "vectors", "questions", "phrasings", "place", "about", "literal", "length")
TOTAL = 2.0  # what all parts together come to at most: the scale of the preferences of `index.ranking.signals`
SHARES = frozenset({"about", "literal", "length"})  # from 0 to 1 as they are, not by the best of them


@cache
def weights() -> dict[str, float]:
    """The weight of each of `PARTS`, as `make tune` last wrote them."""
    kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))["parts"]
    return {name: float(kept[name]) for name in PARTS}


def scaled(scores: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float64]]:
    """Score arrays of one shape (n,), each divided by its greatest score, so that parts compare; `SHARES` as they are."""
    found = {}
    for name, values in scores.items():
        found[name] = np.maximum(values, 0.0).astype(np.float64) / _top(name, values)
    return found


def fuse(scores: Mapping[str, NDArray[np.float32]], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of ``scores`` of one shape (n,), `scaled`.

    Sums keep what reciprocal ranks lose: how far ahead of the next the first passage is.
    """
    values = np.array(list(scores.values()), dtype=np.float64)
    np.maximum(values, 0.0, out=values)
    tops = values.max(axis=1, initial=0.0).tolist()
    worth = [weights[name] / (1.0 if name in SHARES or top == 0 else top) for name, top in zip(scores, tops, strict=True)]
    return np.asarray(np.dot(worth, values))


def best(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Where the ``count`` greatest of ``values`` stand, the greatest first, of equal ones the first first."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    places = np.flatnonzero(values >= np.partition(values, -count)[-count])  # to sort only these is far quicker
    return places[np.argsort(-values[places], kind="stable")[:count]]


def greatest(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Where the ``count`` greatest of ``values`` stand, ascending; which of equal ones is not said."""
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(values, len(values) - count)[len(values) - count :])


def _top(name: str, values: NDArray[np.float32]) -> float:
    """What the scores of a part are divided by."""
    top = 1.0 if name in SHARES else float(values.max(initial=0.0))
    return top if top > 0 else 1.0
