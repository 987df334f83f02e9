"""The weights that the built-in encoder is trained from, in 4 bits a number: made once
(`index.encoding.pretraining`), then shipped.

Each row is divided by its root mean square; what is left is nearly normal, so its values are those
of the best quantizer with sixteen levels for a normal distribution (Max 1960).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import BUCKETS, DIMENSIONS

FILE = Path(__file__).with_name("starting_weights.safetensors")
FORMAT = 1  # of the file

_METADATA = "made_of"
_POSITIVE = np.array(
    [0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.0690, 2.7326], dtype=np.float32
)
_LEVELS = np.concatenate([-_POSITIVE[::-1], _POSITIVE])
_BETWEEN = (_LEVELS[1:] + _LEVELS[:-1]) / 2


class StartingWeights(NamedTuple):
    """The numbers of some buckets, shape (n,), ascending, and their vectors ``rows``, shape (n,
    DIMENSIONS); other buckets have none.
    """

    buckets: NDArray[np.int64]
    rows: NDArray[np.float32]


def save_starting_weights(
    weights: StartingWeights, path: Path, made_of: Mapping[str, object]
) -> None:
    """Write ``weights`` to ``path``, and what they were ``made_of`` as metadata; the same weights
    give the same bytes.
    """
    from safetensors.numpy import save

    scales = np.sqrt(np.mean(weights.rows**2, axis=1))
    codes = np.searchsorted(
        _BETWEEN, weights.rows / np.maximum(scales, np.float32(1e-12))[:, None]
    ).astype(np.uint8)
    tensors = {
        "buckets": weights.buckets.astype(np.uint16),
        "scales": scales.astype(np.float16),
        "codes": codes[:, 0::2] | codes[:, 1::2] << 4,
    }
    # One value, since the library writes several in any order.
    path.write_bytes(save(tensors, {_METADATA: json.dumps({"format": FORMAT, **made_of})}))


def load_starting_weights(path: Path = FILE) -> StartingWeights:
    """Load the weights at ``path``. Raises `OSError`, `ValueError` or `safetensors.SafetensorError`
    where they are none of this program.
    """
    from safetensors import safe_open

    with safe_open(path, "numpy") as file:
        if (
            written := json.loads((file.metadata() or {}).get(_METADATA, "{}")).get("format")
        ) != FORMAT:
            raise ValueError(f"{path.name}: of format {written}, not {FORMAT}")
        numbers, scales, codes = (file.get_tensor(name) for name in ("buckets", "scales", "codes"))
    if (
        codes.shape != (len(numbers), DIMENSIONS // 2)
        or scales.shape != numbers.shape
        or len(numbers) > BUCKETS
    ):
        raise ValueError(
            f"{path.name}: {codes.shape} codes do not fit an encoder with {BUCKETS} buckets of {DIMENSIONS} dimensions"
        )
    rows = np.empty((len(numbers), DIMENSIONS), dtype=np.float32)
    rows[:, 0::2], rows[:, 1::2] = _LEVELS[codes & 15], _LEVELS[codes >> 4]
    rows *= scales.astype(np.float32)[:, None]
    return StartingWeights(numbers.astype(np.int64), rows)
