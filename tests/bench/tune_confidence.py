"""Learn the weights of confidence: a logistic regression on whether a question is settled by its document.

It learns from practice questions and from `open_questions.jsonl`, questions of many kinds that no rulebook settles, each put to every
rulebook of its game; and a little from the questions to the sample, a small game with few phrasings. Questions of strangers weigh most.
The constant is moved so that `ANSWERED_SHARE` of the settled questions of strangers are answered. All figures are held out: by folds of
stories, and once more with every kind of open questions left out whole.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
from tests.bench.practice import query_of, rows, story_of

OPEN = Path(__file__).parent / "open_questions.jsonl"
SAMPLE = ROOT / "corpus" / "sample"
STRANGERS = "strangers"  # the file whose questions are most like those that are asked in earnest
ANSWERED_SHARE = 0.935  # of the settled questions of strangers, held out
_LEAST_PASSAGES = 100  # of a document that is a whole rulebook
_STRANGERS_WEIGHT, _UNSETTLED_WEIGHT = 2.0, 3.0  # of practice questions: few of them have no answer
_SAMPLE_WEIGHT = 0.1  # of all questions to the sample together, of what all others weigh
_OPEN_WEIGHT = 0.5  # of all open questions together, of what the settled ones weigh

Model = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Evidence:
    """The evidence for n questions, ``seen``, shape (n, features), and of each: whether it is settled, where it is from, what it counts.

    ``sets`` are names of practice files, "sample", or "open"; ``kinds`` are those of open questions, "" for the others.
    """

    features: tuple[str, ...]
    seen: NDArray[np.float64]
    settled: NDArray[np.bool_]
    sets: NDArray[np.str_]
    stories: NDArray[np.str_]
    kinds: NDArray[np.str_]

    @property
    def weights(self) -> NDArray[np.float64]:
        """What each question counts: an open one that is put to several documents once, all of these a share of the settled ones."""
        opened = self.sets == "open"
        times = Counter(self.stories.tolist())
        found = np.where(opened, [1 / times[story] for story in self.stories.tolist()], 1.0)
        found[self.sets == STRANGERS] *= _STRANGERS_WEIGHT
        found[~self.settled & ~opened] *= _UNSETTLED_WEIGHT
        found[opened] *= _OPEN_WEIGHT * found[self.settled].sum() / max(found[opened].sum(), 1.0)
        sample = self.sets == SAMPLE.name
        found[sample] *= _SAMPLE_WEIGHT * found[~sample].sum() / max(found[sample].sum(), 1.0)
        return found


def learn_confidence(index: Index, files: Sequence[Path], encoding: GeneralEncoding) -> dict[str, Any]:
    """Fit on the practice questions of ``files`` and the open ones; print held-out figures; the parts of weights.json.

    These are the weights without the general encoder, or those with it where the index has one: that of ``encoding``.
    """
    general = GENERAL_OUTSIDE in index.asked_evidence(Query("?"))
    name, features = ("confidence_general", GENERAL_FEATURES) if general else ("confidence", FEATURES)
    with TemporaryDirectory() as folder:
        snapshots = Snapshots(Path(folder))
        options = BuildOptions(general=encoding if general else ONLY_BUILT_IN)
        sample = Index.load(snapshots.path(build(SAMPLE / "rulebooks", snapshots, options).id))
        evidence = gather(index, files, sample, features)
    held = held_out(evidence, evidence.stories)
    shift = -float(np.quantile(held[evidence.settled & (evidence.sets == _calibrated_on(evidence))], 1 - ANSWERED_SHARE))
    _report(name, evidence, held + shift, held_out(evidence, _by_kind(evidence)) + shift)
    weights, constant = fit_logistic(evidence.seen, evidence.settled, evidence.weights)
    learned = {**dict(zip(features, map(_rounded, weights), strict=True)), "constant": _rounded(constant + shift)}
    print(learned)
    return {name: learned}


def gather(index: Index, files: Sequence[Path], sample: Index, features: tuple[str, ...]) -> Evidence:
    """The evidence for the questions of ``files`` and for the open ones, put to ``index``, and for those of the ``sample`` to that."""
    asked = [(index, query_of(row), bool(row["answers"]), file.stem, story_of(row), "") for file in files for row in rows([file])]
    for row in rows([SAMPLE / "questions.jsonl"]):
        asked.append((sample, query_of(row), bool(row["answers"]), SAMPLE.name, row["id"], ""))
    for number, row in enumerate(rows([OPEN])):
        for document in rulebooks(index, row["game"]):
            asked.append((index, query_of(row | {"document": document}), False, "open", f"open-{number}", row["kind"]))
    indexes, queries, settled, sets, stories, kinds = zip(*asked, strict=True)
    found = [index.asked_evidence(query) for index, query in zip(indexes, queries, strict=True)]
    seen = np.array([[each[name] for name in features] for each in found])
    return Evidence(features, seen, np.array(settled), np.array(sets), np.array(stories), np.array(kinds))


def held_out(evidence: Evidence, groups: NDArray[np.str_]) -> NDArray[np.float64]:
    """The log-odds of each question by a model that was fitted without its group, shape (n,)."""
    found = np.zeros(len(evidence.seen))
    for train, test in GroupKFold(5).split(evidence.seen, groups=groups):
        weights, constant = fit_logistic(evidence.seen[train], evidence.settled[train], evidence.weights[train])
        found[test] = evidence.seen[test] @ weights + constant
    return found


def rulebooks(index: Index, game: str) -> list[str]:
    """The files of the documents of ``game`` that are whole rulebooks."""
    editions = [edition for edition in index.library.editions if edition.game == game]
    files = [index.library.sources[edition.id].file for edition in editions]
    return [file for file in files if len(index.scope(Query("?", document=file)).numbers) >= _LEAST_PASSAGES]


def fit_logistic(
    seen: NDArray[np.float64], settled: NDArray[np.bool_], counts: NDArray[np.float64], c: float = 1.0
) -> tuple[NDArray[np.float64], float]:
    """The weights of the features as they are, and the constant; the fit itself sees them with mean 0 and deviation 1.

    ``c`` is the inverse of how dear great weights are.
    """
    mean, deviation = seen.mean(axis=0), seen.std(axis=0) + 1e-9
    model = LogisticRegression(C=c, max_iter=5000).fit((seen - mean) / deviation, settled, sample_weight=counts)
    weights = model.coef_[0] / deviation
    return weights, float(model.intercept_[0] - weights @ mean)


def _by_kind(evidence: Evidence) -> NDArray[np.str_]:
    """Groups that are stories of practice questions, and whole kinds of open ones."""
    return np.where(evidence.kinds == "", evidence.stories, evidence.kinds)


def _calibrated_on(evidence: Evidence) -> str:
    """The set whose settled questions the constant is moved by: that of strangers, or else the greatest."""
    names = Counter(evidence.sets[evidence.settled].tolist())
    return STRANGERS if STRANGERS in names else names.most_common(1)[0][0]


def _report(name: str, evidence: Evidence, by_story: NDArray[np.float64], by_kind: NDArray[np.float64]) -> None:
    print(f"{name + ', held out':30}  settled answered  open called open  area")
    for each in sorted(set(evidence.sets.tolist()) - {"open"}):
        of_set = evidence.sets == each
        yes, no = by_story[of_set & evidence.settled], by_story[of_set & ~evidence.settled]
        print(f"{each:30}{_share(yes >= 0):>10}{_share(no < 0):>20}{area_under_curve(yes.tolist(), no.tolist()) or 0:>14.3f}")
    for title, held in (("open questions", by_story), ("open, their kind left out", by_kind)):
        print(f"{title:40}{_share(held[evidence.sets == 'open'] < 0):>20}")
    kinds: Mapping[str, str] = {kind: _share(by_kind[evidence.kinds == kind] < 0) for kind in sorted(set(evidence.kinds.tolist()) - {""})}
    print("of these", json.dumps(kinds).replace('"', ""))


def _share(held: NDArray[np.bool_]) -> str:
    return f"{held.mean():.3f}" if len(held) else "-"


def _rounded(value: float) -> float:
    return round(float(value), 4)
