"""What a passage says whatever its own number and those of the rules it refers to: a fingerprint
and a sketch that outlive renumbering.
"""

from __future__ import annotations

import re

from corpus import letter_runs
from corpus.display import display
from glossary.query_variants.model import Wording, fingerprint

SKETCH = 16  # hashes in the sketch: of the reworded passages that eight lose, sixteen keep half

_FRONT = re.compile(r"^\W*\d+(?:\.\d+)*[.)]\W+")
_RULE = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?!\w)")


def wording(text: str) -> Wording:
    """The wording of the passage ``text``."""
    return Wording(content(text), tuple(sorted(letter_run_hashes(text))[:SKETCH]))


def content(text: str) -> str:
    """The `fingerprint` of ``text`` without its number and the numbers of rules with a point in
    them; other numbers count.
    """
    return fingerprint(without_numbers(display(text)))


def without_numbers(display: str) -> str:
    """What readers see of a passage, in one line, without its own number and the numbers of rules
    with a point in them.
    """
    return " ".join(_RULE.sub(" ", _FRONT.sub("", display)).split())


def letter_run_hashes(text: str) -> frozenset[int]:
    """The hashes of all runs of letters in ``text``, whatever its figures; of a text that has no
    whole run, that of its letters.
    """
    letters = "".join(c for c in letter_runs.letters(text) if not c.isdecimal())
    return frozenset(letter_runs.runs(letters.ljust(letter_runs.RUN))) if letters else frozenset()


def written(own: Wording) -> str:
    """``own`` as data files have it."""
    return f"{own.content} {letter_runs.written(own.sketch)}".strip()


def parsed(word: str) -> Wording:
    """The wording that `written` made ``word`` of."""
    own, _, sketch = word.partition(" ")
    return Wording(own, letter_runs.parsed(sketch))
