"""Training data of the built-in encoder: pairs of texts and passages, and starting weights.

The starting weights are trained on the query variants of the package alone, without any text of a
rulebook (`index.training.encoder.pretrain`), and shipped with 4 bits per number. Each row is
divided by its root mean square; the values, which are nearly normally distributed, are rounded to
the sixteen levels of the best quantizer for that distribution (Max 1960).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.edition_files import described_editions
from corpus.sentences import sentences
from corpus.workspace import game_as_new
from glossary.query_variants import FOLDER, load_query_variants
from index.encoding.encoder import BUCKETS, DIMENSIONS
from index.library.indexed_texts import IndexedText
from index.library.library import Library

FILE = Path(__file__).with_name("starting_weights.safetensors")
FORMAT = 1  # version of the file format
PHRASING_WEIGHT = 3  # how often a query variant is shown for each time a sentence is

_METADATA = "made_of"
_POSITIVE = np.array(
    [0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.0690, 2.7326], dtype=np.float32
)
_LEVELS = np.concatenate([-_POSITIVE[::-1], _POSITIVE])
_BETWEEN = (_LEVELS[1:] + _LEVELS[:-1]) / 2


class TrainingPair(NamedTuple):
    """A text that should find a passage, and the number of the passage in the index."""

    text: str
    passage: int


def training_pairs(library: Library, texts: Sequence[IndexedText]) -> list[TrainingPair]:
    """Pair texts with the passages that they should find.

    ``texts`` are the indexed texts of the library's searchable passages, in order. Pairs come from
    query variants, headings, sentences, and references: an entry is also found by its heading
    together with that of an entry it refers to.
    """
    found = []
    for number, passage in enumerate(library.searchable):
        entry = library.entry[passage.entry]
        around = library.path(entry)
        found.append(TrainingPair(" ".join(e.title for e in around[-2:]), number))
        found += [TrainingPair(p.text, number) for p in texts[number].phrasings] * PHRASING_WEIGHT
        for a, b in sentences(passage.display):
            if b - a > 15:
                found.append(TrainingPair(passage.display[a:b], number))
                found.append(TrainingPair(f"{entry.title} {passage.display[a:b]}", number))
        for reference in library.references_of.get(entry.id, ()):
            if reference.target and passage.ordinal == 0 and reference.target in library.entry:
                target = library.entry[reference.target]
                found.append(TrainingPair(f"{entry.title} {target.title}", number))
    return found


def variant_groups() -> list[IndexedText]:
    """Group the query variants of the package by passage. The text of a group is the passage's
    gist, an English sentence on what it settles, so that languages get similar vectors; without a
    gist, the first variant.

    Variants of a game to be treated as new are left out.
    """
    found = []
    editions = (described.edition for described in described_editions())
    for edition in sorted(editions, key=lambda edition: edition.id):
        if edition.game != game_as_new():
            for phrasings in load_query_variants(edition.id, FOLDER):
                variants = tuple(phrasings.all(edition.language))
                if len(variants) > 1:
                    text = phrasings.gist or variants[0].text
                    found.append(IndexedText(text, edition.language, variants))
    return found


class StartingWeights(NamedTuple):
    """The vectors ``rows``, shape (n, DIMENSIONS), of some ``buckets``, ascending."""

    buckets: NDArray[np.int64]
    rows: NDArray[np.float32]


def save_starting_weights(
    weights: StartingWeights, path: Path, made_of: Mapping[str, object]
) -> None:
    """Write ``weights`` to ``path``, with ``made_of``, their source, as metadata; the same weights
    give the same bytes.
    """
    from safetensors.numpy import save

    scales = np.sqrt(np.mean(weights.rows**2, axis=1))
    normal = weights.rows / np.maximum(scales, np.float32(1e-12))[:, None]
    codes = np.searchsorted(_BETWEEN, normal).astype(np.uint8)
    tensors = {
        "buckets": weights.buckets.astype(np.uint16),
        "scales": scales.astype(np.float16),
        "codes": codes[:, 0::2] | codes[:, 1::2] << 4,
    }
    # A single value, since the library writes several in arbitrary order.
    path.write_bytes(save(tensors, {_METADATA: json.dumps({"format": FORMAT, **made_of})}))


def load_starting_weights(path: Path = FILE) -> StartingWeights:
    """Load the weights at ``path``. Raises `OSError`, `ValueError` or `safetensors.SafetensorError`
    if the file is damaged or of another format.
    """
    from safetensors import safe_open

    with safe_open(path, "numpy") as file:
        written = json.loads((file.metadata() or {}).get(_METADATA, "{}")).get("format")
        if written != FORMAT:
            raise ValueError(f"{path.name}: of format {written}, not {FORMAT}")
        numbers, scales, codes = (file.get_tensor(name) for name in ("buckets", "scales", "codes"))
    fitting = codes.shape == (len(numbers), DIMENSIONS // 2) and scales.shape == numbers.shape
    if not fitting or len(numbers) > BUCKETS:
        raise ValueError(
            f"{path.name}: {codes.shape} codes do not fit an encoder with {BUCKETS} buckets of "
            f"{DIMENSIONS} dimensions"
        )
    rows = np.empty((len(numbers), DIMENSIONS), dtype=np.float32)
    rows[:, 0::2], rows[:, 1::2] = _LEVELS[codes & 15], _LEVELS[codes >> 4]
    rows *= scales.astype(np.float32)[:, None]
    return StartingWeights(numbers.astype(np.int64), rows)
