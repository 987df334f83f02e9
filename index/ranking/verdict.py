"""Estimate the probability that the first passage settles a question, and that one of the first
three does.

Both are logistic regressions on features of the question and the first passage, learned from
practice questions (`make tune`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.ranking.fusion import learned

# answerable: log-odds that rulebooks settle the question at all (`index.ranking.confidence`);
# words: number of words of the question. Of the first passage, phrasing, similarity: cosine of the
# question to its nearest query variant, and to its text; lead: of its score over the third's; term:
# whether its entry explains a term; length: of its text; asking: its rank by the words of the
# question sentences alone; meaning: its similarity to the nearest question sentence, as a share of
# the greatest; agreeing: the number of signals, out of six, that rank it first.
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
# The model for rulebooks without query variants if a general encoder is used. It has three more
# features: ``general``, the encoder's similarity of the question and the first passage; ``known``,
# the share of the words of the question sentences that the rulebook has; ``amount``, 1 if the first
# passage states a number that is asked for, -1 if it states none. It was fitted on 413 questions
# that 21 documents settle and 85 that they do not; docs/search.md has held-out results.
GENERAL = "verdict_general"
PHRASED, UNPHRASED = "verdict", "verdict_unphrased"  # for rulebooks with and without query variants
KINDS = {PHRASED: FEATURES, UNPHRASED: UNPHRASED_FEATURES}
_AGREEING = ("words", "asking", "characters", "vectors", "questions", "phrasings")
_MOST = 6.0  # greatest log-odds that rulebooks settle a question
_FAR = 100  # greatest rank that makes a difference


class Likelihoods(NamedTuple):
    """The probabilities that the first passage settles the question, and that one of the first
    three does.
    """

    first: float
    among_three: float


LOOKED_UP = Likelihoods(0.97, 0.99)  # the question looks up a name, card or rule that was found
SEVERAL = Likelihoods(0.5, 0.95)  # the name or number that the question looks up is ambiguous
NOTHING_FOUND = Likelihoods(0.0, 0.0)


def is_answered(verdict: Likelihoods) -> bool:
    """Return whether one of the first three passages likely settles the question."""
    return verdict.among_three >= float(learned()["answered"])


def estimate_verdict(features: Mapping[str, float], kind: str) -> Likelihoods:
    """Return the verdict for `verdict_features`, by the model of ``kind``, one of `KINDS`."""
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
        signals, scores: The signals and scores of all passages compared.
        places: The positions of the best passages in these arrays, the best first.
        length: The length of the first passage's text.
        explains_term: Whether the first passage's entry explains a term.
        words: The number of words of the question.
        generally: Whether a general encoder compares passages with the question.
        known: The share of the question's words that the rulebook has.
        amount: 1 if the first passage may state the number asked for, -1 if not, 0 if none is.
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
