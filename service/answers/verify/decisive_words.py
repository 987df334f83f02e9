"""What weighs in words that a quotation leaves out: a negation, a number, an exception or a
condition.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from corpus.languages import LANGUAGES, any_of
from glossary.comparison.numbers import number_words
from service.schemas.grounding import DecisiveKind

_FROM = {
    DecisiveKind.NEGATION: ("sentences.denials", "decisive.negations"),
    DecisiveKind.EXCEPTION: (
        "sentences.exceptions",
        "sentences.limitations",
        "decisive.exceptions",
    ),
    DecisiveKind.CONDITION: ("sentences.conditions", "decisive.conditions"),
    DecisiveKind.NUMBER: ("numbers.below", "numbers.above", "decisive.numbers"),
}
_FIGURE = re.compile(r"(?<!\w)[+\-−–]?\d[\d.,/]*\d|(?<!\w)[+\-−–]?\d")


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """Return a pattern with a group for each kind; of a word that is of two kinds the first
    counts.
    """
    known = language if language in LANGUAGES else None
    groups = "|".join(
        f"(?P<{kind}>{any_of(*names, language=known)})" for kind, names in _FROM.items()
    )
    return re.compile(rf"(?<!\w)(?:{groups})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=512)
def decisive_words(text: str, language: str) -> tuple[tuple[DecisiveKind, str], ...]:
    """Return what in ``text`` may turn a rule, each word once as printed, numbers last.

    ``language`` is that of the text; the words of all languages are looked for where there is no
    file for it.
    """
    found = [
        (DecisiveKind(str(match.lastgroup)), match.group())
        for match in _pattern(language).finditer(text)
    ]
    found += [(DecisiveKind.NUMBER, match.group()) for match in _FIGURE.finditer(text)]
    found += [
        (DecisiveKind.NUMBER, text[span.start : span.end])
        for span, value in number_words(text, language)
        if value > 1
    ]
    return tuple(dict.fromkeys(found))
