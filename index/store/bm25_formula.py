"""BM25 (Robertson and Zaragoza 2009) with the constants and the formula of Lucene, for every index
of terms or n-grams here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

K1 = 1.2  # how soon another occurrence of a term adds nothing
B = 0.6  # how much long texts are discounted


def inverse_document_frequency(holders: NDArray[np.integer], count: int) -> NDArray[np.float64]:
    """What each term is worth, given how many of ``count`` texts hold it, ``holders``; the same
    shape.
    """
    return np.asarray(np.log(1 + (count - holders + 0.5) / (holders + 0.5)))


def length_norms(lengths: NDArray[np.number]) -> NDArray[np.float64]:
    """What is added to the frequency of a term in the denominator, by the ``lengths`` of texts; the
    same shape.
    """
    mean = lengths.mean() if len(lengths) else 0.0
    return np.asarray(K1 * (1 - B + B * lengths / max(mean, 1e-12)))
