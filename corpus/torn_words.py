"""Joins words that PDF extraction has split: after a ligature ("befi nden", "fl ache"), recognised
by other words of the document, and before an accent ("perche ´", "u ¨ber").
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

_WORD = re.compile(r"(?<![\w-])[^\W\d_]++")
_LIGATURES = ("ffi", "ffl", "fi", "fl", "ff")
# How many splits after a ligature are no accident; words can end in "ff".
_LEAST = {"ffi": 1, "ffl": 1, "fl": 1, "fi": 1, "ff": 3}
_SHORT = 4  # letters; longer words end with "fi" in Italian
_LIGATURE_SIGNS = {0xFB00 + at: text for at, text in enumerate(("ff", "fi", "fl", "ffi", "ffl"))}
_ACCENTS = {"´": "\u0301", "`": "\u0300", "¨": "\u0308"}
_APART = re.compile("([aeiouAEIOU])[ \u00a0]([\u0300-\u0302\u0308]|[´`](?![^\\W\\d_])|¨)")


class TornWords:
    """Finds the words of ``text`` that are split after a ligature.

    Two parts are one word if most words with the ligature are split, or the whole word occurs
    elsewhere, and the second part never occurs alone.
    """

    def __init__(self, text: str):
        self._pairs: set[tuple[str, str]] = set()
        plain = text.translate(_LIGATURE_SIGNS)
        if not re.search(r"f[fil] [^\W\d_]", plain):
            return
        found = list(_WORD.finditer(plain))
        pairs: Counter[tuple[str, str, str]] = Counter()
        firsts: set[int] = set()
        seconds: set[int] = set()
        for one, other in pairwise(found):
            first, second = one.group(), other.group()
            ligature = next((each for each in _LIGATURES if first.endswith(each)), None)
            blank = plain[one.end() : other.start()] in (" ", "\u00a0")
            if ligature and blank and second.islower():
                pairs[ligature, first, second] += 1
                firsts.add(one.start())
                seconds.add(other.start())
        known = Counter(
            each.group().casefold()
            for each in found
            if each.start() not in firsts and each.start() not in seconds
        )
        torn = Counter(ligature for ligature, _, second in pairs if not known[second.casefold()])
        whole = Counter(
            ligature
            for word in known
            for ligature in [next((each for each in _LIGATURES if each in word[:-1]), None)]
            if ligature and word.rfind(ligature) + len(ligature) < len(word)
        )
        for ligature, first, second in pairs:
            alone = first in _LIGATURES
            if known[second.casefold()] or (not alone and known[first.casefold()]):
                continue
            least = _LEAST[ligature] + (ligature == "fi" and len(first) > _SHORT)
            often = torn[ligature] >= least and torn[ligature] > whole[ligature]
            if alone or often or known[(first + second).casefold()]:
                self._pairs.add((first, second))
        names = "|".join(sorted({re.escape(first) for first, _ in self._pairs}, key=len)[::-1])
        self._torn = re.compile(rf"(?<![\w-])({names})[ \u00a0](?=([^\W\d_]++))")

    def whole(self, text: str) -> str:
        """Return ``text`` with its split words joined, ligatures as letters, and accents combined
        with their letters.
        """
        text = _APART.sub(_accented, text.translate(_LIGATURE_SIGNS))
        if not self._pairs:
            return text
        return self._torn.sub(
            lambda found: found[1] if (found[1], found[2]) in self._pairs else found[0], text
        )


def _accented(found: re.Match[str]) -> str:
    composed = unicodedata.normalize("NFC", found[1] + _ACCENTS.get(found[2], found[2]))
    return composed if len(composed) == 1 else found[0]
