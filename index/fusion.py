"""Several rankings made one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

CONSTANT = 20  # of reciprocal rank fusion: how much the first places count more than the next


def reciprocal_ranks(scores: Mapping[str, NDArray[np.float32]], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of score arrays of one shape (n,).

    A text without a score in a ranking (0 or less) gets nothing from it. Ties share the order of the texts.
    """
    fused: NDArray[np.float64] = np.zeros(next(iter(scores.values())).shape, dtype=np.float64)
    for name, values in scores.items():
        order = np.argsort(-values, kind="stable")
        ranks = np.empty(len(values))
        ranks[order] = np.arange(1, len(values) + 1)
        fused += np.where(values > 0, weights[name] / (CONSTANT + ranks), 0.0)
    return fused
