"""Estimate how sure it is that the first passage found settles a question, and that one of the
first three does.

Two logistic regressions on features of the question and of the first passage, learned from practice
questions (`make tune`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.ranking.fusion import learned

# answerable: log-odds that rulebooks settle the question at all (`index.ranking.confidence`);
# phrasing, similarity: cosine of the question to the nearest phrasing of the first passage, and to
# itself; lead: of its score over the third's; term: whether its entry explains a term; length: of
# its text; asking: its place by the words of the asking sentences alone; meaning: its similarity to
# the nearest asking sentence, as a share of the greatest; agreeing: by how many of six signals it
# is the first; words: of the question.
FEATURES = (
    "answerable",
    "phrasing",
    "lead",
    "term",
    "length",
    "asking",
    "meaning",
    "agreeing",
    "words",
)
UNPHRASED_FEATURES = (
    "answerable",
    "similarity",
    "lead",
    "term",
    "length",
    "asking",
    "meaning",
    "words",
)
# The model of rulebooks without query variants where a general encoder is on. It sees three more
# features: ``general``, the encoder's similarity of the question and the first passage; ``known``,
# the share of the words that ask which the rulebook has; ``amount``, 1 where the first passage says
# a number that is asked for, -1 where it says none. It was fitted on 413 questions that 21
# documents settle and 85 that they do not; docs/search.md has how it does held out.
GENERAL = "verdict_general"
PHRASED, UNPHRASED = "verdict", "verdict_unphrased"  # models by whether the rulebook has phrasings
KINDS = {PHRASED: FEATURES, UNPHRASED: UNPHRASED_FEATURES}
_AGREEING = ("words", "asking", "characters", "vectors", "questions", "phrasings")
_MOST = 6.0  # of the log-odds that a question can be settled
_FAR = 100  # places: what is behind them is equally far


class Likelihoods(NamedTuple):
    """Probabilities that the first passage settles the question, and that one of the first three
    does.
    """

    first: float
    among_three: float


LOOKED_UP = Likelihoods(
    0.97, 0.99
)  # of a question that looks a name, a card or a rule up, and finds it
SEVERAL = Likelihoods(0.5, 0.95)  # of one that several headings of a rulebook answer to
NOTHING_FOUND = Likelihoods(0.0, 0.0)


def is_answered(verdict: Likelihoods) -> bool:
    """Return whether it is likely enough that one of the first three passages settles the
    question.
    """
    return verdict.among_three >= float(learned()["answered"])


def estimate_verdict(features: Mapping[str, float], kind: str) -> Likelihoods:
    """Return the verdict on `verdict_features`, by the model of one of `KINDS`."""
    first, among_three = (_probability(which, features, kind) for which in Likelihoods._fields)
    return Likelihoods(first, max(first, among_three))


def _probability(which: str, features: Mapping[str, float], kind: str) -> float:
    model = GENERAL if kind == UNPHRASED and "general" in features else kind
    logit = _logit(learned()[model][which], features)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def _logit(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return weights["constant"] + sum(
        weight * features[name] for name, weight in weights.items() if name != "constant"
    )


def verdict_features(
    answerable: float,
    signals: Mapping[str, NDArray[np.float32]],
    scores: NDArray[np.float64],
    places: Sequence[int],
    length: int,
    explains_term: bool,
    words: int,
    generally: bool,
    known: float,
    amount: float,
) -> dict[str, float]:
    """Return the features for the models.

    Args:
        answerable: The probability that rulebooks settle the question.
        signals, scores: Those of all passages compared.
        places: The positions in them of the first passages, the best first.
        length: The length of the first passage's text.
        explains_term: Whether its entry explains a term.
        words: The number of words of the question.
        generally: Whether a general encoder compares passages with the question.
        known: The share of its words that the rulebook has.
        amount: Whether it gets the number that it asks for.
    """
    first = places[0]
    third = places[min(2, len(places) - 1)]
    logit = math.log(max(answerable, 1e-9) / max(1 - answerable, 1e-9))
    meaning = float(signals["questions"].max(initial=0.0))
    near = {"general": float(signals["general"][first])} if generally else {}
    return {
        **near,
        "known": known,
        "amount": amount,
        "answerable": max(-_MOST, min(_MOST, logit)),
        "phrasing": float(signals["phrasings"][first]),
        "similarity": float(signals["vectors"][first]),
        "lead": float(scores[first] - scores[third]),
        "term": float(explains_term),
        "length": math.log1p(length),
        "asking": math.log1p(min(int((signals["asking"] > signals["asking"][first]).sum()), _FAR)),
        "meaning": float(signals["questions"][first]) / meaning if meaning > 0 else 0.0,
        "agreeing": float(
            sum(signals[name][first] >= signals[name].max(initial=0.0) for name in _AGREEING)
        ),
        "words": math.log1p(words),
    }
