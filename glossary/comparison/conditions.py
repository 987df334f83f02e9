"""Words that say when, how often and for whom something holds, found in texts of cards and of rulebooks, by what they mean."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from corpus.languages import get_language
from corpus.spans import Span


class ConditionUse(NamedTuple):
    """A word at ``span``, and what it may mean: "only", "unless"; several ``meanings`` where it is ambiguous, ``meaning`` is the first."""

    span: Span
    meanings: frozenset[str]
    meaning: str


class ConditionFinder:
    """Finds the words of ``language`` that say under what condition something holds."""

    def __init__(self, language: str):
        self._patterns = [
            (name, re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE))
            for name, patterns in get_language(language).card_conditions.items()
        ]

    def find(self, text: str) -> list[ConditionUse]:
        """The conditions in ``text`` in order."""
        found: dict[Span, list[str]] = defaultdict(list)
        for name, pattern in self._patterns:
            for match in pattern.finditer(text):
                found[Span(*match.span())].append(name)
        return [ConditionUse(span, frozenset(found[span]), found[span][0]) for span in sorted(found)]
