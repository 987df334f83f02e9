"""What weighs in words that a quotation leaves out: a negation, a number, an exception or a condition."""

from __future__ import annotations

import re
from functools import cache

from corpus.languages import LANGUAGES, any_of
from glossary.comparison.numbers import number_words
from service.schemas.verify import DecisiveKind

_FROM = {
    DecisiveKind.NEGATION: ("sentences.denials", "decisive.negations"),
    DecisiveKind.EXCEPTION: ("sentences.exceptions", "sentences.limitations", "decisive.exceptions"),
    DecisiveKind.CONDITION: ("sentences.conditions", "decisive.conditions"),
    DecisiveKind.NUMBER: ("numbers.below", "numbers.above", "decisive.numbers"),
}
_FIGURE = re.compile(r"(?<!\w)[+\-−–]?\d[\d.,/]*\d|(?<!\w)[+\-−–]?\d")


@cache
def _patterns(language: str) -> dict[DecisiveKind, re.Pattern[str]]:
    known = language if language in LANGUAGES else None
    return {kind: re.compile(rf"(?<!\w){any_of(*names, language=known)}(?!\w)", re.IGNORECASE) for kind, names in _FROM.items()}


def decisive_words(text: str, language: str) -> list[tuple[DecisiveKind, str]]:
    """Return what in ``text`` may turn a rule, each word as printed, in order within its kind.

    ``language`` is that of the text; the words of all languages are looked for where there is no file for it.
    """
    found = [(kind, match.group()) for kind, pattern in _patterns(language).items() for match in pattern.finditer(text)]
    found += [(DecisiveKind.NUMBER, match.group()) for match in _FIGURE.finditer(text)]
    found += [(DecisiveKind.NUMBER, text[span.start : span.end]) for span, value in number_words(text, language) if value > 1]
    return list(dict.fromkeys(found))
