"""Similarity of passages to a question by the general encoder (`index.encoding.general`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder
from index.encoding.general import (
    PACKAGED,
    GeneralEncoding,
    PackagedEncoder,
    open_general_encoder,
    shortened,
)
from index.encoding.word_vectors import WordVectors, split_rows
from index.files.arrays import load_mapped

GENERAL = "general"  # the folder of an index with the vectors
_FILE = "encoder.json"
_WORDS, _FIRST = "words.npy", "words-first.npy"

REREAD = 12  # passages whose words are compared with those of the question
# Amount that the similarity of words adds to a score per standard deviation above their mean
_WORDS_WEIGHT = 0.3


class PassageWords(NamedTuple):
    """The word vectors of passages as ``signs``, one bit each, shape (m, dimensions / 8); passage i
    has the rows ``signs[first[i]:first[i + 1]]``.
    """

    signs: NDArray[np.uint8]
    first: NDArray[np.int64]

    def similarity(self, words: NDArray[np.float32], own: int) -> float:
        """Return the mean similarity of the ``words`` of a question to their nearest words in
        passage number ``own``.
        """
        signs = np.unpackbits(self.signs[self.first[own] : self.first[own + 1]], axis=1)
        if not len(signs) or not len(words):
            return 0.0
        compared = words @ (2 * signs.astype(np.float32) - 1).T
        return float(compared.max(axis=1).mean())


class GeneralSimilarity:
    """Similarity of passages to a question by the general encoder ``encoder``.

    All its vectors point in nearly the same direction, so the mean of the passages is subtracted
    (Mu and Viswanath 2018), and the mean of questions from questions compared with questions.

    Args:
        vectors: The vectors of the passages, shape (len(numbers), dimensions).
        numbers: The passages, ascending.
        centre: The mean of questions.
        outside: Vectors of questions that no rulebook settles, shape (m, dimensions).
        everywhere: Whether ``numbers`` are all passages.
        words: The word vectors of the passages; None for an older index or another encoder.
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
        words: PassageWords | None = None,
    ):
        self._encoder, self._model, self.numbers, self._vectors, self.everywhere = (
            encoder,
            model,
            numbers,
            vectors,
            everywhere,
        )
        self._outside, self._centre, self._words = outside, centre, words

    @classmethod
    def build(
        cls,
        encoder: Encoder,
        encoding: GeneralEncoding,
        texts: Sequence[str],
        numbers: NDArray[np.int64],
        outside: list[str],
    ) -> GeneralSimilarity:
        """Encode the passages ``numbers`` of ``texts``, and ``outside``, questions that no rulebook
        settles.

        Query variants are not encoded: the five rulebooks have 56,000, at some 20 ms each.
        """
        own = encoder.passages([texts[number] for number in numbers])
        unsettled = encoder.questions(outside)
        words = None
        if encoding.model == PACKAGED and encoder.dimensions > PackagedEncoder.dimensions:
            own, signs, first = split_rows(own, PackagedEncoder.dimensions)
            words = PassageWords(signs, first)
            unsettled = unsettled[:, : PackagedEncoder.dimensions]
        vectors = _centred(own, own.mean(axis=0))
        between = unsettled.mean(axis=0)
        return cls(
            encoder,
            encoding.model,
            numbers,
            vectors,
            encoding.everywhere,
            _centred(unsettled, between),
            between,
            words,
        )

    def covers(self, numbers: NDArray[np.int64]) -> bool:
        """Return whether any of the passages ``numbers``, ascending, has a vector."""
        at = np.searchsorted(self.numbers, numbers)
        return bool((self.numbers[np.minimum(at, len(self.numbers) - 1)] == numbers).any())

    def question(self, text: str) -> WordVectors:
        """Return the unit vectors of a question, shape (dimensions,), and of its words; no rows for
        words if the passages have no word vectors.
        """
        if self._words is not None and isinstance(self._encoder, PackagedEncoder):
            return self._encoder.question_words(shortened(text))
        vector = np.asarray(self._encoder.questions([shortened(text)])[0])
        return WordVectors(vector, np.empty((0, len(vector)), dtype=np.float32))

    def added_by_words(
        self, words: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the amounts, positive or negative, to add to the scores of the passages
        ``numbers`` for their similarity to the ``words`` of a question, shape (n, dimensions).
        """
        added = np.zeros(len(numbers))
        if self._words is None or not len(words):
            return added
        at = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        known = np.flatnonzero(self.numbers[at] == numbers)
        near = np.array([self._words.similarity(words, own) for own in at[known].tolist()])
        if len(near) and (spread := near.std()) > 0:
            added[known] = _WORDS_WEIGHT * (near - near.mean()) / spread
        return added

    def similarities(
        self, vector: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the similarity of the passages ``numbers``, ascending, to a question's ``vector``;
        0 for passages without a vector.
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
        if self._words is not None:
            np.save(folder / _WORDS, self._words.signs)
            np.save(folder / _FIRST, self._words.first)
        (folder / _FILE).write_text(
            json.dumps({"model": self._model, "everywhere": self.everywhere}), encoding="utf-8"
        )

    @classmethod
    def load(cls, folder: Path) -> GeneralSimilarity:
        """Load the similarities that `save` wrote.

        Raises `OSError`, `ValueError` or `KeyError` if they are damaged, and `EncoderNotFound` if
        the encoder is not installed.
        """
        described = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        arrays = (
            load_mapped(folder / f"{name}.npy")
            for name in ("vectors", "numbers", "outside", "centre")
        )
        vectors, numbers, outside, centre = arrays
        words = None
        if (folder / _WORDS).exists():
            words = PassageWords(load_mapped(folder / _WORDS), load_mapped(folder / _FIRST))
        encoder = open_general_encoder(described["model"])
        return cls(
            encoder,
            described["model"],
            numbers,
            vectors,
            bool(described["everywhere"]),
            outside,
            centre,
            words,
        )


def _centred(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    """Subtract ``centre`` from ``vectors`` and scale them to length 1."""
    moved = vectors - centre
    return np.asarray(
        moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12), dtype=np.float32
    )
