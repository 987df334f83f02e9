"""How often the ruling on a question stands first, and the weights of `index.layers.ruling_probability`.

    python -m tests.bench.rulings INDEX [INDEX …] [--learn] [--misses]

INDEX is a snapshot folder with rulings. The questions are `ruling_questions.jsonl`: our own, in other words than the rulings, in German,
Italian and English; those without a ruling name cards that rulings are about, but ask something else. Questions on a game that an index
has no rulings on are left out. ``--learn`` prints weights, and the figures of five folds by ruling.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from index.layers.ruling_probability import FEATURES
from index.model import Query, RulingHit
from index.search import Index

QUESTIONS = Path(__file__).parent / "ruling_questions.jsonl"
_FOLDS = 5
_REGULARISATION = 5.0  # inverse strength, as in scikit-learn


class RulingRank(NamedTuple):
    """A question with the rank, from 1, of the first of its rulings among the passages of all layers, None where it is not there.

    ``first`` says that any ruling stood first, ``settled`` that one was called an official ruling on the very question.
    """

    row: Mapping[str, Any]
    rank: int | None
    first: bool
    settled: bool


def questions(index: Index, path: Path = QUESTIONS) -> Iterator[dict[str, Any]]:
    """The questions on games that ``index`` has rulings on."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["game"] in index.rulings.games and all(index.rulings.get(id) for id in row["rulings"]):
            yield row


def ranks(index: Index, path: Path = QUESTIONS) -> list[RulingRank]:
    """Where the rulings stand for each question, which says neither its game nor its language."""
    found = []
    for row in questions(index, path):
        result = index.search(Query(row["question"], k=10))
        ids = [hit.ruling.id if isinstance(hit, RulingHit) else "" for hit in result.ranked]
        places = [place for place, id in enumerate(ids, 1) if id in row["rulings"]]
        found.append(RulingRank(row, min(places, default=None), bool(ids and ids[0]), result.ruled))
    return found


def report(found: Sequence[RulingRank]) -> str:
    """The figures: of questions with a ruling how often it stands first and among three, of others how often one stands first."""
    with_ruling = [each for each in found if each.row["rulings"]]
    others = [each for each in found if not each.row["rulings"]]
    lines = []
    for language in ("", "de", "it", "en"):
        some = [each for each in with_ruling if language in ("", each.row["language"])]
        if some:
            first = sum(each.rank == 1 for each in some) / len(some)
            three = sum(each.rank is not None and each.rank <= 3 for each in some) / len(some)
            settled = sum(each.settled for each in some) / len(some)
            lines.append(f"{language or 'all':4}{len(some):5} questions: first {first:.3f}, among three {three:.3f}, settled {settled:.3f}")
    if others:
        first, settled = sum(each.first for each in others), sum(each.settled for each in others)
        lines.append(f"on other matters of the same cards: {len(others)} questions, a ruling first {first}, called settled {settled}")
    return "\n".join(lines)


def _features(index: Index, row: Mapping[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The features of all rulings for a question, and 1 for each that answers it."""
    prepared = index.prepare(query := Query(row["question"]), index.scope(query))
    values, right = [], []
    for game in index.rulings.games:
        values.append(index.layers.search.ruling_signals(prepared, game, index.library.games, index.kind_logit(prepared)).features)
        right += [float(ruling.id in row["rulings"]) for ruling in index.rulings.of_game(game)]
    return np.vstack(values), np.array(right)


def learn(indexes: Sequence[Index]) -> None:
    """Print the weights learned from all questions, and how well those of folds tell the rulings of the left-out ones."""
    asked: list[tuple[str, NDArray[np.float64], NDArray[np.float64]]] = []
    for index in indexes:
        for row in questions(index):
            asked.append((" ".join(row["rulings"]) or row["question"], *_features(index, row)))
    groups = sorted({group for group, _, _ in asked})
    first: list[bool] = []
    for fold in range(_FOLDS):
        held = set(groups[fold::_FOLDS])
        weights = _fit([each for each in asked if each[0] not in held])
        for group, values, right in asked:
            if group in held and right.any():
                first.append(bool(right[int((values @ weights[:-1]).argmax())]))
    weights = _fit(asked)
    print(f"held out: the most probable is right for {np.mean(first):.3f} of {len(first)}")
    print(
        {name: round(float(weight), 2) for name, weight in zip(FEATURES, weights, strict=False)}, "constant", round(float(weights[-1]), 2)
    )


def _fit(asked: Sequence[tuple[str, NDArray[np.float64], NDArray[np.float64]]]) -> NDArray[np.float64]:
    """The weights of a logistic regression, the constant last; the rulings of each question weigh as much as one that is right."""
    values = np.vstack([values for _, values, _ in asked])
    right = np.concatenate([right for _, _, right in asked])
    weights = np.concatenate([_hardness(values, right) for _, values, right in asked])
    model = LogisticRegression(C=_REGULARISATION).fit(values, right, sample_weight=weights)
    return np.append(model.coef_[0], model.intercept_)


def _hardness(values: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of each ruling: 1 for a right one, and 1 in all for the others, those about a card that is named for half of it."""
    named = (values[:, FEATURES.index("card")] > 0) & (right == 0)
    others = (right == 0) & ~named
    return np.asarray(right + 0.5 * named / max(named.sum(), 1) + 0.5 * others / max(others.sum(), 1))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rulings")
    parser.add_argument("index", type=Path, nargs="+")
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    indexes = [Index.load(folder) for folder in options.index]
    if options.learn:
        learn(indexes)
    found = [each for index in indexes for each in ranks(index)]
    print(report(found))
    for each in found if options.misses else ():
        if (each.rank != 1) if each.row["rulings"] else each.settled:
            print(each.rank, each.row["question"], *each.row["rulings"])


if __name__ == "__main__":
    main()
