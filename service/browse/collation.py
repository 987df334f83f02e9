"""The order of names for German and Italian readers: accents and capitals count last, signs not at all.

German (DIN 5007, part 1, and Duden) and Italian sort alike: both take the root order of the Unicode Collation
Algorithm as it is (CLDR tailors neither). For Latin letters this module has that order, so no library is needed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypeVar

T = TypeVar("T")

OTHER = "#"  # the letter of names that begin with none
_SPELLED_OUT = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})
_WORD = re.compile(r"\d+|[^\W\d_]+")


def sort_key(name: str) -> tuple[object, ...]:
    """Return the sort key of ``name``: word by word letters without accents and numbers by value; then accents; then capitals."""
    parts = [(0, int(word), "") if word.isdecimal() else (1, 0, word) for word in _WORD.findall(_without_accents(name))]
    return (tuple(parts), unicodedata.normalize("NFD", name.lower()), name.swapcase())


def letter(name: str) -> str:
    """Return the letter that ``name`` is listed under: A to Z without accents, else `OTHER`."""
    first = next(iter(_WORD.findall(_without_accents(name))), "")[:1].upper()
    return first if "A" <= first <= "Z" else OTHER


def by_letter(items: Iterable[T], name: Callable[[T], str]) -> list[tuple[str, list[T]]]:
    """Return ``items`` sorted by name and grouped by letter; those that begin with none come first."""
    ranked = sorted(items, key=lambda item: (letter(name(item)) != OTHER, letter(name(item)), sort_key(name(item))))
    return [(first, list(group)) for first, group in groupby(ranked, key=lambda item: letter(name(item)))]


def _without_accents(name: str) -> str:
    """Return ``name`` in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED_OUT))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
