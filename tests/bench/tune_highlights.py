"""Learn the weights of highlights from practice questions: `python -m tests.bench.tune_highlights
--questions FOLDER`.

The weights maximise the log-likelihood of the sentences with a quote of the answer, under a softmax
over the sentences of a passage (listwise, Cao et al. 2007), for every passage that contains a
quote. They are evaluated by five-fold cross-validation over the groups of `tests.bench.tune`: how
often the highlights of the first right passage touch the quote, as `regula evaluate` counts it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from index.ranking.highlights import FEATURES, WEIGHTS, choose
from index.search import Index
from service.answers.evaluation import highlights_fit, rank_of_text
from service.ops.indexes import IndexManager
from service.ops.settings import load, locations
from tests.bench.questions import FOLDER, Question, read_questions

SHRINKAGE = 0.05  # penalty on large weights
PASSAGES = 10  # in an answer; the first right one is evaluated


@dataclass(frozen=True)
class QuotedPassage:
    """A passage with a quote of an answer: the `FEATURES` of its sentences, shape (n,
    len(FEATURES)), and which of them have the quote.

    ``found`` is true for the first right passage among the ten best.
    """

    question: Question
    text: str
    sentences: list[list[int]]
    features: NDArray[np.float32]
    right: NDArray[np.bool_]
    found: bool


def quoted_passages(index: Index, questions: Sequence[Question]) -> list[QuotedPassage]:
    """Return every passage that contains a quote of an answer to one of ``questions``."""
    texts = [passage.text for passage in index.library.searchable]
    numbers = {passage.id: number for number, passage in enumerate(index.library.searchable)}
    found = []
    for question in questions:
        if not question.quotes:
            continue
        scope = index.scope(question.query)
        prepared = index.prepare(question.query, scope)
        hits = [numbers[hit.passage.id] for hit in index.search(question.query).hits[:PASSAGES]]
        rank = rank_of_text([texts[number] for number in hits], question.answers)
        first = hits[rank - 1] if rank else -1
        for number in scope.numbers.tolist():
            if number == first or rank_of_text([texts[number]], question.answers):
                here = index.highlighter.rows(number)
                sentences = index.highlighter.sentences(here)
                right = np.array(
                    [
                        _has_quote(texts[number], sentence, question.quotes)
                        for sentence in sentences
                    ],
                    dtype=np.bool_,
                )
                features = index.highlighter.features([here], prepared)
                found.append(
                    QuotedPassage(
                        question, texts[number], sentences, features, right, number == first
                    )
                )
    return found


def _has_quote(text: str, sentence: Sequence[int], quotes: Sequence[str]) -> bool:
    """Return whether half of a ``sentence`` is in one of ``quotes``, or half of a quote in the
    sentence.
    """
    for each in quotes:
        quote = re.search(r"\s+".join(map(re.escape, each.split())), text)
        if quote:
            shared = min(sentence[1], quote.end()) - max(sentence[0], quote.start())
            if shared >= min(sentence[1] - sentence[0], quote.end() - quote.start()) / 2:
                return True
    return False


def fit(given: Sequence[QuotedPassage]) -> NDArray[np.float64]:
    """Return weights of `FEATURES` that make the sentences with the quotes likely."""
    told = [
        (p.features.astype(np.float64), p.right)
        for p in given
        if p.right.any() and not p.right.all()
    ]
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

    return np.asarray(
        minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x / scale
    )


def judged(
    given: Sequence[QuotedPassage], weights: NDArray[np.float64]
) -> list[tuple[str, bool, float]]:
    """Return for each found passage its question file, whether the highlights are right, and the
    share of the text that they mark.
    """
    result = []
    for passage in given:
        if passage.found:
            spans = choose(
                passage.sentences, (passage.features @ weights).tolist(), len(passage.text)
            )
            share = sum(end - start for start, end in spans) / len(passage.text)
            right = highlights_fit(passage.text, spans, passage.question.answers)
            result.append((passage.question.file, right, share))
    return result


def main() -> None:
    """Fit, report, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=Path, default=FOLDER)
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    args = parser.parse_args()
    index = IndexManager(locations(load()), print).ready().index
    assert isinstance(index, Index)
    questions = [
        question
        for file in sorted(args.questions.glob("*.jsonl"))
        for question in read_questions(file)
    ]
    given = quoted_passages(index, questions)
    held_out: list[tuple[str, bool, float]] = []
    for train, test in GroupKFold(5).split(
        given, groups=[passage.question.story for passage in given]
    ):
        held_out += judged([given[i] for i in test], fit([given[i] for i in train]))
    weights = fit(given)
    for name, result in (
        ("learned, held out", held_out),
        ("learned, on all", judged(given, weights)),
    ):
        shares = {
            file: np.mean([right for f, right, _ in result if f == file])
            for file in sorted({f for f, *_ in result})
        }
        right = " ".join(f"{file} {share:.3f}" for file, share in shares.items())
        print(
            f"{name:20}right {np.mean([right for _, right, _ in result]):.3f} ({right}), marked "
            f"{np.mean([s for *_, s in result]):.2f}"
        )
    learned = dict(zip(FEATURES, (round(float(w), 4) for w in weights), strict=True))
    print(learned)
    if args.write:
        WEIGHTS.write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
