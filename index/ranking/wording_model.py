"""How much a question sounds like one that rulebooks settle: a linear model of its words and of
pairs of them.

It sees the words that vectors of a whole question blur ("price", "judge", "which is better"). Words
and pairs are hashed into a table of fixed size instead of being kept (Joulin et al. 2016).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from index.analysis import folded

_ROWS = 1 << 15
_MOST = 20_000  # phrasings to learn from, evenly chosen: with all 56,000 it is not better
_STRENGTH = 10.0  # of the fit (scikit-learn's C)


class WordingModel:
    """A logistic regression: phrasings of passages against questions that no rulebook settles.

    ``weights``, shape (rows + 1,), are those of the hashed words and pairs, with the constant
    behind them.
    """

    def __init__(self, weights: NDArray[np.float32]):
        self.weights = weights

    @classmethod
    def fit(cls, inside: Sequence[str], outside: Sequence[str]) -> WordingModel:
        """Learn from questions of both kinds, which weigh the same; without any of one kind every
        question gets 0.
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
        """Log-odds that a question of these folded ``words`` is one that rulebooks settle."""
        rows = _rows(words)
        return float(self.weights[rows].sum() / max(len(rows), 1) ** 0.5 + self.weights[-1])


def _rows(words: Sequence[str]) -> list[int]:
    """The rows of the different words and pairs of ``words``, ascending."""
    return sorted(
        {zlib.crc32(part.encode("utf-8", "surrogatepass")) % _ROWS for part in _parts(words)}
    )


def _parts(words: Sequence[str]) -> Iterable[str]:
    yield from words
    for first, second in pairwise(("^", *words, "$")):
        yield f"{first} {second}"
