"""How sure it is that a question is settled by what was found: a logistic regression learned from practice questions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache

from index.ranking.fusion import WEIGHTS

ANSWERED = 0.5

# vectors, phrasings: cosine to the nearest passage and to the nearest phrasing;
# scope: log-odds that the question is of a kind that rulebooks settle at all, outside: cosine to the nearest question that none
# settles (see index.ranking.answerability).
FEATURES = ("vectors", "phrasings", "scope", "outside")


@cache
def _model() -> tuple[dict[str, float], float]:
    kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))["confidence"]
    return {name: float(kept[name]) for name in FEATURES}, float(kept["constant"])


def estimate_confidence(evidence: Mapping[str, float]) -> float:
    """The confidence, 0.0 to 1.0, for the ``evidence`` of `FEATURES`."""
    weights, constant = _model()
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, constant + sum(weights[name] * evidence[name] for name in FEATURES)))))
