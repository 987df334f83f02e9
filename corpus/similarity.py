"""Estimates how much of an edition's text a document contains, from a sketch of a few hashes.

A sketch (MinHash) is the smallest hashes of all word shingles of a text, a random sample of them
(bottom-k sketch: Broder 1997, "On the resemblance and containment of documents").
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from corpus.display import display
from corpus.document import Document

SHINGLE_WORDS = 6  # consecutive words in a shingle
SKETCH_SIZE = 64  # hashes in a sketch; at a containment of one half the standard error is 0.06
# Least share in a newer version; other rulebooks of the same game have less than 0.05.
MIN_CONTAINMENT = 0.5
MARGIN = 0.15  # versions whose share is at most this much below the best count as equally good
MAX_LENGTH_RATIO = 4  # a document more times longer than this is not a version of an edition

_HIGHEST = 16**8


def compared_text(document: Document) -> str:
    """Return the text of ``document`` for sketches; words hyphenated in extraction are joined."""
    return document.text if document.extracted is None else display(document.body.text)


def shingles(text: str) -> frozenset[str]:
    """Return the hashes of all shingles of `SHINGLE_WORDS` words of ``text``: eight hexadecimal
    digits of SHA-256 each.

    Letter case, line breaks and punctuation are ignored.
    """
    words = re.findall(r"\w+", text.casefold())
    runs = (
        " ".join(words[i : i + SHINGLE_WORDS])
        for i in range(max(len(words) - SHINGLE_WORDS + 1, 0))
    )
    return frozenset(hashlib.sha256(run.encode()).hexdigest()[:8] for run in runs)


def sketch(text: str) -> tuple[str, ...]:
    """Return the `SKETCH_SIZE` smallest `shingles` of ``text``, ascending."""
    return tuple(sorted(shingles(text))[:SKETCH_SIZE])


def containment(sketch: Sequence[str], document: frozenset[str]) -> float:
    """Return the estimated share (0.0 to 1.0) of the sketched text in another, whose shingles are
    ``document``.

    Returns 0.0 if the other text is more than `MAX_LENGTH_RATIO` times as long.
    """
    length: float = len(sketch)
    if len(sketch) >= SKETCH_SIZE:
        length = SKETCH_SIZE * _HIGHEST / (int(sketch[-1], 16) + 1)
    if not sketch or len(document) > MAX_LENGTH_RATIO * length:
        return 0.0
    return sum(shingle in document for shingle in sketch) / len(sketch)
