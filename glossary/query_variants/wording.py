"""Fingerprints and MinHash sketches of passages; they ignore rule numbers, and so survive
renumbering and small edits.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from corpus import letter_runs
from corpus.display import display

SKETCH = 16  # hashes in a sketch; sixteen find half of the reworded passages that eight miss

_FRONT = re.compile(r"^\W*\d+(?:\.\d+)*[.)]\W+")
_RULE = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?!\w)")


class Wording(NamedTuple):
    """The words of a passage without rule numbers: their fingerprint (``content``), and ``sketch``,
    the smallest hashes of their letter shingles.
    """

    content: str
    sketch: tuple[int, ...]


def fingerprint(text: str) -> str:
    """Return twelve hexadecimal digits that identify the words of ``text``."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", text.casefold())).encode()).hexdigest()[:12]


def wording(text: str) -> Wording:
    """Return the wording of the passage ``text``."""
    return Wording(content(text), tuple(sorted(letter_run_hashes(text))[:SKETCH]))


def content(text: str) -> str:
    """Return the `fingerprint` of ``text`` without rule numbers; other numbers count."""
    return fingerprint(without_numbers(display(text)))


def without_numbers(display: str) -> str:
    """Return the ``display`` of a passage in one line, without its own number and without rule
    numbers like "4.2".
    """
    return " ".join(_RULE.sub(" ", _FRONT.sub("", display)).split())


def letter_run_hashes(text: str) -> frozenset[int]:
    """Return the hashes of all letter shingles in ``text``, without digits; a text shorter than a
    shingle has one.
    """
    letters = "".join(c for c in letter_runs.letters(text) if not c.isdecimal())
    return frozenset(letter_runs.runs(letters.ljust(letter_runs.RUN))) if letters else frozenset()


def written(own: Wording) -> str:
    """Return ``own`` in the form of data files: the fingerprint, a blank, the hashes."""
    return f"{own.content} {letter_runs.written(own.sketch)}".strip()


def parsed(word: str) -> Wording:
    """Return the wording that `written` encoded as ``word``."""
    own, _, sketch = word.partition(" ")
    return Wording(own, letter_runs.parsed(sketch))
