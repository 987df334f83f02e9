"""Whether a question is one that a rulebook could settle at all, learned from questions of both kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from corpus import data_files
from corpus.workspace import PHRASINGS, data_folders, game_as_new
from glossary.phrasings import FOLDER
from index.files.quantized import load_mapped
from index.ranking.wording_model import WordingModel

_Text = Annotated[str, Field(min_length=2)]
_Games = Annotated[str, Field(pattern=r"^[a-z0-9-]+( [a-z0-9-]+)*$")]
_FILE = TypeAdapter(dict[str, list[_Text | Annotated[dict[_Games, _Text], Field(min_length=1, max_length=1)]]])


def unanswerable_questions() -> list[str]:
    """Questions that no rulebook settles: prices, strategy, lore, tournaments, other games; those of the workspace too.

    Those of the package that have a game in mind are left out where that is taken for a new one. Raises `corpus.data_files.DataFileError`.
    """
    found = []
    for folder in data_folders(PHRASINGS, FOLDER):
        path = folder / "outside.yaml"
        unknown = game_as_new() if folder == FOLDER else ""
        for questions in data_files.load(path, _FILE).values() if path.exists() else ():
            for question in questions:
                games, text = ("", question) if isinstance(question, str) else next(iter(question.items()))
                if not unknown or unknown not in games.split():
                    found.append(text)
    return found


class AnswerabilityModel:
    """A logistic regression on question vectors: phrasings of passages against questions that no rulebook settles.

    ``outside``, shape (n, dimensions), are the unit vectors of the latter; ``wording`` knows both by their words.
    """

    def __init__(self, weights: NDArray[np.float32], constant: float, outside: NDArray[np.float32], wording: WordingModel):
        self._weights = weights
        self._constant = constant
        self._outside = outside
        self.wording = wording

    @classmethod
    def fit(cls, inside: NDArray[np.float32], outside: NDArray[np.float32], wording: WordingModel) -> AnswerabilityModel:
        """Learn from the vectors of both kinds, shape (n, dimensions) each; both kinds weigh the same."""
        from sklearn.linear_model import LogisticRegression  # only learning needs it

        labels = np.r_[np.ones(len(inside)), np.zeros(len(outside))]
        model = LogisticRegression(C=1.0, class_weight="balanced", max_iter=500).fit(np.r_[inside, outside], labels)
        return cls(model.coef_[0].astype(np.float32), float(model.intercept_[0]), outside, wording)

    def logit(self, vector: NDArray[np.float32]) -> float:
        """Log-odds that the question with this vector, shape (dimensions,), is one that rulebooks settle."""
        return float(self._weights @ vector) + self._constant

    def nearest(self, vector: NDArray[np.float32]) -> float:
        """The cosine of ``vector``, shape (dimensions,), to the nearest question that no rulebook settles."""
        return float((self._outside @ vector).max(initial=0.0))

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "weights.npy", np.r_[self._weights, np.float32(self._constant)])
        np.save(folder / "outside.npy", self._outside)
        np.save(folder / "wording.npy", self.wording.weights)

    @classmethod
    def load(cls, folder: Path) -> AnswerabilityModel:
        """What `save` wrote to ``folder``. Raises `OSError` or `ValueError` where it is damaged."""
        kept = np.load(folder / "weights.npy")
        return cls(kept[:-1], float(kept[-1]), load_mapped(folder / "outside.npy"), WordingModel(np.load(folder / "wording.npy")))
