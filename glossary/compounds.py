"""How the compounds of a language can be divided in two."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from corpus.languages import get_language
from glossary import normalization

SHORTEST = 4  # letters of a part of a compound, at least

_LONGEST = 60  # letters of a compound, at most


class Cut(NamedTuple):
    """A way to divide a compound at ``place``: how a name that it begins with would be written, and
    the stem of the rest.
    """

    place: int
    heads: tuple[str, ...]
    tail: str


@lru_cache(maxsize=200)  # each game in turn asks for those of a question
def cuts(word: str, language: str) -> tuple[Cut, ...]:
    """The ways to divide ``word`` into two parts of which one may be a name, the first ending as
    compounds of ``language`` link.
    """
    links = get_language(language).forms.links
    found = []
    for place in range(SHORTEST, min(len(word), _LONGEST) - SHORTEST + 1):
        head = normalization.fold_umlauts(word[:place])
        heads = (head.removesuffix(link) for link in links if head.endswith(link))
        tail = (
            f"{language} {normalization.stem(word[place:], language)}"
            if len(word) - place > SHORTEST
            else ""
        )
        found.append(Cut(place, tuple(whole for whole in heads if len(whole) >= SHORTEST), tail))
    return tuple(found)
