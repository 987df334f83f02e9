"""Detects the language of a text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from corpus.languages.registry import LANGUAGES, get_language

if TYPE_CHECKING:
    from lingua import LanguageDetector

_WORD = re.compile(r"[^\W\d_]+")
_SHARE = 0.2  # of a text's words, so that they decide its language; function words are about half
_SAMPLE = 2_000  # words or characters of a text that are examined
# Languages with Latin letters in which card games are played; their detector takes 30 MB and half
# a second to load.
_PLAYED_IN = frozenset(
    ["cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nb", "nl", "pl", "pt", "ro", "sv", "tr"]
)
_SURE_OF = 0.5  # least confidence for a foreign language
_AT_MOST = 0.2  # highest confidence for all known languages together


def detect(text: str, among: Collection[str] = LANGUAGES) -> str | None:
    """Return the code of the language of ``text``, one of those in ``among``, or None if the text
    gives no hint (only numbers or names).

    The library lingua decides by n-grams between the languages that it knows; other languages are
    recognised by their function words.
    """
    if (found := _by_words(text, among)) is not None:
        return found
    shares = {code: share for code, share in language_shares(text).items() if code in among}
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] > 0 else None


def _by_words(text: str, among: Collection[str]) -> str | None:
    # Decides only for languages that lingua does not know; None if too few words are known.
    codes = [code for code in LANGUAGES if code in among and code not in known_to_lingua()]
    if not codes:
        return None
    words = [match.group().casefold() for match in islice(_WORD.finditer(text), _SAMPLE)]
    counts = {}
    for code in codes:
        telling = set(get_language(code).function_words.telling)
        counts[code] = sum(word in telling for word in words)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] and counts[best] >= _SHARE * len(words) else None


def language_shares(text: str) -> dict[str, float]:
    """Return lingua's confidence in each language by code: shares that add up to 1, or all 0 if
    ``text`` has no words. Languages that lingua does not know are left out.
    """
    return _shares(text, known_to_lingua())


def _shares(text: str, languages: tuple[str, ...]) -> dict[str, float]:
    if not languages:
        return {}
    found = _detector(languages).compute_language_confidence_values(text)
    return {each.language.iso_code_639_1.name.lower(): each.value for each in found}


@lru_cache(maxsize=1024)
def foreign_language(text: str, read: frozenset[str]) -> str | None:
    """Return the code of the language of ``text`` if it is surely not one of ``read``, or None.

    Only languages with Latin letters are recognised. The first call loads a detector, which is
    slow.
    """
    shares = _shares(text, _in_lingua(sorted(_PLAYED_IN | read)))
    best = max(shares, key=shares.__getitem__, default="")
    if not best or best in read or shares[best] < _SURE_OF:
        return None
    return best if sum(shares.get(code, 0.0) for code in read) <= _AT_MOST else None


def language_name(code: str) -> str:
    """Return the English name of the language ``code``, or the code if it is unknown."""
    if code in LANGUAGES:
        return get_language(code).name
    from lingua import IsoCode639_1, Language

    known = getattr(IsoCode639_1, code.upper(), None)
    return Language.from_iso_code_639_1(known).name.capitalize() if known is not None else code


def foreign_script(text: str, read: Iterable[str]) -> str | None:
    """Return the Unicode name of the script of most letters in ``text`` ("Cyrillic"), or None if a
    language in ``read`` uses that script.
    """
    own = {"LATIN", *(_script(letter) for code in read for letter in get_language(code).letters)}
    scripts = Counter(_script(letter) for letter in text[:_SAMPLE] if letter.isalpha())
    most, count = scripts.most_common(1)[0] if scripts else ("LATIN", 0)
    return most.capitalize() if most not in own and count > scripts.total() / 2 else None


def _script(letter: str) -> str:
    return unicodedata.name(letter, "LATIN").partition(" ")[0]


@cache
def _detector(languages: tuple[str, ...]) -> LanguageDetector:
    from lingua import IsoCode639_1, LanguageDetectorBuilder

    codes = [getattr(IsoCode639_1, code.upper()) for code in languages]
    # Trigrams alone tell three languages as well as all n-grams (4.5 % of 13 thousand query
    # variants wrong, 4.4 % with all) in 10 MB, not 110.
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).with_low_accuracy_mode().build()


@cache
def known_to_lingua() -> tuple[str, ...]:
    """Return the `LANGUAGES` that lingua knows."""
    return _in_lingua(LANGUAGES)


def _in_lingua(codes: Iterable[str]) -> tuple[str, ...]:
    from lingua import IsoCode639_1

    return tuple(code for code in codes if hasattr(IsoCode639_1, code.upper()))
