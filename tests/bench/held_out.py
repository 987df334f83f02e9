"""The weights of the ranking for each practice question, learned without it, its translations and its twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sklearn.model_selection import GroupKFold

from index.ranking.fusion import SIGNALS, TOTAL
from index.search import Index
from tests.bench.practice import rows
from tests.bench.tune import examples, fit_weights

FOLDS = 5

HeldOut = Mapping[tuple[str, str], Mapping[str, float]]  # by question and document


def held_out_weights(index: Index, files: Sequence[Path]) -> HeldOut:
    """The weights for every question of ``files`` that is put to a document of ``index``; none where there are too few to learn from."""
    here = {source.file for source in index.library.sources.values()}
    given = examples(index, files, lambda row: row["document"] in here)
    asked = [(row["question"], row["document"]) for row in rows(files) if row["document"] in here]
    groups = [example.group for example in given]
    if len(set(groups)) < FOLDS:
        return {}
    found = {}
    for train, test in GroupKFold(FOLDS).split(given, groups=groups):
        learned = fit_weights([given[number] for number in train if given[number].right.any()])
        learned *= TOTAL / learned.sum()
        found.update({asked[number]: dict(zip(SIGNALS, map(float, learned), strict=True)) for number in test})
    return found
