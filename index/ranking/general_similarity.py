"""Similarity of passages to a question by the general encoder (`index.encoding.general`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder
from index.encoding.general import GeneralEncoding, open_general_encoder, shortened
from index.files.arrays import load_mapped

GENERAL = "general"  # the folder of an index that has the vectors
_FILE = "encoder.json"


class GeneralSimilarity:
    """The ``vectors`` of the passages ``numbers``, which ascend, by the general encoder
    ``encoder``, shape (len(numbers), dimensions).

    Its vectors all point into nearly one direction; the mean of the passages is taken off (Mu and
    Viswanath 2018), and of questions ``centre``, their mean, where they are compared with each
    other: with ``outside``, shape (m, dimensions), which no rulebook settles. ``everywhere`` says
    that these are all passages.
    """

    def __init__(
        self,
        encoder: Encoder,
        model: str,
        numbers: NDArray[np.int64],
        vectors: NDArray[np.float32],
        everywhere: bool,
        outside: NDArray[np.float32],
        centre: NDArray[np.float32],
    ):
        self._encoder, self._model, self.numbers, self._vectors, self.everywhere = (
            encoder,
            model,
            numbers,
            vectors,
            everywhere,
        )
        self._outside, self._centre = outside, centre

    @classmethod
    def build(
        cls,
        encoder: Encoder,
        encoding: GeneralEncoding,
        texts: Sequence[str],
        numbers: NDArray[np.int64],
        outside: list[str],
    ) -> GeneralSimilarity:
        """Encode the passages ``numbers`` of ``texts``, and questions that no rulebook settles.

        Phrasings are not: the five rulebooks have 56,000 of them, at some 20 ms each.
        """
        own = encoder.passages([texts[number] for number in numbers])
        vectors = _centred(own, own.mean(axis=0))
        unsettled = encoder.questions(outside)
        between = unsettled.mean(axis=0)
        return cls(
            encoder,
            encoding.model,
            numbers,
            vectors,
            encoding.everywhere,
            _centred(unsettled, between),
            between,
        )

    def covers(self, numbers: NDArray[np.int64]) -> bool:
        """Whether any of the passages ``numbers``, which ascend, has a vector."""
        at = np.searchsorted(self.numbers, numbers)
        return bool((self.numbers[np.minimum(at, len(self.numbers) - 1)] == numbers).any())

    def question(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a question, shape (dimensions,)."""
        return np.asarray(self._encoder.questions([shortened(text)])[0])

    def similarities(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the similarity of each of the passages ``numbers``, which ascend, to a question's
        ``vector``; 0 without a vector.
        """
        if self.everywhere:
            return np.asarray(np.maximum(self._vectors[numbers] @ vector, 0.0))
        found = np.zeros(len(numbers), dtype=np.float32)
        _, here, own = np.intersect1d(
            numbers, self.numbers, assume_unique=True, return_indices=True
        )
        if len(own):
            found[here] = np.maximum(self._vectors[own] @ vector, 0.0)
        return found

    def nearest_outside(self, vector: NDArray[np.float32]) -> float:
        """Return the cosine of a question's ``vector`` to the nearest question that no rulebook
        settles.
        """
        return float((self._outside @ _centred(vector[None], self._centre)[0]).max(initial=0.0))

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for name, values in (
            ("vectors", self._vectors),
            ("numbers", self.numbers),
            ("outside", self._outside),
            ("centre", self._centre),
        ):
            np.save(folder / f"{name}.npy", values)
        (folder / _FILE).write_text(
            json.dumps({"model": self._model, "everywhere": self.everywhere}), encoding="utf-8"
        )

    @classmethod
    def load(cls, folder: Path) -> GeneralSimilarity:
        """Return what `save` wrote to ``folder``.

        Raises `OSError`, `ValueError` or `KeyError` where it is damaged, `EncoderNotFound` where
        its encoder is not here.
        """
        described = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        arrays = (
            load_mapped(folder / f"{name}.npy")
            for name in ("vectors", "numbers", "outside", "centre")
        )
        vectors, numbers, outside, centre = arrays
        encoder = open_general_encoder(described["model"])
        return cls(
            encoder,
            described["model"],
            numbers,
            vectors,
            bool(described["everywhere"]),
            outside,
            centre,
        )


def _centred(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return unit vectors of ``vectors`` without the ``centre``."""
    moved = vectors - centre
    return np.asarray(
        moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12), dtype=np.float32
    )
