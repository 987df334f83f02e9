"""Questions for a number ("how many", "how long", "what does it cost"), and passages that state
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from corpus.languages import any_of
from glossary.comparison.numbers import NumberRole, read_numbers


def asks_for_amount(words: Iterable[str], language: str) -> bool:
    """Whether a question in ``language`` with these folded words asks for a number."""
    return _asking(language).search(" ".join(words)) is not None


def states_amount(text: str, language: str) -> bool:
    """Whether ``text`` says a number, in figures or in words, that is none of a rule, an item, a
    step or a card.
    """
    return any(use.role is NumberRole.STATED for use in read_numbers(text, language))


@cache
def _asking(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of('questions.amounts', language=language)}\b")
