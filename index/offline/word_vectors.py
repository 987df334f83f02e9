"""The vectors of the most frequent words of a game in eight bits: nearly those of the server, where `encoder_parts` are a little off."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator

from index.analysis import folded
from index.encoding.encoder import DIMENSIONS, SubwordEncoder
from index.files.quantized import QuantizedVectors
from index.library.indexed_texts import IndexedText
from index.offline.container import pack_fragment

MOST = 8_000  # words
_STEP = 500  # words; their number is a multiple, so that it seldom changes
_PARTS = 16  # fragments, by the hash of the word: a word more or less changes one
_BYTES = DIMENSIONS + 14  # of a word, deflated


def word_vector_fragments(texts: Iterable[IndexedText], encoder: SubwordEncoder, room: int) -> Iterator[bytes]:
    """The fragments of the most frequent words of ``texts``, as many as fit into ``room`` bytes."""
    counts: Counter[str] = Counter()
    for text in texts:
        for one in (text.text, *(phrasing.text for phrasing in text.phrasings)):
            counts.update(folded(one))
    count = min(MOST, max(room, 0) // _BYTES) // _STEP * _STEP
    words = sorted(sorted(counts, key=lambda word: (-counts[word], word))[: count if len(counts) > count else len(counts)])
    parts: list[list[str]] = [[] for _ in range(_PARTS)]
    for word in words:
        parts[zlib.crc32(word.encode("utf-8", "surrogatepass")) % _PARTS].append(word)
    for part in parts:
        quantized = QuantizedVectors.quantize(encoder.word_sums(part))
        yield pack_fragment({"words": " ".join(part)}, {"vectors": quantized.values.reshape(-1), "steps": quantized.steps})
