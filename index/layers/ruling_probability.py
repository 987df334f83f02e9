"""How likely it is that a ruling answers a question: a logistic regression on cards named, words shared and nearness in meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# card: certainty that the question names a card of the ruling; several: with that, how many other rulings there are about the card, as
# a logarithm; covered: share of the cards named in the question that the ruling is about or names; other: the same of those that it is
# not and does not; words: share of the question's words that the ruling has; nearness: cosine of their vectors; kind: whether it is a
# question that rules settle at all, not one for prices or numbers on cards. Learned by `python -m tests.bench.rulings`.
FEATURES = ("card", "several", "covered", "other", "words", "nearness", "kind")
_WEIGHTS: Mapping[str, float] = {
    "card": 2.0, "several": -0.8, "covered": 1.6, "other": -1.7, "words": 3.1, "nearness": 3.4, "kind": 1.7,
}  # fmt: skip
_CONSTANT = -3.5
_CLEAR = 4.0  # logit from which on the kind of a question is beyond doubt


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


def ruling_features(
    *, card: float, siblings: int, covered: float, other: float, words: float, nearness: float, kind: float
) -> dict[str, float]:
    """The `FEATURES` of a match; ``siblings`` is the number of other rulings about the card that is named, ``kind`` a logit."""
    return {
        "card": card,
        "several": math.log1p(siblings) if card else 0.0,
        "covered": covered,
        "other": other,
        "words": words,
        "nearness": nearness,
        "kind": max(-1.0, min(1.0, kind / _CLEAR)),
    }


def best_of_owners(owners: NDArray[np.int32], values: NDArray[np.floating]) -> dict[int, float]:
    """The greatest of the ``values`` of each of ``owners``; both have the shape (n,)."""
    found: dict[int, float] = {}
    for owner, value in zip(owners.tolist(), values.tolist(), strict=True):
        found[owner] = max(value, found.get(owner, 0.0))
    return found
