"""Extract features of texts, measure the similarity of texts, and match the items of two sides.

Translations share numbers, names and terms; versions in one language also share words. The three
modules that compare texts count these features differently:

- `printed_ties` (entries about cards) finds one-word terms by their stem, also numbers within
  words, and counts n occurrences as 1 + log n.
- `tie_proposals` (entries of all kinds) finds all terms but everyday words, and counts n
  occurrences as the root of n, split among the possible concepts of a term.
- `glossary.comparison.passage_similarity` finds all terms, ignores counts, and measures how much of
  a passage another one covers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpus.model import Passage, Role
from glossary import normalization
from glossary.model import RulebookView
from glossary.name_finder import NameUse
from glossary.normalization import Token

L = TypeVar("L", bound=Hashable)
R = TypeVar("R", bound=Hashable)


def best_assignment(scores: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Assign rows and columns of ``scores`` to each other one to one with the greatest total (Kuhn
    1955), the shorter side completely.
    """
    from scipy.optimize import linear_sum_assignment  # slow to load, and answering does without

    return [
        (int(row), int(column)) for row, column in zip(*linear_sum_assignment(-scores), strict=True)
    ]


def lead(scores: NDArray[np.float64], row: int, column: int) -> float:
    """Return by how much the score of a pair exceeds all others in its row and column.

    All scores are 0 or more.
    """
    others = max(
        np.delete(scores[row], column).max(initial=0),
        np.delete(scores[:, column], row).max(initial=0),
    )
    return float(scores[row, column] - others)


def greedy_assignment(ranked: Iterable[tuple[L, R]]) -> Iterator[tuple[L, R]]:
    """Yield each pair of ``ranked``, best first, unless a side of it was yielded before."""
    left: set[L] = set()
    right: set[R] = set()
    for one, other in ranked:
        if one not in left and other not in right:
            left.add(one)
            right.add(other)
            yield one, other


def nearness(left: NDArray[Any], right: NDArray[Any], scale: float = 1.0) -> NDArray[np.float64]:
    """Return how near the positions ``left`` and ``right`` are to each other, 1 if they are the
    same, shape (len(left), len(right)).
    """
    near: NDArray[np.float64] = 1 - np.abs(left[:, None] - right[None, :]) / scale
    return near


SHARED = ""  # the language of features that are the same in every language

Feature = tuple[str, str]
"""A language and the stem of a word in it, or `SHARED` and a number, a name or a term."""


class TermFinder(Protocol):
    """Finds terms in texts of one language."""

    language: str

    def stems(self, parts: Iterable[str]) -> tuple[str, ...]:
        """Return the stems of words."""

    def find(self, tokens: Sequence[Token]) -> list[NameUse]:
        """Return the terms among ``tokens``."""


class TextFeatures(NamedTuple):
    """The words of a text, and the features that translations share; ``stems`` has one for each of
    ``tokens``.
    """

    language: str
    tokens: Sequence[Token]
    stems: tuple[str, ...]
    terms: Sequence[NameUse]
    numbers: Sequence[str]
    names: Sequence[str]

    def words(self) -> Counter[Feature]:
        """Count the words except numbers."""
        pairs = zip(self.tokens, self.stems, strict=True)
        return Counter((self.language, stem) for token, stem in pairs if not token.text.isdigit())

    def shared(self, split_terms: bool = False) -> dict[Feature, float]:
        """Count numbers, names and concepts; with ``split_terms`` a term counts 1 / n for each of
        its n concepts.
        """
        found: dict[Feature, float] = defaultdict(float)
        for number in self.numbers:
            found[SHARED, f"number {number}"] += 1
        for name in self.names:
            found[SHARED, f"name {name}"] += 1
        for term in self.terms:
            for concept, _ in term.concepts:
                found[SHARED, f"term {concept}"] += 1 / len(term.concepts) if split_terms else 1
        return dict(found)


def extract_features(
    text: str, finder: TermFinder, shortest_name: int = 1, as_written: bool = False
) -> TextFeatures:
    """Extract the features of ``text``; ``finder`` finds its terms.

    A name is a word with a capital letter and at least ``shortest_name`` letters. With
    ``as_written``, umlauts and case distinguish names, and numbers within words ("3A") are ignored.
    """
    tokens = normalization.tokenize(text)
    words = [token.text for token in tokens]
    names = [word for word in words if word[0].isupper() and len(word) >= shortest_name]
    return TextFeatures(
        language=finder.language,
        tokens=tokens,
        stems=finder.stems(words),
        terms=finder.find(tokens),
        numbers=[w for w in words if w.isdigit()] if as_written else re.findall(r"\d+", text),
        names=names if as_written else [normalization.fold_umlauts(name) for name in names],
    )


def count_by_entry(
    rulebook: RulebookView, count: Callable[[Passage], Mapping[Feature, float]]
) -> dict[str, dict[Feature, float]]:
    """Sum up the counts that ``count`` returns for the texts of each entry, by entry id."""
    found: dict[str, dict[Feature, float]] = {}
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            here = found.setdefault(passage.entry, {})
            for feature, number in count(passage).items():
                here[feature] = here.get(feature, 0.0) + number
    return found


class FeatureVectors:
    """Feature vectors of texts, of length 1, weighted by frequency and rarity (tf-idf).

    ``texts`` are the feature counts by text id; ``weigh`` turns a count into a weight.
    """

    def __init__(
        self, texts: Mapping[str, Mapping[Feature, float]], weigh: Callable[[float], float]
    ):
        # Slow to load, and answering does without.
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.feature_extraction.text import TfidfTransformer

        self._row = {id: row for row, id in enumerate(texts)}
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
