"""What a card is called: its name, the parts of it that players use, and how names are told in a
question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from corpus.languages import words_of
from glossary import normalization

T = TypeVar("T")

_SEVERAL = re.compile(r"/+")
_STAGES = re.compile(r"(?:(?<!\s)\s+|/)[IVX]+$")  # "Venom I/II/III" is asked for as "Venom"
_QUOTES = "\"„“”«»‚‘’'"
_SMALL = words_of("function_words.in_card_names")
_CARD_TYPES = words_of("questions.card_types")
_SHORTEST_ALONE = 4  # letters of a part of a name that is recognised alone


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name as names are compared: folded, umlauts typed out or not."""
    return tuple(normalization.fold_umlauts(word.text) for word in normalization.tokenize(name))


def names_of(card: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """What a card is called, and whether that is a whole name: "Tigra/Greer Grant Nelson" is two,
    "Greer Nelson" a part.
    """
    one = card
    while (shorter := _STAGES.sub("", one)) != one:
        one = shorter
    spellings = [card, one, *_SEVERAL.split(one)]
    wholes = [
        name_words(spelling) for spelling in (*spellings, *(s.replace("-", "") for s in spellings))
    ]  # "Spider-Man", "Spiderman"
    for name in list(dict.fromkeys(wholes)):
        if not name:
            continue
        yield name, True
        while len(name) > 1 and name[0] in _SMALL:
            name = name[1:]
            yield name, True
        for length in range(len(name) - 1, 0, -1):
            for first in range(len(name) - length + 1):
                part = name[first : first + length]
                large = [word for word in part if word not in _SMALL]
                if (
                    part[0] not in _SMALL
                    and part[-1] not in _SMALL
                    and (len(large) > 1 or len(part[0]) >= _SHORTEST_ALONE)
                ):
                    yield part, False
        if len(name) > 2:
            yield (name[0], name[-1]), False


def is_quoted(question: str, start: int, end: int) -> bool:
    """Whether quotation marks stand right around a place in ``question``."""
    return (
        start > 0
        and end < len(question)
        and question[start - 1] in _QUOTES
        and question[end] in _QUOTES
    )


def begins_sentence(text: str, start: int) -> bool:
    """Return whether a sentence or a line of ``text`` begins at ``start``, perhaps with a quotation
    mark.
    """
    before = text[max(start - 4, 0) : start]
    words = before.rstrip()
    if words.endswith(('"', "„", "“", "«")):
        words = words[:-1].rstrip()
    return start == 0 or words.endswith((".", "?", "!", ":")) or "\n" in before[len(words) :]


def follows_card_type(question: str, start: int) -> bool:
    """Whether the word before says that a card is named: "die Karte Warnung"."""
    before = normalization.tokenize(question[max(start - 30, 0) : start])
    return bool(before) and normalization.fold(before[-1].text) in _CARD_TYPES


def scan(longest: Sequence[int], judge: Callable[[int, int], list[T]]) -> list[T]:
    """What ``judge`` finds of names in a text of ``len(longest)`` words, no word in two names,
    longer names first.

    ``longest`` has the words of the longest name that each word may begin, 0 for none; ``judge``
    gets the numbers of the first word of a possible name and of the first after it.
    """
    begin = [(i, min(most, len(longest) - i)) for i, most in enumerate(longest) if most]
    found: list[T] = []
    covered: set[int] = set()
    for length in range(max((most for _, most in begin), default=0), 0, -1):
        for first, most in begin:
            if (
                length <= most
                and covered.isdisjoint(places := range(first, first + length))
                and (here := judge(first, first + length))
            ):
                found.extend(here)
                covered.update(places)
    return found
