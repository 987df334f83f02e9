"""Kinship: how much of an edition's text stands in a document that nobody has described, told from a sketch of few hashes.

A sketch is the least hashes of all shingles of words of a text, which are a random sample of them (bottom-k sketch: Broder 1997,
"On the resemblance and containment of documents").
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

SHINGLE_WORDS = 6  # words of a run
SKETCH_SIZE = 64  # of a sketch; the containment told from it is right within 0.06 (standard error at a half)
MIN_CONTAINMENT = (
    0.5  # containment of an edition's text that a newer version has at least; other rulebooks of the same game have under 0.05
)
MARGIN = 0.15  # by which the containment of the last version may be under that of one before it
MAX_LENGTH_RATIO = 4  # times as long as the edition, at most: what prints a whole document inside a longer one is no version of it

_HIGHEST = 16**8


def shingles(text: str) -> frozenset[str]:
    """Every run of `RUN` words of ``text``, each as eight hexadecimal digits of its SHA-256; lines and signs do not count."""
    words = re.findall(r"\w+", text.casefold())
    parts = (" ".join(words[i : i + SHINGLE_WORDS]) for i in range(max(len(words) - SHINGLE_WORDS + 1, 0)))
    return frozenset(hashlib.sha256(part.encode()).hexdigest()[:8] for part in parts)


def sketch(text: str) -> tuple[str, ...]:
    """The `HASHES` least of the `runs` of ``text``, ascending."""
    return tuple(sorted(shingles(text))[:SKETCH_SIZE])


def containment(kept: Sequence[str], found: frozenset[str]) -> float:
    """The containment (0.0 to 1.0) of the text that the sketch ``kept`` is of, that stands in the text with the shingles ``found``.

    0.0 where that text is more than `LARGEST` times as long.
    """
    if not kept:
        return 0.0
    length = len(kept) if len(kept) < SKETCH_SIZE else SKETCH_SIZE * _HIGHEST / (int(kept[-1], 16) + 1)
    return sum(mark in found for mark in kept) / len(kept) if len(found) <= MAX_LENGTH_RATIO * length else 0.0
