"""Learn the weights of highlights from practice questions: `python -m tests.bench.tune_highlights --questions FOLDER`.

The weights maximise the log-likelihood of the sentences that the quotes of the answers are in, under a softmax over those of a
passage (listwise, Cao et al. 2007), of every passage that holds a quote. They are judged by five-fold cross-validation over the
groups of `tests.bench.tune`: how often the highlights of the first right passage touch the quote, as `regula evaluate` counts it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from index.ranking.highlights import FEATURES, WEIGHTS, choose
from index.search import Index
from service.answers.evaluation import highlights_fit, rank_of_text
from service.ops.indexes import IndexManager
from service.ops.settings import load, locations
from tests.bench.practice import query_of, rows, story_of

SHRINKAGE = 0.05  # how dear a great weight is
PASSAGES = 10  # of an answer, whose first right one is judged


@dataclass(frozen=True)
class QuotedPassage:
    """A passage with the quote of an answer: the `FEATURES` of its sentences, shape (n, len(FEATURES)), and which of them have the quote.

    ``found`` says that it is the first right one of the ten best.
    """

    group: str
    file: str
    text: str
    answers: Sequence[Mapping[str, Any]]
    sentences: list[list[int]]
    features: NDArray[np.float32]
    right: NDArray[np.bool_]
    found: bool


def quoted_passages(index: Index, files: Sequence[Path]) -> list[QuotedPassage]:
    """Every passage that holds a quote of an answer to one of the questions in ``files``."""
    numbers = {passage.id: number for number, passage in enumerate(index.library.searchable)}
    found = []
    for file in files:
        for row in rows([file]):
            if not row["answers"]:
                continue
            query = query_of(row)
            scope = index.scope(query)
            prepared = index.prepare(query, scope)
            hits = [numbers[hit.passage.id] for hit in index.search(query).hits[:PASSAGES]]
            texts = index.library.searchable
            rank = rank_of_text([texts[n].text for n in hits], row["answers"])
            first = hits[rank - 1] if rank else -1
            for number in (n for n in scope.numbers.tolist() if n == first or rank_of_text([texts[n].text], row["answers"])):
                text, here = texts[number].text, index.highlighter.rows(number)
                sentences = index.highlighter.sentences(here)
                right = np.array([_has_quote(text, sentence, row["answers"]) for sentence in sentences], dtype=np.bool_)
                features = index.highlighter.features([here], prepared)
                found.append(QuotedPassage(story_of(row), file.stem, text, row["answers"], sentences, features, right, number == first))
    return found


def _has_quote(text: str, sentence: Sequence[int], answers: Sequence[Mapping[str, Any]]) -> bool:
    """Whether half of a ``sentence`` is in the quote of an answer, or half of a quote in the sentence."""
    for answer in answers:
        quote = re.search(r"\s+".join(map(re.escape, answer["quote"].split())), text)
        if quote:
            shared = min(sentence[1], quote.end()) - max(sentence[0], quote.start())
            if shared >= min(sentence[1] - sentence[0], quote.end() - quote.start()) / 2:
                return True
    return False


def fit(given: Sequence[QuotedPassage]) -> NDArray[np.float64]:
    """Weights of `FEATURES` that make the sentences with the quotes likely."""
    told = [(p.features.astype(np.float64), p.right) for p in given if p.right.any() and not p.right.all()]
    scale = np.concatenate([features for features, _ in told]).std(axis=0) + 1e-9

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = SHRINKAGE * float((weights**2).sum()), 2 * SHRINKAGE * weights
        for features, right in told:
            logits = features / scale @ weights
            exponents = np.exp(logits - logits.max())
            likely = exponents / exponents.sum()
            share = np.where(right, likely, 0.0)
            total -= np.log(share.sum() + 1e-12) / len(told)
            slope -= (features / scale).T @ (share / max(share.sum(), 1e-12) - likely) / len(told)
        return total, slope

    return np.asarray(minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x / scale)


def judged(given: Sequence[QuotedPassage], weights: NDArray[np.float64]) -> list[tuple[str, bool, float]]:
    """File, whether the highlights are right, and what share of the text they mark, of each passage that was found."""
    result = []
    for passage in given:
        if passage.found:
            spans = choose(passage.sentences, (passage.features @ weights).tolist(), len(passage.text))
            share = sum(end - start for start, end in spans) / len(passage.text)
            result.append((passage.file, highlights_fit(passage.text, spans, passage.answers), share))
    return result


def main() -> None:
    """Fit, report, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, default=Path("../shared/questions"))
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    args = parser.parse_args()
    index = IndexManager(locations(load()), print).ready().index
    assert isinstance(index, Index)
    report(quoted_passages(index, sorted(args.questions.glob("*.jsonl"))), args.write)


def report(given: Sequence[QuotedPassage], write: bool) -> None:
    """Print how good the weights are, held out and on all, and the weights; write them where asked to."""
    held_out: list[tuple[str, bool, float]] = []
    for train, test in GroupKFold(5).split(given, groups=[passage.group for passage in given]):
        held_out += judged([given[i] for i in test], fit([given[i] for i in train]))
    weights = fit(given)
    for name, result in (("learned, held out", held_out), ("learned, on all", judged(given, weights))):
        shares = {file: np.mean([right for f, right, _ in result if f == file]) for file in sorted({f for f, *_ in result})}
        right = " ".join(f"{file} {share:.3f}" for file, share in shares.items())
        print(f"{name:20}right {np.mean([right for _, right, _ in result]):.3f} ({right}), marked {np.mean([s for *_, s in result]):.2f}")
    learned = dict(zip(FEATURES, (round(float(w), 4) for w in weights), strict=True))
    print(learned)
    if write:
        WEIGHTS.write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
