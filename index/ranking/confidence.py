"""Estimate the probability that rulebooks settle a question, by logistic regression learned from
practice questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.questions.question_parser import ParsedQuestion
from index.ranking.fusion import TOTAL, learned

ANSWERED = 0.5

# nearness: of the nearest passage, in standard deviations of questions that no rulebook settles;
# scope, wording: log-odds that any rulebook settles such a question, by its vector and by its words
# (see index.ranking.answerability for all three); terms: the number of words of the question
# sentences that are terms of the game; lead: of the first passage's score over the thirtieth's.
FEATURES = ("nearness", "scope", "wording", "terms", "lead")
# general_outside: cosine to the nearest question that no rulebook settles, by the general encoder;
# only if one is used.
GENERAL_OUTSIDE = "general_outside"
GENERAL_FEATURES = (*FEATURES, GENERAL_OUTSIDE)
# Value of "terms" if a game has no known terms: the mean of questions that rulebooks leave open
UNKNOWN_TERMS = 2.5
_BEHIND = 30
_NEAR = 0.3  # cosine to the nearest passage
_MOST = 30.0  # greatest logit


class Settlement(StrEnum):
    """The three verdicts that an answer may state."""

    SETTLED = "settled"
    LIKELY = "likely"
    OPEN = "open"


class ConfidenceModel(NamedTuple):
    """A logistic regression on the evidence for an answer."""

    weights: Mapping[str, float]
    constant: float

    def estimate(self, evidence: Mapping[str, float]) -> float:
        """Return the confidence, 0.0 to 1.0, for the ``evidence``."""
        logit = self.constant + sum(
            weight * evidence[name] for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-_MOST, min(_MOST, logit))))


@cache
def confidence_model(general: bool = False) -> ConfidenceModel:
    """Return the learned model of `FEATURES`, or with ``general``, if there is one, of
    `GENERAL_FEATURES`.
    """
    general = general and "confidence_general" in learned()
    kept, features = (
        learned()["confidence_general" if general else "confidence"],
        GENERAL_FEATURES if general else FEATURES,
    )
    return ConfidenceModel(
        {feature: float(kept[feature]) for feature in features}, float(kept["constant"])
    )


def estimate_confidence(evidence: Mapping[str, float]) -> float:
    """Return the confidence, 0.0 to 1.0, for the ``evidence``: values of `FEATURES`, or of
    `GENERAL_FEATURES`.
    """
    return confidence_model(GENERAL_OUTSIDE in evidence).estimate(evidence)


def settlement(confidence: float, answered: bool) -> Settlement:
    """Return the verdict to state for an answer: open if not ``answered``, settled from a learned
    ``confidence`` (`index.ranking.verdict`), otherwise likely.
    """
    if not answered:
        return Settlement.OPEN
    return Settlement.SETTLED if confidence >= learned()["settled"] else Settlement.LIKELY


def is_about_rules(evidence: Mapping[str, float]) -> bool:
    """Return whether the question is about rules of the game, even if they leave it open, and not
    about prices, sleeves or another game.
    """
    of_kind = (
        evidence["scope"] + evidence["wording"] >= 0 or evidence["wording"] == 0
    )  # 0: there was no data to learn from
    return of_kind and evidence["terms"] > 0 and evidence["vectors"] >= _NEAR


def term_words(parsed: ParsedQuestion, words: int) -> float:
    """Estimate how many of the ``words`` words of the question sentences are names of terms, by
    the names' share of the question's characters. Of several games the greatest number counts.
    """
    named = (
        sum(mention.end - mention.start for mention in mentions)
        for mentions in parsed.mentions.values()
    )
    return words * max(named, default=0) / max(len(parsed.text.strip()), 1)


def lead(scores: NDArray[np.float64]) -> float:
    """Return by how much the greatest of ``scores`` exceeds the thirtieth, at most `fusion.TOTAL`;
    a vague question has a small lead.
    """
    if not len(scores):
        return 0.0
    behind = min(_BEHIND, len(scores))
    return min(float(scores.max() - np.partition(scores, -behind)[-behind]), TOTAL)


# Weights of two logits: the confidence by all rulebooks, and the rulebook's own model. Tested on
# three rulebooks with drafted query variants: of 52, 147 and 167 questions that they settle, 0.96,
# 0.83 and 0.81 get at least 0.5; of 12, 22 and 21 that they leave open, 0.17, 0.05 and 0.19 do.
# The confidence by all rulebooks alone gives 0.98, 0.91 and 0.88, and 0.33, 0.32 and 0.19.
_GENERAL, _OWN = 0.5, 1.0
_MOST_GENERAL, _MOST_OWN = 4.6, 3.0  # greatest values of these logits
DRAFTS = "drafts"  # the folder of an index with these models, if it has drafted editions
_FILE = "editions.json"


class NearnessModel(NamedTuple):
    """A logistic regression on the cosines of a question to the nearest passage and the nearest
    query variant of one rulebook.
    """

    passage: float
    phrasing: float
    constant: float

    @classmethod
    def fit(cls, settled: NDArray[np.float32], unsettled: NDArray[np.float32]) -> NearnessModel:
        """Learn from the two cosines, shape (n, 2), of questions that the rulebook settles, and of
        others, with equal weight.
        """
        from sklearn.linear_model import LogisticRegression  # only learning needs it

        labels = np.r_[np.ones(len(settled)), np.zeros(len(unsettled))]
        model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000).fit(
            np.r_[settled, unsettled], labels
        )
        return cls(*(round(float(weight), 4) for weight in (*model.coef_[0], model.intercept_[0])))

    def logit(self, passage: float, phrasing: float) -> float:
        """Return the log-odds that the rulebook settles a question with these cosines."""
        return self.passage * passage + self.phrasing * phrasing + self.constant


class EditionConfidence:
    """The `NearnessModel` of each edition with drafted query variants."""

    def __init__(self, models: Mapping[str, NearnessModel]):
        self._models = dict(models)

    def combined(self, confidence: float, edition: str, evidence: Mapping[str, float]) -> float:
        """Combine the ``confidence`` by all rulebooks with the model of ``edition``, applied to
        ``evidence``. Without a model, return ``confidence`` unchanged.
        """
        model = self._models.get(edition)
        if model is None:
            return confidence
        general = _within(
            math.log(max(confidence, 1e-9) / max(1 - confidence, 1e-9)), _MOST_GENERAL
        )
        own = _within(model.logit(evidence["vectors"], evidence["phrasings"]), _MOST_OWN)
        return 1 / (1 + math.exp(-(_GENERAL * general + _OWN * own)))

    def model(self, edition: str) -> NearnessModel | None:
        """Return the model of ``edition``, or None."""
        return self._models.get(edition)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(
            json.dumps({edition: list(model) for edition, model in sorted(self._models.items())}),
            encoding="utf-8",
        )

    @classmethod
    def load(cls, folder: Path) -> EditionConfidence:
        """Load the models that `save` wrote. Raises `OSError` or `ValueError` if damaged."""
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        try:
            return cls(
                {edition: NearnessModel(*map(float, weights)) for edition, weights in kept.items()}
            )
        except (AttributeError, TypeError) as fault:
            raise ValueError(f"{folder / _FILE} is damaged") from fault


def _within(value: float, most: float) -> float:
    return max(-most, min(most, value))
