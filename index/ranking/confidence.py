"""How sure it is that a question is settled by what was found: a logistic regression learned from
practice questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.questions.question_parser import ParsedQuestion
from index.ranking.fusion import TOTAL, WEIGHTS

ANSWERED = 0.5

# nearness: of the nearest passage, in deviations of questions that no rulebook settles; scope,
# wording: log-odds that the question is of a kind that rulebooks settle at all, by its vector and
# by its words (see index.ranking.answerability for all three); terms: how many of the different
# words that ask are terms of the game; lead: how far the first passage is ahead of the thirtieth.
FEATURES = ("nearness", "scope", "wording", "terms", "lead")
# general_outside: cosine to the nearest question that no rulebook settles by a general multilingual
# encoder; only where one is on.
GENERAL_OUTSIDE = "general_outside"
GENERAL_FEATURES = (*FEATURES, GENERAL_OUTSIDE)
UNKNOWN_TERMS = 2.5  # where no term of the game is known: as many as questions have on average that a rulebook leaves open
_BEHIND = 30
_NEAR = 0.3  # cosine to the nearest passage
_MOST = 30.0  # of a logit


class Settlement(StrEnum):
    """What an answer says of itself in three steps."""

    SETTLED = "settled"
    LIKELY = "likely"
    OPEN = "open"


class ConfidenceModel(NamedTuple):
    """A logistic regression on the evidence for an answer."""

    weights: Mapping[str, float]
    constant: float

    def estimate(self, evidence: Mapping[str, float]) -> float:
        """The confidence, 0.0 to 1.0, for the ``evidence``."""
        logit = self.constant + sum(
            weight * evidence[name] for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-_MOST, min(_MOST, logit))))


@cache
def _learned() -> dict[str, Any]:
    """The weights as `make tune` last wrote them."""
    return dict(json.loads(WEIGHTS.read_text(encoding="utf-8")))


@cache
def confidence_model(general: bool = False) -> ConfidenceModel:
    """The model of `FEATURES`; with ``general`` that of `GENERAL_FEATURES`, where it was
    learned.
    """
    general = general and "confidence_general" in _learned()
    kept, features = (
        _learned()["confidence_general" if general else "confidence"],
        GENERAL_FEATURES if general else FEATURES,
    )
    return ConfidenceModel(
        {feature: float(kept[feature]) for feature in features}, float(kept["constant"])
    )


def estimate_confidence(evidence: Mapping[str, float]) -> float:
    """The confidence, 0.0 to 1.0, for the ``evidence``: `FEATURES`, or `GENERAL_FEATURES` where a
    general encoder is on.
    """
    return confidence_model(GENERAL_OUTSIDE in evidence).estimate(evidence)


def settlement(confidence: float, answered: bool) -> Settlement:
    """What an answer with this ``confidence`` says of itself: open where it is not ``answered``.

    It is settled from a confidence on that is learned with the rest, of which held-out first
    passages were right (`index.ranking.verdict`).
    """
    if not answered:
        return Settlement.OPEN
    return Settlement.SETTLED if confidence >= _learned()["settled"] else Settlement.LIKELY


def is_about_rules(evidence: Mapping[str, float]) -> bool:
    """Whether the question is about the rules of the game, even if they leave it open: not about
    prices, sleeves, another game.
    """
    of_kind = (
        evidence["scope"] + evidence["wording"] >= 0 or evidence["wording"] == 0
    )  # 0: there was nothing to learn it from
    return of_kind and evidence["terms"] > 0 and evidence["vectors"] >= _NEAR


def term_words(parsed: ParsedQuestion, words: int) -> float:
    """How many of the different ``words`` that ask are names of terms, of the game that the
    question names the most of.

    It is estimated by the share of these names in the question.
    """
    named = (
        sum(mention.end - mention.start for mention in mentions)
        for mentions in parsed.mentions.values()
    )
    return words * max(named, default=0) / max(len(parsed.text.strip()), 1)


def lead(scores: NDArray[np.float64]) -> float:
    """How far the greatest of ``scores`` is ahead of the thirtieth, at most `fusion.TOTAL`: a
    question that fits anywhere has little.
    """
    if not len(scores):
        return 0.0
    behind = min(_BEHIND, len(scores))
    return min(float(scores.max() - np.partition(scores, -behind)[-behind]), TOTAL)
