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
# The weights are learned without the general encoder and with it, then separately for rulebooks
# with and without query variants. Without it, separate weights gained nothing.
BUILT_IN, PREPARED, UNPHRASED = "signals", "general", "general_unphrased"
KINDS = (BUILT_IN, PREPARED, UNPHRASED)


@cache
def learned() -> dict[str, Any]:
    """Return all weights and thresholds that `make tune` last learned."""
    return dict(json.loads(WEIGHTS.read_text(encoding="utf-8")))


@cache
def weights(kind: str = BUILT_IN) -> dict[str, float]:
    """Return the learned weight of each of `SIGNALS` for ``kind``, one of `KINDS`; 0 for a signal
    added since.
    """
    found = learned()[kind].items()
    return defaultdict(float, {name: float(weight) for name, weight in found})


def top(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` greatest of ``values``, the greatest first; equal
    values in order of position.
    """
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    places = np.flatnonzero(
        values >= np.partition(values, -count)[-count]
    )  # sorting these alone is far quicker
    return places[np.argsort(-values[places], kind="stable")[:count]]


def top_positions(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` greatest of ``values``, in ascending order; the choice
    among equal values is arbitrary.
    """
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(values, len(values) - count)[len(values) - count :])
