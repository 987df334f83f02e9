"""Whether the text of a PDF is one that people read, or the signs of fonts that do not say which
letters they show.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_UNKNOWN = re.compile(r"[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")
_GLYPH_NAME = re.compile(r"\(cid:\d+\)|/g\d+\b|/uni[0-9A-F]{4}")
_BROKEN = 0.04  # of the words may have letters that nobody can tell
_WITH_VOWELS = 0.7  # of the words of two letters or more; of texts that can be read more than 0.95
_ICONS = 3  # signs from which on they are a word
_FEW = 30  # words tell nothing


def illegible(lines: Iterable[str]) -> bool:
    """Whether ``lines`` have too many words with signs of private use, glyph names, or no vowels.

    Icons of a game's own font, which stand by themselves, do no harm.
    """
    words = broken = told = voiced = names = 0
    for line in lines:
        names += len(_GLYPH_NAME.findall(line))
        for word in line.split():
            letters, unknown = (
                [sign for sign in word if sign.isalpha()],
                len(_UNKNOWN.findall(word)),
            )
            if not letters and unknown < _ICONS:
                continue
            words += 1
            broken += unknown > 0 and len(letters) + unknown >= _ICONS
            plain = unicodedata.normalize("NFD", "".join(letters)).casefold()
            if (
                len(letters) > 1
                and not word.isupper()
                and plain.isascii() | any("a" <= sign <= "z" for sign in plain)
            ):
                told += 1
                voiced += any(sign in "aeiouy" for sign in plain)
    if names > _FEW or (words >= _FEW and broken > _BROKEN * words):
        return True
    return told >= _FEW and voiced < _WITH_VOWELS * told
