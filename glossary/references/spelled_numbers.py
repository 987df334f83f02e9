"""Convert numbers in words to digits: "der zweite Absatz", "comma terzo"."""

from __future__ import annotations

import re
from functools import cache

from corpus.layouts.outline.printed_numbers import NUMBER_WORDS

_ORDINALS = ["|".join(word.rpartition("|")[0] for word in words) for words in NUMBER_WORDS]
_NUMBERS = ["|".join(words) for words in NUMBER_WORDS]


def in_figures(text: str, counted: str) -> str:
    """Return ``text`` with digits for numbers in words next to a match of the pattern ``counted``:
    "der Absatz 2" for "der zweite Absatz".
    """
    alone, before, behind = _patterns(counted)
    if not alone.search(text):  # faster than searching for all numbers
        return text
    text = before.sub(lambda found: f"{found['counted']} {_value(found['word'])}", text)
    return behind.sub(lambda found: f"{found['counted']} {_value(found['word'])}", text)


@cache
def _patterns(counted: str) -> tuple[re.Pattern[str], ...]:
    return (
        re.compile(rf"(?<!\w)(?:{counted})(?!\w)", re.IGNORECASE),
        re.compile(
            rf"(?<!\w)(?P<word>(?:{'|'.join(_ORDINALS)})[mnrs]?)\s++(?P<counted>{counted})(?!\w)",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?<!\w)(?P<counted>{counted})\s++(?P<word>{'|'.join(_NUMBERS)})(?!\w)", re.IGNORECASE
        ),
    )


@cache
def _value(word: str) -> int:
    return next(
        value
        for value, words in enumerate(_NUMBERS, 1)
        if re.fullmatch(rf"(?:{words})[mnrs]?", word, re.IGNORECASE)
    )
