"""What texts can be compared by, how alike they are, and which of two sides belong to each other.

Translations share numbers, names and terms, versions share words too. There is one extractor and
one weighting for all that compare texts. What differs between them, and changes what they find:

- Entries about cards (`printed_ties`) are told by names of one word alone, found by their stem; numbers are those within words too, and
  a sign that occurs n times counts 1 + log n. Across languages, what only one language has does not count.
- Proposed ties (`tie_proposals`) are told by all names, but for everyday words; a term that may stand for n concepts counts 1 / n for each,
  what occurs n times the root of n. Names count as they are written.
- Passages (`glossary.comparison.passage_similarity`) are told by all names, everyday words with them. It does not count how often
  anything occurs, and is no cosine: it asks how much of a passage another one covers, which is not the same in both directions.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from glossary import normalization
from glossary.name_finder import NameUse
from glossary.normalization import Token

L = TypeVar("L", bound=Hashable)
R = TypeVar("R", bound=Hashable)


def best_assignment(scores: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return rows and columns of ``scores`` assigned to each other with the greatest total (Kuhn
    1955), the shorter side completely.
    """
    from scipy.optimize import linear_sum_assignment  # slow to load, and answering does without

    return [
        (int(row), int(column)) for row, column in zip(*linear_sum_assignment(-scores), strict=True)
    ]


def mutual_best(scores: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Yield those of the best assignment that are each other's best and score more than 0."""
    for row, column in best_assignment(scores):
        if 0 < scores[row, column] == max(*scores[row], *scores[:, column]):
            yield row, column


def lead(scores: NDArray[np.float64], row: int, column: int) -> float:
    """Return by how much the score of a pair is greater than that of any other pair of its row or
    column, all of which are 0 or more.
    """
    others = max(
        np.delete(scores[row], column).max(initial=0),
        np.delete(scores[:, column], row).max(initial=0),
    )
    return float(scores[row, column] - others)


def greedy_assignment(ranked: Iterable[tuple[L, R]]) -> Iterator[tuple[L, R]]:
    """Yield those of the pairs ``ranked``, the best first, whose sides are in no better pair."""
    left: set[L] = set()
    right: set[R] = set()
    for one, other in ranked:
        if one not in left and other not in right:
            left.add(one)
            right.add(other)
            yield one, other


def nearness(left: NDArray[Any], right: NDArray[Any], scale: float = 1.0) -> NDArray[np.float64]:
    """Return how near the places ``left`` and ``right`` are to each other, shape (len(left),
    len(right)): 1 where they are the same.
    """
    near: NDArray[np.float64] = 1 - np.abs(left[:, None] - right[None, :]) / scale
    return near


SHARED = ""  # stands for the language of what is the same in every language

Feature = tuple[str, str]
"""A language and the stem of a word in it, or `SHARED` and a number, a name or a term."""

_DIGITS = re.compile(r"\d+")


class TermFinder(Protocol):
    """What finds terms in the text of one language."""

    language: str

    def stems(self, parts: Iterable[str]) -> tuple[str, ...]:
        """Return the stems of words."""

    def find(self, tokens: Sequence[Token]) -> list[NameUse]:
        """Return the terms among ``tokens``."""


@dataclass(frozen=True)
class FeatureRules:
    """What counts as a name and as a number."""

    shortest_name: int = 1  # letters of a word with a capital letter that is a name
    fold_names: bool = True  # whether names are the same whatever their umlauts and capitals
    digits_in_words: bool = True  # whether the 3 of "3A" is a number


class TextFeatures(NamedTuple):
    """The words of a text, and what is the same in its translations; ``stems`` has one for each of
    ``tokens``.
    """

    language: str
    tokens: Sequence[Token]
    stems: tuple[str, ...]
    terms: Sequence[NameUse]
    numbers: Sequence[str]
    names: Sequence[str]

    def words(self) -> Counter[Feature]:
        """Return how often each word that is no number occurs."""
        pairs = zip(self.tokens, self.stems, strict=True)
        return Counter((self.language, stem) for token, stem in pairs if not token.text.isdigit())

    def shared(self, split_terms: bool = False) -> dict[Feature, float]:
        """Return how often each number, name and concept occurs; with ``split_terms`` a term counts
        1 / n for each of its n concepts.
        """
        found: dict[Feature, float] = dict(
            Counter(
                [
                    *((SHARED, f"number {number}") for number in self.numbers),
                    *((SHARED, f"name {name}") for name in self.names),
                ]
            )
        )
        for term in self.terms:
            for concept, _ in term.concepts:
                feature = (SHARED, f"term {concept}")
                found[feature] = found.get(feature, 0.0) + (
                    1 / len(term.concepts) if split_terms else 1
                )
        return found


def extract_features(text: str, finder: TermFinder, rules: FeatureRules) -> TextFeatures:
    """Return the features of ``text``, whose terms ``finder`` finds."""
    tokens = normalization.tokenize(text)
    names = [
        token.text
        for token in tokens
        if token.text[0].isupper() and len(token.text) >= rules.shortest_name
    ]
    return TextFeatures(
        language=finder.language,
        tokens=tokens,
        stems=finder.stems(token.text for token in tokens),
        terms=finder.find(tokens),
        numbers=_DIGITS.findall(text)
        if rules.digits_in_words
        else [token.text for token in tokens if token.text.isdigit()],
        names=[normalization.fold_umlauts(name) for name in names] if rules.fold_names else names,
    )


def logarithmic(count: float) -> float:
    """Return what a feature that occurs ``count`` times counts, where once counts one."""
    return 1 + math.log(count)


class FeatureVectors:
    """Texts as vectors of their features, weighted by how often they occur and how rare they are
    (tf-idf), of length 1.

    ``texts`` are the counts of features by the id of each text.
    """

    def __init__(
        self, texts: Mapping[str, Mapping[Feature, float]], weigh: Callable[[float], float]
    ):
        self._row = {id: row for row, id in enumerate(texts)}
        from scipy.sparse import (
            csr_matrix,
        )  # slow to load, as scikit-learn, and answering does without
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.feature_extraction.text import TfidfTransformer

        weights = [
            {feature: weigh(count) for feature, count in counts.items()}
            for counts in texts.values()
        ]
        self._vectors = csr_matrix((len(weights), 1))
        if any(weights):
            self._vectors = csr_matrix(
                TfidfTransformer().fit_transform(DictVectorizer().fit_transform(weights))
            )

    def cosines(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine of each text of ``left`` with each of ``right``, given by id; shape
        (len(left), len(right)).
        """
        rows, columns = (self._vectors[[self._row[id] for id in side]] for side in (left, right))
        cosines: NDArray[np.float64] = (rows @ columns.T).toarray()
        return cosines

    def __contains__(self, id: str) -> bool:
        return id in self._row
