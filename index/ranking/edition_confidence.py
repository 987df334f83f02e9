"""How sure it is that a rulebook settles a question, for rulebooks whose phrasings a model drafted: learned from the drafts themselves.

The confidence of all rulebooks (`index.ranking.confidence`) is fitted on questions to rulebooks whose phrasings were written by hand.
Drafts, of which every passage has two dozen, bring any question near to something; so much nearness means less in such a rulebook.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# The probability below which a question is open. Of 52 questions that others put to a drafted rulebook 50 reach it, of 12 that it leaves
# open 2. On the rulebooks phrased by hand, whose own confidence is better, 0.74 and 0.27 of the practice questions would.
CUT = 0.42
DRAFTS = "drafts"  # the folder of an index that has what was learned; only where there are drafts
_FILE = "editions.json"


class NearnessModel(NamedTuple):
    """A logistic regression on the cosines of a question to the nearest passage and to the nearest phrasing of one rulebook."""

    passage: float
    phrasing: float
    constant: float

    @classmethod
    def fit(cls, settled: NDArray[np.float32], unsettled: NDArray[np.float32]) -> NearnessModel:
        """Learn from both cosines of questions that the rulebook settles and of others, shape (n, 2) each; both kinds weigh the same."""
        from sklearn.linear_model import LogisticRegression  # only learning needs it

        labels = np.r_[np.ones(len(settled)), np.zeros(len(unsettled))]
        model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000).fit(np.r_[settled, unsettled], labels)
        return cls(*(round(float(weight), 4) for weight in (*model.coef_[0], model.intercept_[0])))

    def confidence(self, passage: float, phrasing: float) -> float:
        """The confidence, 0.0 to 1.0, for these cosines: 0.5 where the probability of the model is `CUT`."""
        logit = self.passage * passage + self.phrasing * phrasing + self.constant - math.log(CUT / (1 - CUT))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


class EditionConfidence:
    """The `NearnessModel` of every edition that has one."""

    def __init__(self, models: Mapping[str, NearnessModel]):
        self._models = dict(models)

    def bounded(self, confidence: float, edition: str, evidence: Mapping[str, float]) -> float:
        """``confidence``, but no more than the ``edition`` allows for the ``evidence`` of `index.ranking.confidence`."""
        model = self._models.get(edition)
        return min(confidence, model.confidence(evidence["vectors"], evidence["phrasings"])) if model else confidence

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(json.dumps({edition: list(model) for edition, model in sorted(self._models.items())}), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> EditionConfidence:
        """What `save` wrote to ``folder``. Raises `OSError` or `ValueError` where it is damaged."""
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        try:
            return cls({edition: NearnessModel(*map(float, weights)) for edition, weights in kept.items()})
        except (AttributeError, TypeError) as fault:
            raise ValueError(f"{folder / _FILE} is damaged") from fault
