"""Numbers in running text, in figures and in words, so that "eine Karte" and "1 carta" are the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from corpus.languages import LANGUAGES, get_language
from corpus.spans import Span
from glossary import normalization

_ITEM = re.compile(r"^[•\s]*\(?\d+(?:\.\d+)*[.)]\s", re.MULTILINE)  # the number of an item or a rule says nothing in it
_FIGURES = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)")
# The article is the same word, so that one can say "1" where the other has it, and nothing follows where it stands alone.
_VALUE = {
    code: {**dict.fromkeys(numbers.one, "1"), **{word: str(n) for n, word in enumerate(numbers.from_two, 2)}}
    for code in LANGUAGES
    for numbers in (get_language(code).numbers,)
}


def unmatched_numbers(text: str, language: str, other: str, its_language: str) -> tuple[str, ...]:
    """The numbers that ``text`` has in figures more often than ``other`` has them in figures or words, in order of print."""
    there = Counter(_figures(other)) + Counter(str(value) for _, value in number_words(other, its_language))
    found = []
    for number in _figures(text):
        if there[number] > 0:
            there[number] -= 1
        else:
            found.append(number)
    return tuple(found)


def _figures(text: str) -> list[str]:
    return _FIGURES.findall(_ITEM.sub("", text))


def number_words(text: str, language: str) -> Iterator[tuple[Span, int]]:
    """The numbers that ``text`` has in words, with their places; an article is a 1."""
    value = _VALUE.get(language, {})
    for word in normalization.tokenize(text):
        if (folded := normalization.fold(word.text)) in value:
            yield Span(word.start, word.end), int(value[folded])
