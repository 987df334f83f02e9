"""Recognise questions for a number ("how many", "how long"), and passages that state a number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from corpus.languages import any_of
from glossary.comparison.numbers import NumberRole, read_numbers
from index.analysis import folded


def asks_for_amount(words: Iterable[str], language: str) -> bool:
    """Return whether a question in ``language`` with these folded words asks for a number."""
    return _asking(language).search(" ".join(words)) is not None


def states_amount(text: str, language: str) -> bool:
    """Return whether ``text`` states an amount, in figures or words; numbers of rules, items, steps
    and cards do not count.
    """
    stated = any(use.role is NumberRole.STATED for use in read_numbers(text, language))
    return stated or _TIMES.search(text) is not None


_TIMES = re.compile(r"\b\d{1,3} ?[x×](?!\w)|\b(?:[0-3]?\d)\.(?:[01]?\d)\.(?!\d)")  # "3x", "1.12."
_CURRENCY = re.compile(r"[€$£¥₣₤]")
_MEASURES = ("price", "age", "duration")


def lacks_measure(words: Iterable[str], text: str, language: str) -> bool:
    """Return whether a question in ``language``, given by its folded ``words``, asks for a price,
    an age or a time, and ``text`` has no word for such a measure: "five days" is no price.
    """
    question = " ".join(words)
    asked = [name for name in _MEASURES if _asking(language, name).search(question)]
    if not asked:
        return False
    said = " ".join(folded(text))
    return not any(_beside(language, name).search(said) for name in asked) and not (
        "price" in asked and _CURRENCY.search(text)
    )


@cache
def _beside(language: str, measure: str) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(f'questions.{measure}_words', language=language)}\b")


@cache
def _asking(language: str, measure: str = "") -> re.Pattern[str]:
    name = f"{measure}_questions" if measure else "amounts"
    return re.compile(rf"\b{any_of(f'questions.{name}', language=language)}\b")
