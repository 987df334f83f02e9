"""How near questions and rulings are to each other in meaning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder
from index.files.quantized import QuantizedVectors

# Mean and deviation of the cosines of rulings to questions on something else, and the number of
# rulings that they count as: where a game has few, what is usual is not known from them.
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.085, 0.1, 10


class RulingVectors:
    """The ``vectors`` of rulings, two of each: of what was asked, and of that with its answer; both
    without the names of cards.
    """

    def __init__(self, vectors: QuantizedVectors):
        self._vectors = vectors

    @classmethod
    def build(cls, asked: list[str], whole: list[str], encoder: Encoder) -> RulingVectors:
        """The vectors by ``encoder`` of what was ``asked`` of each ruling, and of the ``whole`` of
        it.
        """
        vectors = np.stack([encoder.passages(asked), encoder.passages(whole)], axis=1)
        return cls(QuantizedVectors.quantize(vectors.reshape(2 * len(asked), -1)))

    def nearness(self, vector: NDArray[np.float32], first: int, count: int) -> NDArray[np.float64]:
        """How much nearer a question with this ``vector`` is to each of ``count`` rulings from
        number ``first`` on than is usual.

        In deviations of the cosines of all of them, so that a question which is near to every
        ruling is near to none.
        """
        cosines = self.cosines(vector, first, count).mean(axis=1, dtype=np.float64)
        mean = (cosines.sum() + _USUAL_COUNT * _USUAL_MEAN) / (count + _USUAL_COUNT)
        variance = (((cosines - mean) ** 2).sum() + _USUAL_COUNT * _USUAL_DEVIATION**2) / (
            count + _USUAL_COUNT
        )
        return np.asarray((cosines - mean) / np.sqrt(variance))

    def cosines(self, vector: NDArray[np.float32], first: int, count: int) -> NDArray[np.float32]:
        """The cosines of a question with this ``vector`` to each of ``count`` rulings from number
        ``first`` on, shape (count, 2).

        The first is that to what was asked, the second that to all of it.
        """
        return self._vectors.products(np.arange(2 * first, 2 * (first + count)), vector).reshape(
            -1, 2
        )

    def save(self, path: Path) -> None:
        """Write the vectors to ``path``."""
        self._vectors.save(path)

    @classmethod
    def load(cls, path: Path) -> RulingVectors:
        """What `save` wrote to ``path``, mapped into memory. Raises `OSError` or `ValueError` where
        it is damaged.
        """
        return cls(QuantizedVectors.load(path))
