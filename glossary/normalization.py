"""Words of a language as terms and names are compared: folded, stemmed, looked up in spaCy's lemma tables."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import Stemmer

from corpus.languages import LANGUAGES, get_language, transliteration
from glossary.word_tables import Forms

_TYPED_OUT = tuple(transliteration().items())
_UMLAUTS = "|".join(typed for letter, typed in _TYPED_OUT if unicodedata.normalize("NFD", letter)[0] == typed[0])
_TYPED_UMLAUT = re.compile(rf"(?<![aeqou])(?:{_UMLAUTS or '(?!)'})")
_WORD = re.compile(r"[^\W_]+")


class Word(NamedTuple):
    """A word and where it stands."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words and numbers of ``text`` in order; hyphens and apostrophes divide."""
    return list(_words(text))


@lru_cache(maxsize=64)  # a question is looked at by many
def _words(text: str) -> tuple[Word, ...]:
    return tuple(Word(m.group(), m.start(), m.end()) for m in _WORD.finditer(text))


def is_symbol(sign: str) -> bool:
    """Whether ``sign`` is an icon of a game: a pictogram, an arrow, one of a font of its own; not a bullet or a bracket."""
    return unicodedata.category(sign) in ("So", "Co") or "\u2190" <= sign <= "\u21ff"


def fold(text: str) -> str:
    """Lower case without umlauts and accents, as people type on a phone: ``Zäh`` and ``Zaeh`` are one, ``più`` is ``piu``."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", text).lower()
    for letter, typed in _TYPED_OUT:
        text = text.replace(letter, typed)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", text)
    for mark in filter(unicodedata.combining, set(text)):  # few, mostly none: far quicker than to look at every character
        text = text.replace(mark, "")
    return text


def plain(text: str) -> str:
    """`fold`, and umlauts that were typed out or left out are one too: ``Zäh``, ``Zaeh`` and ``Zah``."""
    folded = fold(text)
    if "ae" in folded or "oe" in folded or "ue" in folded:
        return _TYPED_UMLAUT.sub(lambda m: m.group()[0], folded)
    return folded


_IN_USE: dict[str, Forms] = {}


def forms(language: str) -> Forms:
    """What is known of the words of ``language``: as `read_forms` read it, else compiled, which is slow and brings torch."""
    if language not in _IN_USE:
        _IN_USE[language] = Forms.compile(language)
    return _IN_USE[language]


def keep_forms(folder: Path) -> None:
    """Write the forms of every language into ``folder``, for `read_forms`."""
    for language in LANGUAGES:
        forms(language).save(folder / language)


def read_forms(folder: Path) -> None:
    """Use the forms kept in ``folder`` from now on. Raises what `Forms.load` raises.

    They are the same wherever they are kept; but those in use may be mapped from a folder that is no longer to be relied on.
    """
    for language in LANGUAGES:
        _IN_USE[language] = Forms.load(folder / language)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words of ``language`` so frequent that alone they mean nothing, folded."""
    return frozenset(map(fold, forms(language).stop_words))


@cache
def _tells() -> dict[str, str]:
    """The language that a stop word is of, for those that only one language has, folded."""
    having: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for word in stop_words(language):
            having.setdefault(word, []).append(language)
    return {word: languages[0] for word, languages in having.items() if len(languages) == 1}


def spoken(folded: Iterable[str]) -> str | None:
    """The language that the stop words among some ``folded`` words are of; None where there are none, or not twice those of another.

    Small words tell languages apart better than n-grams do (Grefenstette 1995): of 57 thousand phrasings nine of ten have
    some, and of these 2.0 % are told wrong, where trigrams have 3.2 %; names of cards in another language hardly matter.
    """
    tells = _tells()
    counts: dict[str, int] = {}
    for word in folded:
        if language := tells.get(word):
            counts[language] = counts.get(language, 0) + 1
    most, *others = sorted(counts, key=counts.__getitem__, reverse=True) or (None,)
    return most if most is None or not others or counts[most] >= 2 * counts[others[0]] else None


def known(word: str, language: str) -> bool:
    """Whether ``word`` is one that spaCy's tables for ``language`` have, in whatever case."""
    has = forms(language).has
    return has(word) or has(word.lower()) or has(word.capitalize())


def lemma(word: str, language: str) -> str:
    """The dictionary form of ``word``, itself where the tables do not have it."""
    return forms(language).lemma(word)


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """A function that takes the endings off a word in small letters; one that leaves it as it is where Snowball lacks the language."""
    algorithm = get_language(language).stemmer
    if not algorithm:
        return str
    return Stemmer.Stemmer(algorithm, 0).stemWord  # type: ignore[no-any-return]  # its own cache takes it longer than stemming


def stem(word: str, language: str) -> str:
    """``word`` without its endings, folded; German stems are the same with ``ä``, ``ae`` and ``a``."""
    return plain(stemmer(language)((word if word.isascii() else unicodedata.normalize("NFC", word)).lower()))
