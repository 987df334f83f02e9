"""Identifies texts by a few hashes of their letter shingles, which do not depend on how a text is
broken into lines and words.

The sketch of a text is its smallest shingle hashes (MinHash; bottom-k sketch: Broder 1997, "On the
resemblance and containment of documents").
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable, Iterator

from corpus.display import display

RUN = 12  # letters and digits in a run: a long word, or two
# Hexadecimal digits of a hash; of 300,000 runs of a rulebook, two in a hundred collide.
DIGITS = 6

_MASK = 16**DIGITS - 1


def letters(text: str) -> str:
    """Return letters and digits of ``text`` in lower case, without markup, with ligatures split."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", display(text)).casefold()))


def runs(letters: str) -> Iterator[int]:
    """Yield the hash of every shingle of `RUN` characters in ``letters``, in order."""
    for start in range(len(letters) - RUN + 1):
        yield zlib.crc32(letters[start : start + RUN].encode()) & _MASK


def sketch(text: str, size: int) -> tuple[int, ...]:
    """Return the ``size`` smallest shingle hashes of ``text``, ascending."""
    return tuple(sorted(set(runs(letters(text))))[:size])


def written(hashes: Iterable[int]) -> str:
    """Return ``hashes`` as one string of hexadecimal digits."""
    return "".join(f"{each:0{DIGITS}x}" for each in hashes)


def parsed(word: str) -> tuple[int, ...]:
    """Return the hashes that `written` encoded as ``word``."""
    return tuple(int(word[at : at + DIGITS], 16) for at in range(0, len(word), DIGITS))
