"""Learn the weights of ranking and confidence from practice questions (`make tune`).

The weights of the parts maximise the log-likelihood of the right passages under a softmax over all passages of the document
(listwise, Cao et al. 2007); of those of confidence see `tests.bench.tune_confidence`. Both are reported by five-fold
cross-validation over groups of questions with the same answers, so that a question and its translation are never on both
sides; what is written is fitted on all. The same index and questions give the same weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from index.ranking.fusion import SIGNALS, TOTAL, WEIGHTS, scaled
from index.search import Index
from service.answers.evaluation import rank_of_text
from service.ops.indexes import IndexManager
from service.ops.settings import load, locations
from tests.bench.practice import query_of, rows, story_of
from tests.bench.tune_confidence import learn_confidence

SHRINKAGE = 0.002  # how dear a great weight is


@dataclass(frozen=True)
class Example:
    """One practice question: scores of `SIGNALS`, shape (n, len(SIGNALS)), and which of the n passages answer."""

    group: str
    scores: NDArray[np.float64]
    right: NDArray[np.bool_]
    answerable: bool


def examples(index: Index, files: Sequence[Path]) -> list[Example]:
    """Every question of ``files`` as an `Example`, put to its own document."""
    found = []
    for row in rows(files):
        _, numbers, signals = index.signals(query_of(row))
        columns = [scaled(signals)[name] for name in SIGNALS]
        right = np.array([rank_of_text([index.library.searchable[n].text], row["answers"]) == 1 for n in numbers])
        found.append(Example(story_of(row), np.stack(columns, 1), right, bool(row["answers"])))
    return found


def fit_weights(given: Sequence[Example]) -> NDArray[np.float64]:
    """Weights of `SIGNALS`, none negative, that make the right passages likely."""

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = SHRINKAGE * float((weights**2).sum()), 2 * SHRINKAGE * weights
        for example in given:
            logits = example.scores @ weights
            exponents = np.exp(logits - logits.max())
            likely = exponents / exponents.sum()
            right = np.where(example.right, likely, 0.0)
            total -= np.log(right.sum() + 1e-12) / len(given)
            slope -= example.scores.T @ (right / max(right.sum(), 1e-12) - likely) / len(given)
        return total, slope

    found = minimize(loss, np.ones(len(SIGNALS)), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(SIGNALS))
    return np.asarray(found.x)


def ranks(given: Sequence[Example], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rank, from 1, of the first right passage of each example."""
    found = []
    for example in given:
        scores = example.scores @ weights
        found.append(int((scores > scores[example.right].max()).sum()) + 1)
    return np.array(found)


def main() -> None:
    """Fit, report, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, default=Path("../shared/questions"))
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    args = parser.parse_args()
    index = IndexManager(locations(load()), print).ready().index
    assert isinstance(index, Index)
    files = sorted(args.questions.glob("*.jsonl"))
    every = examples(index, files)
    ranked = [e for e in every if e.right.any()]
    groups = [e.group for e in ranked]
    held: NDArray[np.int64] = np.zeros(len(ranked), dtype=np.int64)
    for train, test in GroupKFold(5).split(ranked, groups=groups):
        held[test] = ranks([ranked[i] for i in test], fit_weights([ranked[i] for i in train]))
    weights = fit_weights(ranked)
    weights *= TOTAL / weights.sum()
    equal = ranks(ranked, np.ones(len(SIGNALS)))
    print(f"{len(ranked)} questions with an answer, {len(every) - sum(e.answerable for e in every)} without")
    for name, values in (("equal weights", equal), ("learned, held out", held), ("learned, on all", ranks(ranked, weights))):
        recalls = " ".join(f"R@{k} {(values <= k).mean():.3f}" for k in (1, 3, 5, 10))
        print(f"{name:20}{recalls} MRR {(1 / values).mean():.3f}")
    learned = dict(zip(SIGNALS, (round(float(w), 4) for w in weights), strict=True))
    print(learned)
    confidence = learn_confidence(index, files)
    if args.write:
        WEIGHTS.write_text(json.dumps({"signals": learned, **confidence}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
