"""Learn the weights of ranking and confidence from practice questions (`make tune`).

The weights of the parts maximise the log-likelihood of the right passages under a softmax over all passages of the document
(listwise, Cao et al. 2007); of those of confidence see `tests.bench.tune_confidence`. Both are reported by five-fold
cross-validation over groups of questions with the same answers, so that a question and its translation are never on both
sides; what is written is fitted on all. The same index and questions give the same weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from index.ranking.fusion import BUILT_IN, PREPARED, SIGNALS, TOTAL, UNPHRASED, WEIGHTS, scaled
from index.search import Index
from service.answers.evaluation import put_to, rank_of_text
from service.ops.as_new import snapshot_as_new
from service.ops.indexes import IndexManager
from service.ops.settings import Locations, load, locations
from tests.bench.practice import query_of, rows, story_of
from tests.bench.tune_confidence import learn_confidence
from tests.bench.tune_verdict import learn_verdict

SHRINKAGE = 0.002  # how dear a great weight is
_OWN, _OWN_WEIGHT = "dev", 0.5  # the file of questions of our own making, and what one of them counts beside one of somebody else's


@dataclass(frozen=True)
class Example:
    """One practice question: scores of `SIGNALS`, shape (n, len(SIGNALS)), and which of the n passages answer."""

    group: str
    file: str
    scores: NDArray[np.float64]
    right: NDArray[np.bool_]
    answerable: bool

    @property
    def weight(self) -> float:
        """What it counts: questions of our own making least, since they are like the phrasings."""
        return _OWN_WEIGHT if self.file == _OWN else 1.0


def examples(index: Index, files: Sequence[Path], chosen: Callable[[Mapping[str, Any]], bool] = lambda row: True) -> list[Example]:
    """Every question of ``files`` that is ``chosen`` as an `Example`, put to its own document."""
    found = []
    for name, row in [(file.stem, row) for file in files for row in rows([file]) if chosen(row)]:
        _, numbers, signals = index.signals(query_of(row))
        columns = [scaled(signals)[name] for name in SIGNALS]
        right = np.array([rank_of_text([index.library.searchable[n].text], row["answers"]) == 1 for n in numbers])
        found.append(Example(story_of(row), name, np.stack(columns, 1), right, bool(row["answers"])))
    return found


def fit_weights(given: Sequence[Example]) -> NDArray[np.float64]:
    """Weights of `SIGNALS`, none negative, that make the right passages likely."""

    everything = sum(example.weight for example in given)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = SHRINKAGE * float((weights**2).sum()), 2 * SHRINKAGE * weights
        for example in given:
            logits = example.scores @ weights
            exponents = np.exp(logits - logits.max())
            likely = exponents / exponents.sum()
            right = np.where(example.right, likely, 0.0)
            share = example.weight / everything
            total -= share * np.log(right.sum() + 1e-12)
            slope -= share * (example.scores.T @ (right / max(right.sum(), 1e-12) - likely))
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
    parser.add_argument("--as-new", action="store_true", help="learn the weights for rulebooks without phrasings, with the general encoder")
    args = parser.parse_args()
    here, files = locations(load()), sorted(args.questions.glob("*.jsonl"))
    if args.as_new:
        found: dict[str, Any] = {UNPHRASED: _learn(_as_new(here, files))}
    else:
        index = IndexManager(here, print).ready().index
        assert isinstance(index, Index)
        every = examples(index, files)
        kind = PREPARED if any(example.scores[:, SIGNALS.index("general")].any() for example in every) else BUILT_IN
        found = {kind: _learn(every), **learn_confidence(index, files, here.general), **learn_verdict(index, files)}
    if args.write:
        weights = {**json.loads(WEIGHTS.read_text(encoding="utf-8")), **found}
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


def _as_new(here: Locations, files: Sequence[Path]) -> list[Example]:
    """The questions of ``files`` to every game, asked of an index for which that is new."""
    found = []
    for game in IndexManager(here, print).ready().library.games:
        new = snapshot_as_new(here, game, print)
        assert isinstance(new.index, Index)
        found += examples(new.index, files, partial(put_to, new.library, game))
    return found


def _learn(every: Sequence[Example]) -> dict[str, float]:
    """Weights learned from the examples; prints how well they do held out."""
    ranked = [e for e in every if e.right.any()]
    held: NDArray[np.int64] = np.zeros(len(ranked), dtype=np.int64)
    for train, test in GroupKFold(5).split(ranked, groups=[e.group for e in ranked]):
        held[test] = ranks([ranked[i] for i in test], fit_weights([ranked[i] for i in train]))
    weights = fit_weights(ranked)
    weights *= TOTAL / weights.sum()
    print(f"{len(ranked)} questions with an answer, {len(every) - sum(e.answerable for e in every)} without")
    tried = (
        ("equal weights", ranks(ranked, np.ones(len(SIGNALS)))),
        ("learned, held out", held),
        ("learned, on all", ranks(ranked, weights)),
    )
    sets = np.array([e.file for e in ranked])
    for name, values in tried:
        for of_set in (*sorted(set(sets.tolist())), ""):
            some = values[sets == of_set] if of_set else values
            recalls = " ".join(f"R@{k} {(some <= k).mean():.3f}" for k in (1, 3, 5, 10))
            print(f"{name:20}{of_set or 'all':12}{recalls} MRR {(1 / some).mean():.3f}")
    learned = dict(zip(SIGNALS, (round(float(w), 4) for w in weights), strict=True))
    print(learned)
    return learned


if __name__ == "__main__":
    main()
