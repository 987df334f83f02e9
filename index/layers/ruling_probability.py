"""How likely it is that a ruling answers a question: a logistic regression on cards named, words shared and nearness in meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# card: certainty that the question names a card of the ruling; several: with that, how many other rulings there are about the card, as
# a logarithm; other: the question surely names cards, and none of the ruling's; words: share of the question's words that the ruling
# has; nearness: cosine of their vectors. The weights are learned by `python -m tests.bench.rulings`.
FEATURES = ("card", "several", "other", "words", "nearness")
_WEIGHTS: Mapping[str, float] = {"card": 3.0, "several": -0.7, "other": -3.0, "words": 4.0, "nearness": 4.0}
_CONSTANT = -4.0

SURE = 0.8  # certainty from which on a question counts as naming a card


@dataclass(frozen=True, slots=True)
class RulingMatch:
    """Ruling ``number`` of a ``game`` with the ``features`` of its match with a question, and the ``probability`` that it answers it."""

    game: str
    number: int
    features: Mapping[str, float]

    @property
    def probability(self) -> float:
        """From 0.0 to 1.0."""
        return 1 / (1 + math.exp(-_CONSTANT - sum(_WEIGHTS[name] * value for name, value in self.features.items())))


def ruling_features(card: float, siblings: int, names_other: bool, words: float, nearness: float) -> dict[str, float]:
    """The `FEATURES` of a match; ``siblings`` is the number of other rulings about the card that is named."""
    return {
        "card": card,
        "several": math.log1p(siblings) if card else 0.0,
        "other": float(names_other and not card),
        "words": words,
        "nearness": nearness,
    }


def best_of_owners(owners: NDArray[np.int32], values: NDArray[np.floating]) -> dict[int, float]:
    """The greatest of the ``values`` of each of ``owners``; both have the shape (n,)."""
    found: dict[int, float] = {}
    for owner, value in zip(owners.tolist(), values.tolist(), strict=True):
        found[owner] = max(value, found.get(owner, 0.0))
    return found
