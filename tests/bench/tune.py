"""Learn the weights of ranking and confidence from practice questions (`make tune`).

The weights of the signals maximise the log-likelihood of the right passages under a softmax over
all passages of the document (listwise, Cao et al. 2007). `tests.bench.tune_confidence` learns those
of confidence, `tests.bench.tune_verdict` the verdict. All are reported by five-fold
cross-validation. Its groups are questions with the same answers, so that a question and its
translation are never on both sides. The written weights are fitted on all questions. The same index
and questions give the same weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from index.ranking import signals as ranking_signals
from index.ranking.fusion import BUILT_IN, PREPARED, TOTAL, UNPHRASED, WEIGHTS
from index.ranking.signals import scaled
from index.search import Index
from service.answers.evaluation import rank_of_text
from service.ops.as_new import snapshot_as_new
from service.ops.indexes import IndexManager
from service.ops.settings import Locations, load, locations
from tests.bench.questions import FOLDER, Question, read_questions
from tests.bench.tune_confidence import learn_confidence
from tests.bench.tune_verdict import learn_verdict

SIGNALS = [signal.name for signal in ranking_signals.SIGNALS]
FOLDS = 5
SHRINKAGE = 0.002  # penalty on large weights
# The file of our own questions, which resemble the query variants, and the weight of each
_OWN = "dev"
_OWN_WEIGHT = 0.5


@dataclass(frozen=True)
class Example:
    """One practice question: scores of `SIGNALS`, shape (n, len(SIGNALS)), and which of the n
    passages are right.
    """

    question: Question
    scores: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def weight(self) -> float:
        """The weight of the question; 1.0 for those of other people."""
        return _OWN_WEIGHT if self.question.file == _OWN else 1.0


def examples(index: Index, questions: Sequence[Question]) -> list[Example]:
    """Return every question as an `Example`, asked of its own document."""
    found = []
    for question in questions:
        _, numbers, signals = index.signals(question.query)
        columns = [scaled(signals)[name] for name in SIGNALS]
        right = np.array(
            [
                rank_of_text([index.library.searchable[number].text], question.answers) == 1
                for number in numbers
            ]
        )
        found.append(Example(question, np.stack(columns, 1), right))
    return found


def fit_weights(given: Sequence[Example]) -> NDArray[np.float64]:
    """Return nonnegative weights of `SIGNALS` that make the right passages likely."""

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

    found = minimize(
        loss,
        np.ones(len(SIGNALS)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(SIGNALS),
    )
    return np.asarray(found.x)


def held_out_weights(
    index: Index, files: Sequence[Path]
) -> dict[tuple[str, str], dict[str, float]]:
    """Return, by question and document, the weights learned without that question, its translations
    and its copies for other documents.

    Only questions to a document of ``index`` are used; the result is empty where there are too few
    to learn from.
    """
    here = {source.file for source in index.library.sources.values()}
    given = examples(
        index,
        [
            question
            for file in files
            for question in read_questions(file)
            if question.document in here
        ],
    )
    stories = [example.question.story for example in given]
    if len(set(stories)) < FOLDS:
        return {}
    found = {}
    for train, test in GroupKFold(FOLDS).split(given, groups=stories):
        learned = fit_weights([given[number] for number in train if given[number].right.any()])
        learned *= TOTAL / learned.sum()
        for question in (given[number].question for number in test):
            found[question.text, question.document] = dict(
                zip(SIGNALS, map(float, learned), strict=True)
            )
    return found


def main() -> None:
    """Fit, report, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, default=FOLDER)
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    parser.add_argument(
        "--as-new",
        action="store_true",
        help="learn the weights for rulebooks without variants, with the general encoder",
    )
    args = parser.parse_args()
    here = locations(load())
    questions = [
        question
        for file in sorted(args.questions.glob("*.jsonl"))
        for question in read_questions(file)
    ]
    if not questions:
        parser.error(f"{args.questions}: no questions; those of the sample are in corpus/sample")
    if args.as_new:
        found: dict[str, Any] = {UNPHRASED: _learn(_as_new(here, questions))}
    else:
        index = IndexManager(here, print).ready().index
        assert isinstance(index, Index)
        every = examples(index, questions)
        kind = (
            PREPARED
            if any(example.scores[:, SIGNALS.index("general")].any() for example in every)
            else BUILT_IN
        )
        found = {
            kind: _learn(every),
            **learn_confidence(index, questions, here.general),
            **learn_verdict(index, questions),
        }
    if args.write:
        weights = {**json.loads(WEIGHTS.read_text(encoding="utf-8")), **found}
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


def _as_new(here: Locations, questions: Sequence[Question]) -> list[Example]:
    """Return examples of the ``questions`` to every game, asked of an index in which that game is
    new.
    """
    found = []
    for game in IndexManager(here, print).ready().library.games:
        new = snapshot_as_new(here, game, print).index
        assert isinstance(new, Index)
        files = {
            new.library.sources[edition.id].file
            for edition in new.library.editions
            if edition.game == game
        }
        found += examples(new, [question for question in questions if question.document in files])
    return found


def _learn(every: Sequence[Example]) -> dict[str, float]:
    """Return weights learned from the examples, and print their held-out results."""
    ranked = [example for example in every if example.right.any()]
    held: NDArray[np.int64] = np.zeros(len(ranked), dtype=np.int64)
    for train, test in GroupKFold(FOLDS).split(
        ranked, groups=[example.question.story for example in ranked]
    ):
        held[test] = _ranks(
            [ranked[number] for number in test], fit_weights([ranked[number] for number in train])
        )
    weights = fit_weights(ranked)
    weights *= TOTAL / weights.sum()
    answerable = sum(bool(example.question.quotes) for example in every)
    print(f"{len(ranked)} questions with an answer, {len(every) - answerable} without")
    tried: Mapping[str, NDArray[np.int64]] = {
        "equal weights": _ranks(ranked, np.ones(len(SIGNALS))),
        "learned, held out": held,
        "learned, on all": _ranks(ranked, weights),
    }
    sets = np.array([example.question.file for example in ranked])
    for name, values in tried.items():
        for of_set in (*sorted(set(sets.tolist())), ""):
            some = values[sets == of_set] if of_set else values
            recalls = " ".join(f"R@{k} {(some <= k).mean():.3f}" for k in (1, 3, 5, 10))
            print(f"{name:20}{of_set or 'all':12}{recalls} MRR {(1 / some).mean():.3f}")
    learned = dict(zip(SIGNALS, (round(float(weight), 4) for weight in weights), strict=True))
    print(learned)
    return learned


def _ranks(given: Sequence[Example], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rank, from 1, of the first right passage of each example."""
    found = []
    for example in given:
        scores = example.scores @ weights
        found.append(int((scores > scores[example.right].max()).sum()) + 1)
    return np.array(found)


if __name__ == "__main__":
    main()
