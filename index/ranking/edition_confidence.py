"""How sure it is that a rulebook settles a question, for rulebooks whose phrasings a model drafted:
learned from the drafts themselves.

The confidence of all rulebooks (`index.ranking.confidence`) is fitted on questions to rulebooks
whose phrasings were written by hand. Drafts, of which every passage has two dozen, bring any
question near to something; so much nearness means less in such a rulebook.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# What the logits of the confidence of all rulebooks and of the rulebook's own model count. Of three
# rulebooks that a model drafted anew, 52, 147 and 167 questions of others that they settle get 0.5
# and more in 0.96, 0.83 and 0.81 of the cases, of 12, 22 and 21 that they leave open 0.17, 0.05 and
# 0.19 do. The confidence of all rulebooks alone gives 0.98, 0.91 and 0.88, and 0.33, 0.32 and 0.19.
_GENERAL, _OWN = 0.5, 1.0
_MOST_GENERAL, _MOST_OWN = 4.6, 3.0  # of either logit
DRAFTS = "drafts"  # the folder of an index that has what was learned; only where there are drafts
_FILE = "editions.json"


class NearnessModel(NamedTuple):
    """A logistic regression on the cosines of a question to the nearest passage and to the nearest
    phrasing of one rulebook.
    """

    passage: float
    phrasing: float
    constant: float

    @classmethod
    def fit(cls, settled: NDArray[np.float32], unsettled: NDArray[np.float32]) -> NearnessModel:
        """Learn from both cosines of questions that the rulebook settles and of others, shape (n,
        2) each; both kinds weigh the same.
        """
        from sklearn.linear_model import LogisticRegression  # only learning needs it

        labels = np.r_[np.ones(len(settled)), np.zeros(len(unsettled))]
        model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000).fit(
            np.r_[settled, unsettled], labels
        )
        return cls(*(round(float(weight), 4) for weight in (*model.coef_[0], model.intercept_[0])))

    def logit(self, passage: float, phrasing: float) -> float:
        """The log-odds that the rulebook settles a question with these cosines."""
        return self.passage * passage + self.phrasing * phrasing + self.constant


class EditionConfidence:
    """The `NearnessModel` of every edition that has one."""

    def __init__(self, models: Mapping[str, NearnessModel]):
        self._models = dict(models)

    def combined(self, confidence: float, edition: str, evidence: Mapping[str, float]) -> float:
        """The ``confidence`` of all rulebooks with what the ``edition`` says to the ``evidence`` of
        `index.ranking.confidence`.

        It is as it was for an edition without a model.
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
        """The model of ``edition``, None where it has none."""
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
        """What `save` wrote to ``folder``. Raises `OSError` or `ValueError` where it is damaged."""
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        try:
            return cls(
                {edition: NearnessModel(*map(float, weights)) for edition, weights in kept.items()}
            )
        except (AttributeError, TypeError) as fault:
            raise ValueError(f"{folder / _FILE} is damaged") from fault


def _within(value: float, most: float) -> float:
    return max(-most, min(most, value))
