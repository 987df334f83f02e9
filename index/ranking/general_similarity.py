"""Similarity of passages to a question by the general encoder (`index.encoding.general`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder
from index.encoding.general import GeneralEncoding, open_general_encoder, shortened
from index.files.quantized import load_mapped
from index.library.indexed_texts import IndexedText
from index.store.vectors import PassageVectors

GENERAL = "general"  # the folder of an index that has the vectors
_FILE = "encoder.json"


class GeneralSimilarity:
    """The vectors of the passages ``numbers``, which ascend, by the general encoder ``encoder``.

    Its vectors all point into nearly one direction; the mean of the passages is taken off (Mu and Viswanath 2018). ``everywhere``
    says that these are all passages.
    """

    def __init__(self, encoder: Encoder, model: str, numbers: NDArray[np.int64], vectors: PassageVectors, everywhere: bool):
        self._encoder, self._model, self._numbers, self._vectors, self.everywhere = encoder, model, numbers, vectors, everywhere

    @classmethod
    def build(
        cls, encoder: Encoder, encoding: GeneralEncoding, texts: Sequence[IndexedText], numbers: NDArray[np.int64]
    ) -> GeneralSimilarity:
        """Encode the passages ``numbers`` of ``texts``, and their phrasings."""
        chosen = [texts[number] for number in numbers]
        own = encoder.passages([text.text for text in chosen])
        phrased = [(place, phrasing.text) for place, text in enumerate(chosen) for phrasing in text.phrasings]
        phrasings = encoder.questions([text for _, text in phrased]) if phrased else np.empty((0, own.shape[1]), dtype=np.float32)
        centre = own.mean(axis=0)
        owners = np.array([place for place, _ in phrased], dtype=np.int32)
        vectors = PassageVectors.build(_centred(own, centre), _centred(phrasings, centre), owners)
        return cls(encoder, encoding.model, numbers, vectors, encoding.everywhere)

    def covers(self, numbers: NDArray[np.int64]) -> bool:
        """Whether any of the passages ``numbers``, which ascend, has a vector."""
        at = np.searchsorted(self._numbers, numbers)
        return bool((self._numbers[np.minimum(at, len(self._numbers) - 1)] == numbers).any())

    def question(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a question, shape (dimensions,)."""
        return np.asarray(self._encoder.questions([shortened(text)])[0])

    def similarities(self, vector: NDArray[np.float32], numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """The similarity of each of the passages ``numbers``, which ascend, to a question's ``vector``; 0 without a vector."""
        if self.everywhere:
            return np.asarray(np.maximum(self._vectors.passages(vector[None], numbers)[0], 0.0))
        found = np.zeros(len(numbers), dtype=np.float32)
        _, here, own = np.intersect1d(numbers, self._numbers, assume_unique=True, return_indices=True)
        if len(own):
            found[here] = np.maximum(self._vectors.passages(vector[None], own)[0], 0.0)
        return found

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        self._vectors.save(folder)
        np.save(folder / "numbers.npy", self._numbers)
        (folder / _FILE).write_text(json.dumps({"model": self._model, "everywhere": self.everywhere}), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> GeneralSimilarity:
        """What `save` wrote to ``folder``.

        Raises `OSError`, `ValueError` or `KeyError` where it is damaged, `EncoderNotFound` where its encoder is not here.
        """
        described = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        numbers, vectors = load_mapped(folder / "numbers.npy"), PassageVectors.load(folder)
        return cls(open_general_encoder(described["model"]), described["model"], numbers, vectors, bool(described["everywhere"]))


def _centred(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors of ``vectors`` without the ``centre``."""
    moved = vectors - centre
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12), dtype=np.float32)
