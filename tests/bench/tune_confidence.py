"""Learn the weights of confidence: a logistic regression on whether a question is settled by its
document.

It learns from practice questions and from `open_questions.jsonl`, questions of many kinds that no
rulebook settles, each put to every rulebook of its game. Questions to the sample, a small game with
few query variants, count a little. Questions of strangers weigh most. The constant is shifted so
that `ANSWERED_SHARE` of the settled questions of strangers are answered. All figures are held out:
by folds of stories, and once more with every kind of open questions left out as a whole.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from index.building.build import BuildOptions, build
from index.building.snapshots import Snapshots
from index.encoding.general import ONLY_BUILT_IN, GeneralEncoding
from index.model import Query
from index.ranking.confidence import FEATURES, GENERAL_FEATURES, GENERAL_OUTSIDE
from index.search import Index
from service.answers.evaluation import area_under_curve
from service.ops.settings import ROOT
from tests.bench.questions import Question, read_questions, read_rows

OPEN = "open"  # the set of questions that no rulebook settles
STRANGERS = "strangers"  # the set of questions most like those of real users
ANSWERED_SHARE = 0.935  # of the settled questions of strangers, held out
SAMPLE = ROOT / "corpus" / "sample"
_OPEN_QUESTIONS = Path(__file__).parent / "open_questions.jsonl"
_LEAST_PASSAGES = 100  # in a document that counts as a whole rulebook
_STRANGERS_WEIGHT, _UNSETTLED_WEIGHT = 2.0, 3.0  # for practice questions; few have no answer
_SAMPLE_WEIGHT = 0.1  # total of the questions to the sample, relative to the total of all others
_OPEN_WEIGHT = 0.5  # total of the open questions, relative to that of the settled ones

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """The evidence for n questions, ``seen``, shape (n, features), with whether each is settled and
    where it is from.

    ``sets`` are names of practice files, "sample", or `OPEN`; ``kinds`` are those of open
    questions, "" for the others.
    """

    seen: Floats
    settled: NDArray[np.bool_]
    sets: NDArray[np.str_]
    stories: NDArray[np.str_]
    kinds: NDArray[np.str_]

    @property
    def weights(self) -> Floats:
        """The weight of each question."""
        opened = self.sets == OPEN
        found = once_each(self.stories, opened)
        found[self.sets == STRANGERS] *= _STRANGERS_WEIGHT
        found[~self.settled & ~opened] *= _UNSETTLED_WEIGHT
        found[opened] *= _OPEN_WEIGHT * found[self.settled].sum() / max(found[opened].sum(), 1.0)
        sample = self.sets == SAMPLE.name
        found[sample] *= _SAMPLE_WEIGHT * found[~sample].sum() / max(found[sample].sum(), 1.0)
        return found


def once_each(stories: NDArray[np.str_], opened: NDArray[np.bool_]) -> Floats:
    """Return the weight 1.0 for each question. An open question, which is put to several documents,
    gets weights that sum to 1.
    """
    times = Counter(stories.tolist())
    return np.where(opened, [1 / times[story] for story in stories.tolist()], 1.0)


def open_questions(index: Index) -> Iterator[tuple[Question, str]]:
    """Yield the questions that no rulebook settles, each put to every whole rulebook of its game in
    ``index``, with their kinds.
    """
    for number, row in enumerate(read_rows(_OPEN_QUESTIONS)):
        editions = [edition for edition in index.library.editions if edition.game == row["game"]]
        for file in (index.library.sources[edition.id].file for edition in editions):
            if len(index.scope(Query("?", document=file)).numbers) >= _LEAST_PASSAGES:
                yield (
                    Question(f"open-{number}", row["question"], file, row["language"], OPEN),
                    row["kind"],
                )


def learn_confidence(
    index: Index, questions: Sequence[Question], encoding: GeneralEncoding
) -> dict[str, Any]:
    """Fit on the practice questions and the open ones, print held-out figures, and return parts of
    weights.json.

    These are the weights without a general encoder or, where the index has one, those with the
    encoder of ``encoding``.
    """
    general = GENERAL_OUTSIDE in index.asked_evidence(Query("?"))
    name, features = (
        ("confidence_general", GENERAL_FEATURES) if general else ("confidence", FEATURES)
    )
    with TemporaryDirectory() as folder:
        snapshots = Snapshots(Path(folder))
        options = BuildOptions(general=encoding if general else ONLY_BUILT_IN)
        sample = Index.load(snapshots.path(build(SAMPLE / "rulebooks", snapshots, options).id))
        evidence = _gather(index, questions, sample, features)
    held = held_out(evidence.seen, evidence.settled, evidence.weights, evidence.stories)
    names = Counter(evidence.sets[evidence.settled].tolist())
    calibrated_on = STRANGERS if STRANGERS in names else names.most_common(1)[0][0]
    shift = -float(
        np.quantile(held[evidence.settled & (evidence.sets == calibrated_on)], 1 - ANSWERED_SHARE)
    )
    groups = np.where(evidence.kinds == "", evidence.stories, evidence.kinds)
    _report(
        name,
        evidence,
        held + shift,
        held_out(evidence.seen, evidence.settled, evidence.weights, groups) + shift,
    )
    weights, constant = fit_logistic(evidence.seen, evidence.settled, evidence.weights)
    learned = {
        name: round(float(weight), 4) for name, weight in zip(features, weights, strict=True)
    }
    learned["constant"] = round(constant + shift, 4)
    print(learned)
    return {name: learned}


def _gather(
    index: Index, questions: Sequence[Question], sample: Index, features: tuple[str, ...]
) -> Evidence:
    """Return the evidence for ``questions`` and the open ones, asked of ``index``, and for those of
    the ``sample``, asked of it.
    """
    asked = [(index, question, question.file, question.story, "") for question in questions]
    asked += [
        (sample, question, SAMPLE.name, question.id, "")
        for question in read_questions(SAMPLE / "questions.jsonl")
    ]
    asked += [
        (index, question, question.file, question.story, kind)
        for question, kind in open_questions(index)
    ]
    found = [where.asked_evidence(question.query) for where, question, *_ in asked]
    seen = np.array([[each[name] for name in features] for each in found])
    settled = np.array([bool(question.quotes) for _, question, *_ in asked])
    sets, stories, kinds = (np.array(column) for column in list(zip(*asked, strict=True))[2:])
    return Evidence(seen, settled, sets, stories, kinds)


def held_out(
    seen: Floats,
    wanted: NDArray[np.bool_],
    counts: Floats,
    groups: NDArray[np.str_],
    c: float = 1.0,
) -> Floats:
    """Return the log-odds of each question by a model fitted without its group, shape (n,)."""
    found = np.zeros(len(seen))
    for train, test in GroupKFold(5).split(seen, groups=groups):
        weights, constant = fit_logistic(seen[train], wanted[train], counts[train], c)
        found[test] = seen[test] @ weights + constant
    return found


def fit_logistic(
    seen: Floats, wanted: NDArray[np.bool_], counts: Floats, c: float = 1.0
) -> tuple[Floats, float]:
    """Return the weights of the unscaled features, and the constant. The fit itself uses features
    with mean 0 and standard deviation 1.

    ``c`` is the inverse strength of the regularisation.
    """
    mean, deviation = seen.mean(axis=0), seen.std(axis=0) + 1e-9
    model = LogisticRegression(C=c, max_iter=5000).fit(
        (seen - mean) / deviation, wanted, sample_weight=counts
    )
    weights = model.coef_[0] / deviation
    return weights, float(model.intercept_[0] - weights @ mean)


def _report(name: str, evidence: Evidence, by_story: Floats, by_kind: Floats) -> None:
    print(f"{name + ', held out':30}  settled answered  open called open  area")
    for each in sorted(set(evidence.sets.tolist()) - {OPEN}):
        of_set = evidence.sets == each
        yes, no = by_story[of_set & evidence.settled], by_story[of_set & ~evidence.settled]
        print(
            f"{each:30}{_share(yes >= 0):>10}{_share(no < 0):>20}{area_under_curve(yes.tolist(), no.tolist()) or 0:>14.3f}"
        )
    for title, held in (("open questions", by_story), ("open, their kind left out", by_kind)):
        print(f"{title:40}{_share(held[evidence.sets == OPEN] < 0):>20}")
    kinds = {
        kind: _share(by_kind[evidence.kinds == kind] < 0)
        for kind in sorted(set(evidence.kinds.tolist()) - {""})
    }
    print("of these", json.dumps(kinds).replace('"', ""))


def _share(held: NDArray[np.bool_]) -> str:
    return f"{held.mean():.3f}" if len(held) else "-"
