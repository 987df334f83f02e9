"""The score of a passage: a weighted sum of its signals, with weights learned from practice
questions.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "weights.json"

TOTAL = 2.0  # the greatest sum of all signals: the scale of `index.ranking.boosts`
# The weights are learned without the general encoder and with it, then of prepared rulebooks and of
# those without phrasings apart. Without it, weights of their own gave the latter nothing.
BUILT_IN, PREPARED, UNPHRASED = "signals", "general", "general_unphrased"
KINDS = (BUILT_IN, PREPARED, UNPHRASED)


@cache
def learned() -> dict[str, Any]:
    """Return everything that `make tune` last wrote."""
    return dict(json.loads(WEIGHTS.read_text(encoding="utf-8")))


@cache
def weights(kind: str = BUILT_IN) -> dict[str, float]:
    """Return the weight of each of `SIGNALS` for one of `KINDS`, as `make tune` last wrote them; 0
    for a signal that is newer than that.
    """
    found = learned()[kind].items()
    return defaultdict(float, {name: float(weight) for name, weight in found})


def top(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` greatest of ``values``, the greatest first; of equal
    ones the first one first.
    """
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    places = np.flatnonzero(
        values >= np.partition(values, -count)[-count]
    )  # sorting only these is far quicker
    return places[np.argsort(-values[places], kind="stable")[:count]]


def top_positions(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` greatest of ``values``, ascending; among equal ones the
    choice is arbitrary.
    """
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(values, len(values) - count)[len(values) - count :])
