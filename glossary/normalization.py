"""Words as terms and names are compared: folded, stemmed. What has to be looked up in tables is in
`glossary.word_tables`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

import Stemmer

from corpus.languages import get_language, transliteration

_TYPED_OUT = tuple(transliteration().items())
_UMLAUTS = "|".join(
    typed for letter, typed in _TYPED_OUT if unicodedata.normalize("NFD", letter)[0] == typed[0]
)
_TYPED_UMLAUT = re.compile(
    rf"(?:{_UMLAUTS or '(?!)'})(?<![aeqou]..)"
)  # the condition comes last because it is slow
_WORD = re.compile(r"[^\W_]+")


class Token(NamedTuple):
    """A word and where it stands."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """The words and numbers of ``text`` in order; hyphens and apostrophes divide."""
    return list(_cached_tokens(text))


@lru_cache(maxsize=64)  # a question is looked at by many
def _cached_tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(m.group(), m.start(), m.end()) for m in _WORD.finditer(text))


def is_symbol(sign: str) -> bool:
    """Whether ``sign`` is an icon of a game: a pictogram, an arrow, one of a font of its own; not a
    bullet or a bracket.
    """
    return unicodedata.category(sign) in ("So", "Co") or "\u2190" <= sign <= "\u21ff"


def fold(text: str) -> str:
    """Lower case without umlauts and accents, as people type on a phone: ``Zäh`` and ``Zaeh`` are
    one, ``più`` is ``piu``.
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", text).lower()
    for letter, typed in _TYPED_OUT:
        text = text.replace(letter, typed)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", text)
    for mark in filter(
        unicodedata.combining, set(text)
    ):  # few, mostly none: far quicker than to look at every character
        text = text.replace(mark, "")
    return text


def fold_umlauts(text: str) -> str:
    """`fold`, and umlauts that were typed out or left out are one too: ``Zäh``, ``Zaeh`` and
    ``Zah``.
    """
    return _TYPED_UMLAUT.sub(lambda match: match.group()[0], fold(text))


@cache
def get_stemmer(language: str) -> Callable[[str], str]:
    """A function that takes the endings off a word in small letters; one that leaves it as it is
    where Snowball lacks the language.
    """
    algorithm = get_language(language).stemmer
    if not algorithm:
        return str
    return Stemmer.Stemmer(algorithm, 0).stemWord  # type: ignore[no-any-return]  # its own cache takes it longer than stemming


def stem(word: str, language: str) -> str:
    """``word`` without its endings, folded; German stems are the same with ``ä``, ``ae`` and
    ``a``.
    """
    return fold_umlauts(
        get_stemmer(language)(
            (word if word.isascii() else unicodedata.normalize("NFC", word)).lower()
        )
    )
