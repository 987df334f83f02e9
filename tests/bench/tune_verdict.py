"""Learn the verdict from practice questions: whether the first passage settles a question, and
whether one of the first three does.

These are two logistic regressions on `index.ranking.verdict.FEATURES`, reported by five-fold
cross-validation over stories; the written weights are fitted on all questions. Questions that look
up a name are left out, since their verdict is not estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index.ranking.verdict import KINDS, LOOKED_UP, Likelihoods
from index.search import Index
from service.answers.evaluation import rank_of_text
from tests.bench.questions import Question
from tests.bench.tune_confidence import (
    OPEN,
    STRANGERS,
    Floats,
    fit_logistic,
    held_out,
    once_each,
    open_questions,
)

# The least probabilities for calling an answer settled (by the first passage) and answered (by one
# of three)
SETTLED = 0.7
ANSWERED = 0.38
_OPEN_WEIGHT = 0.3  # total of the open questions, relative to that of the practice questions
_STRANGERS_WEIGHT = 1.5
_NONE = 99  # the rank where no passage is right
_C = 0.3


@dataclass(frozen=True)
class Asked:
    """Training data of the verdict: n questions, their ``features``, and the rank of the first
    right passage, `_NONE` without one.
    """

    questions: list[Question]
    features: list[dict[str, float]]
    ranks: NDArray[np.int64]

    @property
    def sets(self) -> NDArray[np.str_]:
        """The question file of each question, shape (n,)."""
        return np.array([question.file for question in self.questions])

    @property
    def stories(self) -> NDArray[np.str_]:
        """The story of each question, shape (n,)."""
        return np.array([question.story for question in self.questions])

    @property
    def weights(self) -> Floats:
        """The weight of each question, shape (n,)."""
        opened = self.sets == OPEN
        found = once_each(self.stories, opened)
        found[self.sets == STRANGERS] *= _STRANGERS_WEIGHT
        found[opened] *= _OPEN_WEIGHT * found[~opened].sum() / max(found[opened].sum(), 1.0)
        return found


def learn_verdict(index: Index, questions: Sequence[Question]) -> dict[str, Any]:
    """Fit on the practice questions and the open ones, print held-out figures, and return parts of
    weights.json.
    """
    asked = _ask(index, [*questions, *(question for question, _ in open_questions(index))])
    found: dict[str, Any] = {"settled": SETTLED, "answered": ANSWERED}
    for kind, names in KINDS.items():
        seen = np.array([[each[name] for name in names] for each in asked.features])
        targets = {"first": asked.ranks == 1, "among_three": asked.ranks <= 3}
        found[kind] = {}
        held = {}
        for target in Likelihoods._fields:
            held[target] = 1 / (
                1 + np.exp(-held_out(seen, targets[target], asked.weights, asked.stories, _C))
            )
            weights, constant = fit_logistic(seen, targets[target], asked.weights, _C)
            found[kind][target] = {
                name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)
            }
            found[kind][target]["constant"] = round(constant, 4)
        _report(kind, asked, held["first"], np.maximum(held["first"], held["among_three"]))
    return found


def _ask(index: Index, questions: Sequence[Question]) -> Asked:
    asked, features, ranks = [], [], []
    for question in questions:
        found = index.ranked(question.query)
        if found.verdict != LOOKED_UP and found.groups:
            texts = [index.library.searchable[group[0]].text for group in found.groups]
            asked.append(question)
            features.append(dict(found.features))
            ranks.append(rank_of_text(texts, question.answers) or _NONE)
    return Asked(asked, features, np.array(ranks))


def _report(kind: str, asked: Asked, first: Floats, three: Floats) -> None:
    print(
        f"{kind + ', held out':28} settled  right   likely  right   settled called open   open "
        "called open"
    )
    settled = np.array([bool(question.quotes) for question in asked.questions])
    answered = three >= ANSWERED
    for name in dict.fromkeys(asked.sets.tolist()):
        of_set = asked.sets == name
        sure, likely = of_set & answered & (first >= SETTLED), of_set & answered & (first < SETTLED)
        figures = (
            sure.sum() / of_set.sum(),
            _mean(asked.ranks[sure] == 1),
            likely.sum() / of_set.sum(),
            _mean(asked.ranks[likely] <= 3),
            _mean(~answered[of_set & settled]),
            _mean(~answered[of_set & ~settled]),
        )
        print(f"{name:28}" + "".join(f"{figure:8.3f}" for figure in figures))


def _mean(held: NDArray[np.bool_]) -> float:
    return float(held.mean()) if len(held) else 0.0
