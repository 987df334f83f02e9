"""Several rankings made one: a weighted sum of the parts' scores, the weights learned from practice questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "weights.json"


@cache
def weights() -> dict[str, float]:
    """The weight of each part, as `make tune` last wrote them."""
    kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return {name: float(value) for name, value in kept["parts"].items()}


def fuse(scores: Mapping[str, NDArray[np.float32]], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of score arrays of one shape (n,), each divided by its greatest score, so that parts compare.

    Sums keep what reciprocal ranks lose: how far ahead of the next the first passage is.
    """
    fused: NDArray[np.float64] = np.zeros(next(iter(scores.values())).shape, dtype=np.float64)
    for name, values in scores.items():
        top = float(values.max(initial=0.0))
        if top > 0:
            fused += weights[name] * np.maximum(values, 0.0) / top
    return fused
