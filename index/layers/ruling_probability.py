"""How likely it is that a ruling answers a question: a logistic regression on the cards that it
shares with it, and on its matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# about: how surely the question names a card of the ruling, or else the share of its name that the
# question has; card: the first alone; cardless: the ruling is about no card; text: how surely the
# question names another card that the ruling names; other: the same of cards that it does not,
# where its own is not named; untouched: weight of the terms that the question names and the ruling
# does not; length: of the question without the names of cards; nearness: in meaning, compared with
# other rulings; kind: whether it is a question that rules settle at all, not one for prices or
# numbers on cards. Learned by `python -m tests.bench.rulings`.
FEATURES = ("about", "card", "cardless", "text", "other", "untouched", "length", "nearness", "kind")
_WEIGHTS: Mapping[str, float] = {
    "about": 1.37, "card": 0.83, "cardless": 0.41, "text": 1.73, "other": -1.06, "untouched": -1.34, "length": 1.82, "nearness": 2.44,
    "kind": 0.32,
}  # fmt: skip
_CONSTANT = -3.75
LEAST = 0.3  # probability from which on a ruling is shown
_CLEAR = 4.0  # logit from which on the kind of a question is beyond doubt
_MOST_UNTOUCHED = 6.0  # weight of terms beyond which more say nothing more
_MOST_WORDS = 12  # of a question beyond which more, mostly a story, say nothing more
_SPREAD = 3.0  # deviations that count as much as 1 of the other features


class RulingMatch(NamedTuple):
    """Ruling ``number`` of a ``game``, and the ``probability`` that it answers a question, from 0.0
    to 1.0.

    ``close`` says that it is about no card, or about one that the question names, or was made on
    the very question; ``sure`` that it is one of the last two beyond doubt.
    """

    game: str
    number: int
    probability: float
    close: bool
    sure: bool


@dataclass(frozen=True)
class RulingSignals:
    """What the `FEATURES` of the match of each ruling of a game with a question are made of: arrays
    of shape (number of rulings,).

    ``card`` is the certainty that the question names a card of the ruling, ``name`` the share of
    such a name that it has, ``text`` the certainty that it names another card which the text of the
    ruling names; ``strange`` is the sum of the certainties of the places that name a card which the
    ruling has nothing to do with. ``about_cards`` says whether it is about cards at all.
    ``untouched`` is the weight of the terms of the question that the ruling does not speak of,
    ``nearness`` as in `index.layers.ruling_vectors`. ``words`` counts those of the question,
    ``kind`` is the logit that rules settle it.
    """

    card: NDArray[np.float64]
    name: NDArray[np.float64]
    text: NDArray[np.float64]
    strange: NDArray[np.float64]
    about_cards: NDArray[np.bool_]
    untouched: NDArray[np.float64]
    nearness: NDArray[np.float64]
    words: int
    kind: float

    @property
    def features(self) -> NDArray[np.float64]:
        """The features, shape (number of rulings, len(FEATURES))."""
        same = np.ones(len(self.card))
        found = {
            "about": np.maximum(self.card, self.name),
            "card": self.card,
            "cardless": (~self.about_cards).astype(np.float64),
            "text": self.text,
            "other": np.minimum(self.strange, 1.0) * (1 - self.card) * self.about_cards,
            "untouched": np.minimum(self.untouched / _MOST_UNTOUCHED, 1.0),
            "length": same * np.log1p(min(self.words, _MOST_WORDS)) / 3,
            "nearness": self.nearness / _SPREAD,
            "kind": same * max(-1.0, min(1.0, self.kind / _CLEAR)),
        }
        return np.stack([found[name] for name in FEATURES], axis=1)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability that each ruling answers the question, shape (number of rulings,)."""
        return np.asarray(
            1 / (1 + np.exp(-_CONSTANT - self.features @ [_WEIGHTS[name] for name in FEATURES]))
        )
