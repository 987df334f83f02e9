"""Measure how often the ruling on a question comes first, and how often an unrelated ruling does;
learn the weights for that.

    python -m tests.bench.rulings INDEX [INDEX …] [--learn] [--misses]

INDEX is a snapshot folder with rulings. The questions are our own, in German, Italian and English.
Those in `ruling_questions.jsonl` have a ruling, but use other words than it. Those in
`ruling_negatives.jsonl`, and a few in the first file, have none, but are near one: on another
matter of its card, on a rule alone, or on another card. Questions on a game without rulings in an
index are left out. ``--learn`` prints the weights of `index.layers.ruling_matching` and the figures
of cross-validation, in which no card of a fold was used to learn its weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from index.layers.ruling_matching import FEATURES
from index.model import Query, RulingHit
from index.search import Index
from tests.bench.questions import read_rows

QUESTIONS = tuple(
    Path(__file__).parent / name for name in ("ruling_questions.jsonl", "ruling_negatives.jsonl")
)
_FOLDS = 5
_REGULARISATION = 0.5  # inverse strength, as in scikit-learn
_OTHERS = 0.5  # weight of all unrelated rulings of a question together
_NAMED = FEATURES.index("about")
_ABOUT = 0.5  # least value of the feature that means a question names a card of a ruling
_NEGATIVE_RATES = (0.02, 0.05, 0.1, 0.2, 0.3)


class RulingRank(NamedTuple):
    """The rank of the rulings on a question.

    Attributes:
        rank: Of its first ruling among the passages of all layers, from 1; None where none is
            found.
        first: Whether any ruling came first.
        settled: Whether a ruling was shown as the official answer to this very question.
    """

    row: Mapping[str, Any]
    rank: int | None
    first: bool
    settled: bool


def questions(index: Index, paths: Sequence[Path] = QUESTIONS) -> Iterator[dict[str, Any]]:
    """Yield the questions about games that have rulings in ``index``."""
    for row in (row for path in paths for row in read_rows(path)):
        if row["game"] in index.rulings.games and all(
            index.rulings.get(id) for id in row["rulings"]
        ):
            yield row


def ranks(index: Index, paths: Sequence[Path] = QUESTIONS) -> list[RulingRank]:
    """Return the ranks of the rulings for each question, which is asked without its game and
    language.
    """
    found = []
    for row in questions(index, paths):
        result = index.search(Query(row["question"], k=10))
        ids = [hit.ruling.id if isinstance(hit, RulingHit) else "" for hit in result.ranked]
        places = [place for place, id in enumerate(ids, 1) if id in row["rulings"]]
        found.append(RulingRank(row, min(places, default=None), bool(ids and ids[0]), result.ruled))
    return found


def report(found: Sequence[RulingRank], official: Mapping[str, bool]) -> str:
    """Return the figures: for questions with a ruling, how often it is first and among the first
    three; for others, how often any ruling is first.

    ``official`` tells for each ruling whether it is official; others rank below a rulebook that
    answers.
    """
    lines = []
    with_ruling = [each for each in found if each.row["rulings"]]
    for title, of_title in (("official", True), ("of others", False)):
        of_kind = [
            each
            for each in with_ruling
            if any(official[id] for id in each.row["rulings"]) is of_title
        ]
        for language in ("", "de", "it", "en"):
            if some := [each for each in of_kind if language in ("", each.row["language"])]:
                first = np.mean([each.rank == 1 for each in some])
                three = np.mean([each.rank is not None and each.rank <= 3 for each in some])
                settled = np.mean([each.settled for each in some])
                name = f"{title} {language}"
                lines.append(
                    f"{name:22}{len(some):5} questions: first {first:.3f}, among three "
                    f"{three:.3f}, settled {settled:.3f}"
                )
    without = [each for each in found if not each.row["rulings"]]
    for kind in ("", *sorted({each.row.get("kind", "") for each in without} - {""})):
        if some := [each for each in without if kind in ("", each.row.get("kind", ""))]:
            first, settled = (
                np.mean([each.first for each in some]),
                np.mean([each.settled for each in some]),
            )
            lines.append(
                f"{'none, ' + (kind or 'all'):22}{len(some):5} questions: a ruling first "
                f"{first:.3f}, settled {settled:.3f}"
            )
    return "\n".join(lines)


class _Asked(NamedTuple):
    """A question: the features of all rulings for it, and two arrays of 1 or 0, which rulings
    answer it and which are near it.

    ``card``, a ruling that the question is about, determines the fold.
    """

    card: str
    features: NDArray[np.float64]
    right: NDArray[np.float64]
    near: NDArray[np.float64]


def _asked(index: Index) -> Iterator[_Asked]:
    for row in questions(index):
        prepared = index.prepare(query := Query(row["question"]), index.scope(query))
        game = row["game"]
        signals = index.layers.search.ruling_signals(
            prepared, game, index.library.games, index.judge.kind_logit(prepared)
        )
        if signals is None:
            return
        ids = [ruling.id for ruling in index.rulings.of_game(game)]
        right, near = (
            np.array([float(id in row.get(name, ())) for id in ids]) for name in ("rulings", "near")
        )
        yield _Asked(
            min(row["rulings"] or row.get("near") or [row["question"]]),
            signals.features,
            right,
            near,
        )


def learn(indexes: Sequence[Index]) -> None:
    """Print the weights learned from all questions, and the held-out results of
    cross-validation.
    """
    asked = [each for index in indexes for each in _asked(index)]
    groups = sorted({each.card for each in asked}, key=lambda card: crc32(card.encode()))
    judged: list[tuple[bool, bool, float]] = []
    for fold in range(_FOLDS):
        held = set(groups[fold::_FOLDS])
        weights = _fit([each for each in asked if each.card not in held])
        judged += [_judged(each, weights) for each in asked if each.card in held]
    print("\n".join(_curve(judged)))
    weights = _fit(asked)
    print(
        dict(zip(FEATURES, weights[:-1].round(2).tolist(), strict=True)),
        "constant",
        round(float(weights[-1]), 2),
    )


def _judged(asked: _Asked, weights: NDArray[np.float64]) -> tuple[bool, bool, float]:
    """Return whether a ruling answers the question, whether the most probable one does, and its
    probability.
    """
    probabilities = 1 / (1 + np.exp(-asked.features @ weights[:-1] - weights[-1]))
    best = int(probabilities.argmax())
    return bool(asked.right.any()), bool(asked.right[best]), float(probabilities[best])


def _curve(judged: Sequence[tuple[bool, bool, float]]) -> Iterator[str]:
    """Yield lines with the share of answers found at several rates of false positives."""
    right = np.array(
        [probability if best else 0.0 for answered, best, probability in judged if answered]
    )
    wrong = np.array([probability for answered, _, probability in judged if not answered])
    yield f"held out: the most probable is right for {np.mean(right > 0):.3f} of {len(right)}"
    for rate in _NEGATIVE_RATES if len(wrong) else ():
        limit = float(np.quantile(wrong, 1 - rate))
        yield f"wrong for {rate:.2f} of {len(wrong)} others: right for {np.mean(right > limit):.3f}, from a probability of {limit:.2f}"


def _fit(asked: Sequence[_Asked]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, the constant last.

    For each question, the rulings that answer it weigh as much as those near it or about a card
    that it names; all others together weigh half of that.
    """
    features = np.vstack([each.features for each in asked])
    right = np.concatenate([each.right for each in asked])
    counts = np.concatenate([_counts(each) for each in asked])
    model = LogisticRegression(C=_REGULARISATION, max_iter=3000).fit(
        features, right, sample_weight=counts
    )
    return np.append(model.coef_[0], model.intercept_)


def _counts(asked: _Asked) -> NDArray[np.float64]:
    near = ((asked.features[:, _NAMED] >= _ABOUT) | (asked.near > 0)) & (asked.right == 0)
    others = (asked.right == 0) & ~near
    return np.asarray(
        sum(
            share * some / max(some.sum(), 1)
            for share, some in ((1.0, asked.right), (1.0, near), (_OTHERS, others))
        )
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rulings")
    parser.add_argument("index", type=Path, nargs="+")
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    indexes = [Index.load(folder) for folder in options.index]
    if options.learn:
        learn(indexes)
    found = [each for index in indexes for each in ranks(index)]
    print(
        report(
            found,
            {ruling.id: ruling.authority.official for index in indexes for ruling in index.rulings},
        )
    )
    for each in found if options.misses else ():
        if (each.rank != 1) if each.row["rulings"] else each.settled:
            print(each.rank, each.row["question"], *each.row["rulings"])


if __name__ == "__main__":
    main()
