"""Whether a reworded text says something else: other numbers, a negation more or less, words added or taken out."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from corpus.languages import words_of
from glossary.comparison.numbers import NumberRole, unmatched_numbers
from glossary.comparison.rewording import reworded_runs
from glossary.normalization import fold

CLAUSE = 4  # words in a row that only one text has, at least, to be a condition or an exception

_DECIDING = words_of("questions.negations") | words_of("spelling.opposites")


class SubstanceChange(StrEnum):
    """What may make a reworded passage another rule, in the order of how sure that is."""

    NUMBERS = "numbers"  # other numbers, in figures or words, not counting those of rules and steps
    NEGATION = "negation"  # "not", "without", "before" and the like, more or less often
    ADDED = "added"  # words in a row that the old text has nothing for: a condition, an exception, a sentence
    REMOVED = "removed"  # the same of the old text


def substance_changes(old: str, new: str, language: str) -> tuple[SubstanceChange, ...]:
    """What changed in substance between two texts for readers; nothing where words were only replaced by about as many others."""
    found = set()
    if any(use.role is NumberRole.STATED for side in unmatched_numbers(old, language, new, language).sides for use in side):
        found.add(SubstanceChange.NUMBERS)
    if _deciding(old) != _deciding(new):
        found.add(SubstanceChange.NEGATION)
    for before, now in reworded_runs(old, new):
        if len(now) >= CLAUSE and len(now) >= 2 * len(before):
            found.add(SubstanceChange.ADDED)
        if len(before) >= CLAUSE and len(before) >= 2 * len(now):
            found.add(SubstanceChange.REMOVED)
    return tuple(kind for kind in SubstanceChange if kind in found)


def _deciding(text: str) -> Counter[str]:
    return Counter(word for word in (fold(each.strip(".,;:!?()\"'„“”»«")) for each in text.split()) if word in _DECIDING)
