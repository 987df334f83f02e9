"""How surely two segments are true translations: what is compared, what it counts, and what is doubtful."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import NamedTuple

from corpus.languages import any_of, words_of

LEAST_SCORE = 0.93  # of a segment that is a true translation
LISTED = 4  # things that make a list
SHORT_ITEM = 4  # words of one
LEAST_LIKENESS = 0.3  # likeness of words below which it is none, whatever the rest says

# Weights of a logistic regression on 321 segments of Marvel Champions, German 1.5 and Italian 1.7, of which 274 were judged true by
# reading. How good the score is was read off others: see docs/translators.md.
_BIAS = 6.4
_WEIGHTS = {
    "missing": -10.3,
    "unevenness": -7.0,
    "numbers": -0.93,
    "brackets": -0.26,
    "gap": -0.067,
    "words": -0.97,
    "terms": -0.24,
    "row": 2.4,
    "commas": -0.16,
    "ends": -2.5,
    "joined": -0.89,
}
_SEPARATOR = re.compile(rf"[,;:.()\u2013]|\s(?={any_of('sentences.conjunctions', 'sentences.alternatives')}\s)", re.IGNORECASE)
_JOINING = words_of("sentences.conjunctions") | words_of("sentences.alternatives")
_CLOSING = "\"“”„»«’')]"


class Doubt(StrEnum):
    """Why a segment may be no true translation."""

    WORDS = "words"  # words of one side have nothing in the other
    LENGTH = "length"  # one side is longer than it would be
    NUMBERS = "numbers"  # other numbers
    DENIALS = "denials"  # only one side has a word that denies
    SIGNS = "signs"  # brackets, commas, full stops that only one side has
    TERMS = "terms"  # terms that only one side has
    JOINED = "joined"  # several sentences face one
    ROW = "row"  # around it there are sentences that only one edition has
    ONE_SIDED = "one-sided"  # only one edition has it


# What each weight is about. Where the score is low the reasons are what lowers it most.
_DOUBTS = {
    "unevenness": Doubt.LENGTH,
    "numbers": Doubt.NUMBERS,
    "brackets": Doubt.SIGNS,
    "commas": Doubt.SIGNS,
    "ends": Doubt.SIGNS,
    "gap": Doubt.WORDS,
    "missing": Doubt.WORDS,
    "terms": Doubt.TERMS,
    "joined": Doubt.JOINED,
    "row": Doubt.ROW,
}
_CONSIDERABLE = 0.5  # by how much a reason lowers the logit, at least


class SegmentFeatures(NamedTuple):
    """What is compared of the two sides of a segment.

    ``likeness``, ``missing`` and ``gap`` are those of the `Bead`, ``unevenness`` the logarithm of how much longer one side is than it
    would be in a translation. ``numbers`` and ``terms`` are how many only one side has, ``term_hints`` those terms of which that is
    sure, ``denials`` whether only one side denies. ``row`` is how much of the row is aligned, from 0 to 1, of the side that has less
    of it, ``joined`` how many sentences there are beyond one of each side.
    """

    likeness: float
    missing: float
    gap: float
    unevenness: float
    numbers: int
    terms: int
    term_hints: int
    denials: bool
    row: float
    joined: int
    texts: tuple[str, str]

    def values(self) -> dict[str, float]:
        """What is weighed, by name."""
        left, right = self.texts
        return {
            "missing": self.missing,
            "unevenness": self.unevenness,
            "numbers": min(self.numbers, 2),
            "brackets": min(abs(left.count("(") - right.count("(")), 2),
            "gap": min(self.gap, 30.0),
            "words": math.log(len(left.split()) + len(right.split())),
            "terms": min(self.terms, 4),
            "row": self.row,
            "commas": min(abs(left.count(",") - right.count(",")), 4),
            "ends": float(_ends_with_word(left) != _ends_with_word(right)),
            "joined": self.joined,
        }


def score(features: SegmentFeatures) -> float:
    """How surely a segment is a true translation, from 0 to 1."""
    logit = _BIAS + sum(_WEIGHTS[name] * value for name, value in features.values().items())
    return round(1 / (1 + math.exp(-logit)), 3)


def doubts(features: SegmentFeatures) -> tuple[Doubt, ...]:
    """Why a segment may be no true translation; nothing where its score is enough."""
    found = []
    if features.numbers:
        found.append(Doubt.NUMBERS)
    if features.denials:
        found.append(Doubt.DENIALS)
    if features.term_hints:
        found.append(Doubt.TERMS)
    if features.likeness < LEAST_LIKENESS:
        found.append(Doubt.WORDS)
    listed = [_listed(text) for text in features.texts]
    if all(listed) and listed[0] != listed[1]:
        found.append(Doubt.WORDS)
    if score(features) < LEAST_SCORE:
        lowered = {name: -_WEIGHTS[name] * value for name, value in features.values().items() if name in _DOUBTS}
        lowered["row"] = _WEIGHTS["row"] * (1 - features.row)
        ranked = sorted(lowered, key=lambda name: -lowered[name])
        reasons = [name for name in ranked if lowered[name] >= _CONSIDERABLE] or ranked[:1]
        found += [_DOUBTS[name] for name in reasons]
    return tuple(dict.fromkeys(found))


def _listed(text: str) -> int:
    """How many things ``text`` lists, in a row and in few words each; 0 where it lists fewer than `LISTED`."""
    longest = run = 0
    for part in _SEPARATOR.split(text):
        words = part.split()
        if words and words[0].casefold() in _JOINING:
            words = words[1:]
        run = run + 1 if words and len(words) <= SHORT_ITEM else 0
        longest = max(longest, run)
    return longest if longest >= LISTED else 0


def _ends_with_word(text: str) -> bool:
    """Whether ``text`` ends without a full stop or another sign."""
    return text.rstrip(_CLOSING)[-1:].isalnum()
