"""Estimate whether any rulebook could settle a question, with models learned from the vectors and
words of questions that rulebooks settle and of others.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from corpus import data_files
from corpus.edition_files import described_editions
from corpus.workspace import PHRASINGS, data_folders, game_as_new
from glossary.query_variants import FOLDER, load_query_variants
from index.analysis import folded
from index.files.arrays import load_mapped

_ROWS = 1 << 15
_MOST = 20_000  # query variants to learn from, evenly chosen: all 56,000 are no better
_STRENGTH = 10.0  # scikit-learn's C


class WordingModel:
    """A logistic regression on words that tells questions that rulebooks settle from others.

    ``weights``, shape (rows + 1,), are the weights of hashed words and word pairs, followed by the
    constant.
    """

    def __init__(self, weights: NDArray[np.float32]):
        self.weights = weights

    @classmethod
    def fit(cls, inside: Sequence[str], outside: Sequence[str]) -> WordingModel:
        """Learn from questions that rulebooks settle (``inside``) and others (``outside``), with
        equal weight. If either is empty, `logit` is always 0.
        """
        if not inside or not outside:
            return cls(np.zeros(_ROWS + 1, dtype=np.float32))
        from scipy.sparse import csr_array  # only learning needs both
        from sklearn.linear_model import LogisticRegression

        texts = [*inside[:: -(-len(inside) // _MOST)], *outside]
        rows = [_rows(folded(text)) for text in texts]
        counts = np.array([len(row) for row in rows])
        values = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts)
        columns = np.array([column for row in rows for column in row], dtype=np.int32)
        seen = csr_array(
            (values, columns, np.r_[0, np.cumsum(counts)].astype(np.int32)),
            shape=(len(texts), _ROWS),
        )
        labels = np.r_[np.ones(len(texts) - len(outside)), np.zeros(len(outside))]
        model = LogisticRegression(
            C=_STRENGTH,
            class_weight="balanced",
            solver="liblinear",
            tol=0.01,
            max_iter=300,
            random_state=0,
        )
        model.fit(seen, labels)
        return cls(np.r_[model.coef_[0], model.intercept_[0]].astype(np.float32))

    def logit(self, words: Sequence[str]) -> float:
        """Return the log-odds that rulebooks settle a question with these folded ``words``."""
        rows = _rows(words)
        return float(self.weights[rows].sum() / max(len(rows), 1) ** 0.5 + self.weights[-1])


def _rows(words: Sequence[str]) -> list[int]:
    """Return the hash rows of the different words and word pairs of ``words``, ascending."""
    return sorted(
        {zlib.crc32(part.encode("utf-8", "surrogatepass")) % _ROWS for part in _parts(words)}
    )


def _parts(words: Sequence[str]) -> Iterable[str]:
    yield from words
    for first, second in pairwise(("^", *words, "$")):
        yield f"{first} {second}"


_LEAST_DEVIATION = 0.05  # of cosines: in a rulebook of two passages all may be the same
_MOST_DEVIATIONS = 5.0

_Text = Annotated[str, Field(min_length=2)]
_Games = Annotated[str, Field(pattern=r"^[a-z0-9-]+( [a-z0-9-]+)*$")]
_FILE = TypeAdapter(
    dict[str, list[_Text | Annotated[dict[_Games, _Text], Field(min_length=1, max_length=1)]]]
)


def unanswerable_questions() -> list[str]:
    """Return questions that no rulebook settles, from the package and the workspace: prices,
    strategy, lore, tournaments, other games.

    The package's questions about a game to be treated as new are left out. Raises
    `corpus.data_files.DataFileError`.
    """
    found = []
    for folder in data_folders(PHRASINGS, FOLDER):
        path = folder / "outside.yaml"
        unknown = game_as_new() if folder == FOLDER else ""
        for questions in data_files.load(path, _FILE).values() if path.exists() else ():
            for question in questions:
                games, text = (
                    ("", question) if isinstance(question, str) else next(iter(question.items()))
                )
                if not unknown or unknown not in games.split():
                    found.append(text)
    return found


def answerable_questions(own: Sequence[str]) -> list[str]:
    """Return questions that rulebooks settle: ``own``, the query variants of the rulebooks at hand,
    and the variants of all other editions.

    Without the latter, a model would take languages and wordings that ``own`` lacks for signs of
    questions that no rulebook settles. Raises `corpus.data_files.DataFileError`.
    """
    others = (
        phrasing.text
        for edition in (described.edition for described in described_editions())
        for each in load_query_variants(edition.id)
        for phrasing in each.all(edition.language)
    )
    return list(dict.fromkeys((*own, *others)))


def nearest_passages(
    passages: NDArray[np.float32],
    bounds: Sequence[int],
    questions: NDArray[np.float32],
    known: Mapping[int, tuple[float, float]] = MappingProxyType({}),
) -> NDArray[np.float32]:
    """Return how similar ``questions``, shape (m, dimensions), are to the nearest of the
    ``passages``, shape (n, dimensions), of each edition: mean and standard deviation of the cosine,
    shape (editions, 2).

    Edition i has the passages from ``bounds[i]`` up to ``bounds[i + 1]``. Rows that are ``known``
    are copied.
    """
    found = np.zeros((len(bounds) - 1, 2), dtype=np.float32)
    for edition, (start, stop) in enumerate(pairwise(bounds)):
        if edition in known:
            found[edition] = known[edition]
        elif start < stop and len(questions):
            near = (questions @ passages[start:stop].T).max(axis=1)
            found[edition] = near.mean(), near.std()
    return found


class AnswerabilityModel:
    """A logistic regression on question vectors that tells questions that rulebooks settle from
    others.

    ``outside``, shape (n, dimensions), are the unit vectors of questions that no rulebook settles,
    ``nearness`` is the result of `nearest_passages` for these. ``wording`` is the model on words.
    """

    def __init__(
        self,
        weights: NDArray[np.float32],
        constant: float,
        outside: NDArray[np.float32],
        wording: WordingModel,
        nearness: NDArray[np.float32],
    ):
        self.weights = weights
        self.constant = constant
        self._outside = outside
        self.wording = wording
        self._nearness = nearness

    @classmethod
    def fit(
        cls,
        inside: NDArray[np.float32],
        outside: NDArray[np.float32],
        wording: WordingModel,
        nearness: NDArray[np.float32],
    ) -> AnswerabilityModel:
        """Learn from the vectors of questions that rulebooks settle (``inside``) and others
        (``outside``), shape (n, dimensions) each, with equal weight.
        """
        from sklearn.linear_model import LogisticRegression  # only learning needs it

        labels = np.r_[np.ones(len(inside)), np.zeros(len(outside))]
        model = LogisticRegression(C=1.0, class_weight="balanced", max_iter=500).fit(
            np.r_[inside, outside], labels
        )
        return cls(
            model.coef_[0].astype(np.float32),
            float(model.intercept_[0]),
            outside,
            wording,
            nearness,
        )

    @property
    def outside(self) -> NDArray[np.float32]:
        """The unit vectors of questions that no rulebook settles, shape (n, dimensions)."""
        return self._outside

    def logit(self, vector: NDArray[np.float32]) -> float:
        """Return the log-odds that rulebooks settle the question with this vector, shape
        (dimensions,).
        """
        return float(self.weights @ vector) + self.constant

    def nearest(self, vector: NDArray[np.float32]) -> float:
        """Return the cosine of ``vector``, shape (dimensions,), to the nearest question that no
        rulebook settles.
        """
        return float((self._outside @ vector).max(initial=0.0))

    def nearness(self, cosine: float, editions: Sequence[int]) -> float:
        """Return how far the ``cosine`` of a question to the nearest passage of ``editions``, given
        by number, is above that of questions that no rulebook settles.

        The unit is the standard deviation for such questions, as rulebooks differ in it. Of several
        editions, the one that these questions are nearest to counts.
        """
        nearness: list[list[float]] = self._nearness[editions].tolist()
        mean, deviation = max(nearness)
        return max(
            -_MOST_DEVIATIONS,
            min(_MOST_DEVIATIONS, (cosine - mean) / max(deviation, _LEAST_DEVIATION)),
        )

    def nearness_of(self, edition: int) -> tuple[float, float]:
        """Return the row of `nearest_passages` for an ``edition``, given by number."""
        mean, deviation = self._nearness[edition].tolist()
        return mean, deviation

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "weights.npy", np.r_[self.weights, np.float32(self.constant)])
        np.save(folder / "outside.npy", self._outside)
        np.save(folder / "wording.npy", self.wording.weights)
        np.save(folder / "nearness.npy", self._nearness)

    @classmethod
    def load(cls, folder: Path) -> AnswerabilityModel:
        """Load the model that `save` wrote. Raises `OSError` or `ValueError` if it is damaged."""
        kept = np.load(folder / "weights.npy")
        wording = WordingModel(np.load(folder / "wording.npy"))
        return cls(
            kept[:-1],
            float(kept[-1]),
            load_mapped(folder / "outside.npy"),
            wording,
            np.load(folder / "nearness.npy"),
        )
