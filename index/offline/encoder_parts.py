"""The weights of the built-in encoder as fragments: 3 bits for each, a twelfth of what the server has, the same for every game.

Each row is divided by its root mean square; what is left is nearly normal, so its values are those of the best quantizer with eight
levels for a normal distribution (Max 1960). Vectors of questions have a cosine of 0.99 to those of the server.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import BUCKETS, DIMENSIONS
from index.offline.container import pack_fragment

PARTS = 8  # fragments, of some 0.8 MB each
LEVELS = np.array([-2.1519, -1.3439, -0.7560, -0.2451, 0.2451, 0.7560, 1.3439, 2.1519], dtype=np.float32)
_BETWEEN = (LEVELS[1:] + LEVELS[:-1]) / 2
_ROWS = BUCKETS // PARTS


def encoder_fragments(weights: NDArray[np.float16]) -> Iterator[bytes]:
    """The fragments of ``weights``, shape (BUCKETS, DIMENSIONS), in the order of their rows.

    ``codes`` has three bytes for eight values, the first of them in the lowest three bits.
    """
    for start in range(0, BUCKETS, _ROWS):
        rows = weights[start : start + _ROWS].astype(np.float32)
        scales = np.sqrt(np.mean(rows**2, axis=1))
        codes = np.searchsorted(_BETWEEN, rows / np.maximum(scales, np.float32(1e-12))[:, None]).astype(np.uint8)
        eights = (codes.reshape(-1, 8).astype(np.uint32) << np.arange(0, 24, 3, dtype=np.uint32)).sum(axis=1, dtype=np.uint32)
        octets = eights[:, None] >> np.array([0, 8, 16], dtype=np.uint32) & 255
        header = {"first": start, "levels": [round(float(level), 4) for level in LEVELS], "dimensions": DIMENSIONS}
        yield pack_fragment(header, {"scales": scales.astype(np.float16).view(np.uint16), "codes": octets.astype(np.uint8).reshape(-1)})
