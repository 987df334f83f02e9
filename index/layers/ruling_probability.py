"""How likely it is that a ruling answers a question: a logistic regression on cards named, words shared and nearness in meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
LEAST = 0.3  # probability from which on a ruling is shown
_CLEAR = 4.0  # logit from which on the kind of a question is beyond doubt


class RulingMatch(NamedTuple):
    """Ruling ``number`` of a ``game``, and the ``probability`` that it answers a question, from 0.0 to 1.0."""

    game: str
    number: int
    probability: float


@dataclass(frozen=True)
class RulingSignals:
    """The `FEATURES` of the match of each ruling of a game with a question: arrays of shape (number of rulings,).

    ``card``, ``words`` and ``nearness`` are from 0 to 1; ``siblings`` counts the other rulings about the card that is named; ``covered``
    is the sum of the certainties of the places that name a card of the ruling, of ``named``, that of all places; ``about_cards`` says
    whether the ruling is about cards at all. ``kind`` is the logit that the question is one which rules settle.
    """

    card: NDArray[np.float64]
    siblings: NDArray[np.float64]
    covered: NDArray[np.float64]
    named: float
    about_cards: NDArray[np.bool_]
    words: NDArray[np.float64]
    nearness: NDArray[np.float64]
    kind: float

    @property
    def features(self) -> NDArray[np.float64]:
        """The features, shape (number of rulings, len(FEATURES))."""
        share = self.covered / self.named if self.named else np.zeros_like(self.covered)
        several = np.where(self.card > 0, np.log1p(self.siblings), 0.0)
        other = (1 - share) * min(self.named, 1.0) * self.about_cards
        kind = np.full_like(share, max(-1.0, min(1.0, self.kind / _CLEAR)))
        return np.stack([self.card, several, share, other, self.words, self.nearness, kind], axis=1)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability that each ruling answers the question, shape (number of rulings,)."""
        return np.asarray(1 / (1 + np.exp(-_CONSTANT - self.features @ [_WEIGHTS[name] for name in FEATURES])))


def best_of_owners(owners: NDArray[np.int32], values: NDArray[np.floating], count: int) -> NDArray[np.float64]:
    """The greatest of the ``values`` of each of ``count`` owners, 0 without any; ``owners`` and ``values`` have the shape (n,)."""
    found = np.zeros(count)
    np.maximum.at(found, owners, values)
    return found
