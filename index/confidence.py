"""How sure it is that a question is settled by what was found."""

from __future__ import annotations

import math

ANSWERED = 0.5

# A logistic regression on the practice questions; `python -m tests.bench.confidence` fits it again and prints it.
_KNOWN, _SIMILARITY, _CONSTANT = 3.0, 3.0, -1.5


def confidence(known: float, similarity: float) -> float:
    """From 0.0 to 1.0. ``known`` is the share of the question's words, weighted by rarity, that the best passages have;

    ``similarity`` is the cosine between the question and the nearest of them.
    """
    return 1 / (1 + math.exp(-(_KNOWN * known + _SIMILARITY * similarity + _CONSTANT)))
