"""Learn the verdict from practice questions: whether the first passage settles a question, and whether one of the first three does.

Two logistic regressions on `index.ranking.verdict.FEATURES`, reported by five-fold cross-validation over stories; what is written is
fitted on all. Questions that look a name up are left out, since their verdict is not estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from index.ranking.verdict import KINDS, LOOKED_UP, Likelihoods
from index.search import Index
from service.answers.evaluation import rank_of_text
from tests.bench.practice import query_of, rows, story_of
from tests.bench.tune_confidence import OPEN, fit_logistic, rulebooks

SETTLED, ANSWERED = 0.7, 0.38  # the probabilities from which on an answer is called settled (of the first), and answered (of three)
_OPEN_WEIGHT = 0.3  # of all open questions together, of what the practice questions weigh
_NONE = 99  # the rank where no passage is right
_C = 0.3
_STRANGERS, _STRANGERS_WEIGHT = "strangers", 1.5


@dataclass(frozen=True)
class Asked:
    """What the verdict is learned from, of n questions: their ``features`` and the rank of the first right passage, `_NONE` without one.

    ``settled`` says which have an answer, ``sets`` and ``stories`` where they are from; of shape (n,) each.
    """

    features: list[dict[str, float]]
    ranks: NDArray[np.int64]
    settled: NDArray[np.bool_]
    sets: NDArray[np.str_]
    stories: NDArray[np.str_]

    @property
    def weights(self) -> NDArray[np.float64]:
        """What each question counts: an open one that is put to several documents once, all of these a share of the others."""
        times = Counter(self.stories.tolist())
        opened = self.sets == "open"
        found = np.where(opened, [1 / times[story] for story in self.stories.tolist()], 1.0)
        found[self.sets == _STRANGERS] *= _STRANGERS_WEIGHT
        found[opened] *= _OPEN_WEIGHT * found[~opened].sum() / max(found[opened].sum(), 1.0)
        return found


def learn_verdict(index: Index, files: Sequence[Path]) -> dict[str, Any]:
    """Fit on the practice questions of ``files`` and on the open ones; print held-out figures; the parts of weights.json."""
    asked = _gather(index, files)
    found: dict[str, Any] = {"settled": SETTLED, "answered": ANSWERED}
    for kind, names in KINDS.items():
        seen = np.array([[each[name] for name in names] for each in asked.features])
        targets = {"first": asked.ranks == 1, "among_three": asked.ranks <= 3}
        found[kind] = {}
        held = {}
        for target in Likelihoods._fields:
            held[target] = _held_out(seen, targets[target], asked)
            weights, constant = fit_logistic(seen, targets[target], asked.weights, _C)
            found[kind][target] = {**{n: round(float(w), 4) for n, w in zip(names, weights, strict=True)}, "constant": round(constant, 4)}
        _report(kind, asked, held["first"], np.maximum(held["first"], held["among_three"]))
    return found


def _gather(index: Index, files: Sequence[Path]) -> Asked:
    put = [(query_of(row), row["answers"], file.stem, story_of(row)) for file in files for row in rows([file])]
    for number, row in enumerate(rows([OPEN])):
        put += [(query_of(row | {"document": document}), [], "open", f"open-{number}") for document in rulebooks(index, row["game"])]
    features, ranks, settled, sets, stories = [], [], [], [], []
    for query, answers, name, story in put:
        found = index.ranked(query)
        if found.verdict == LOOKED_UP or not found.groups:
            continue
        texts = [index.library.searchable[group[0]].text for group in found.groups]
        features.append(dict(found.features))
        ranks.append((rank_of_text(texts, answers) if answers else None) or _NONE)
        settled.append(bool(answers))
        sets.append(name)
        stories.append(story)
    return Asked(features, np.array(ranks), np.array(settled), np.array(sets), np.array(stories))


def _held_out(seen: NDArray[np.float64], target: NDArray[np.bool_], asked: Asked) -> NDArray[np.float64]:
    found = np.zeros(len(seen))
    for train, test in GroupKFold(5).split(seen, groups=asked.stories):
        weights, constant = fit_logistic(seen[train], target[train], asked.weights[train], _C)
        found[test] = 1 / (1 + np.exp(-(seen[test] @ weights + constant)))
    return found


def _report(kind: str, asked: Asked, first: NDArray[np.float64], three: NDArray[np.float64]) -> None:
    print(f"{kind + ', held out':28} settled  right   likely  right   settled called open   open called open")
    for name in dict.fromkeys(asked.sets.tolist()):
        of_set = asked.sets == name
        answered = three >= ANSWERED
        sure, likely = of_set & answered & (first >= SETTLED), of_set & answered & (first < SETTLED)
        figures = (
            sure.sum() / of_set.sum(),
            (asked.ranks[sure] == 1).mean() if sure.any() else 0.0,
            likely.sum() / of_set.sum(),
            (asked.ranks[likely] <= 3).mean() if likely.any() else 0.0,
            (~answered[of_set & asked.settled]).mean() if (of_set & asked.settled).any() else 0.0,
            (~answered[of_set & ~asked.settled]).mean() if (of_set & ~asked.settled).any() else 0.0,
        )
        print(f"{name:28}" + "".join(f"{figure:8.3f}" for figure in figures))
