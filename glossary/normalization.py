"""Normalize words to compare terms and names: folding, stemming, splitting compounds, correcting
spelling. What needs word tables is in `glossary.word_tables`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import Stemmer
from rapidfuzz import process
from rapidfuzz.distance import OSA

from corpus.languages import get_language, transliteration

_TYPED_OUT = tuple(transliteration().items())
_UMLAUTS = "|".join(
    typed for letter, typed in _TYPED_OUT if unicodedata.normalize("NFD", letter)[0] == typed[0]
)
# The condition comes last because it is slow.
_TYPED_UMLAUT = re.compile(rf"(?:{_UMLAUTS or '(?!)'})(?<![aeqou]..)")
_WORD = re.compile(r"[^\W_]+")

SHORTEST_PART = 4  # letters of a part of a compound, at least
_LONGEST_COMPOUND = 60  # letters

_SHORTEST_TYPO = 5  # letters of a word that may be misspelt
_TWO_TYPOS = 9  # letters of a word that may be misspelt twice
_LONGEST_TYPO = 60


class Token(NamedTuple):
    """A word and its place."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Return the words and numbers of ``text`` in order, split at hyphens and apostrophes."""
    return list(_cached_tokens(text))


@lru_cache(maxsize=64)  # many functions look at a question
def _cached_tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(m.group(), m.start(), m.end()) for m in _WORD.finditer(text))


def is_symbol(sign: str) -> bool:
    """Return whether ``sign`` is an icon of a game: a pictogram, an arrow, a character of a custom
    font; not a bullet or a bracket.
    """
    return unicodedata.category(sign) in ("So", "Co") or "\u2190" <= sign <= "\u21ff"


def fold(text: str) -> str:
    """Return ``text`` in lower case without umlauts and accents, as people type on a phone: ``Zäh``
    and ``Zaeh`` become equal, ``più`` becomes ``piu``.
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", text).lower()
    for letter, typed in _TYPED_OUT:
        text = text.replace(letter, typed)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", text)
    # Few texts have marks: this is far quicker than to look at every character.
    for mark in filter(unicodedata.combining, set(text)):
        text = text.replace(mark, "")
    return text


def fold_umlauts(text: str) -> str:
    """Return ``text`` folded (see `fold`) and without umlauts, even typed-out ones: ``Zäh``,
    ``Zaeh`` and ``Zah`` become ``zah``.
    """
    return _TYPED_UMLAUT.sub(lambda match: match.group()[0], fold(text))


@cache
def get_stemmer(language: str) -> Callable[[str], str]:
    """Return a function that stems lower-case words; the identity if Snowball has none."""
    algorithm = get_language(language).stemmer
    if not algorithm:
        return str
    # Without the stemmer's own cache, which takes longer than stemming.
    return Stemmer.Stemmer(algorithm, 0).stemWord  # type: ignore[no-any-return]


def stem(word: str, language: str) -> str:
    """Return the folded stem of ``word``; in German, ``ä``, ``ae`` and ``a`` give the same."""
    composed = word if word.isascii() else unicodedata.normalize("NFC", word)
    return fold_umlauts(get_stemmer(language)(composed.lower()))


class Cut(NamedTuple):
    """A way to split a compound at ``place``. ``heads`` are the names that it may begin with,
    without linking elements; ``tail`` is the language and stem of the rest, "" if the rest is too
    short.
    """

    place: int
    heads: tuple[str, ...]
    tail: str


@lru_cache(maxsize=200)  # each game asks for the words of a question
def cuts(word: str, language: str) -> tuple[Cut, ...]:
    """Return the ways to split ``word`` into two parts, one of which may be a name, without linking
    elements of ``language``: "Schadensmarker" → "schaden", "marker".
    """
    links = get_language(language).forms.links
    found = []
    for place in range(SHORTEST_PART, min(len(word), _LONGEST_COMPOUND) - SHORTEST_PART + 1):
        begin = fold_umlauts(word[:place])
        heads = tuple(
            head
            for link in links
            if begin.endswith(link) and len(head := begin.removesuffix(link)) >= SHORTEST_PART
        )
        tail = ""
        if len(word) - place > SHORTEST_PART:
            tail = f"{language} {stem(word[place:], language)}"
        found.append(Cut(place, heads, tail))
    return tuple(found)


class SpellingCorrector:
    """Finds the known word that a misspelt word stands for."""

    def __init__(self, known: Iterable[str]):
        self._known = {fold_umlauts(word): word for word in known}
        self._by_start: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in sorted(self._known):
            if len(word) >= _SHORTEST_TYPO:
                for length in range(len(word) - 2, len(word) + 3):
                    self._by_start[word[0], length].append(word)

    def nearest(self, word: str, most: int = 2) -> str | None:
        """Return the known word nearest to ``word``, or None: at most one typo away, in a long word
        up to ``most``.

        The first letter has to be right or swapped with the second: a word with another first
        letter is another word.
        """
        written = fold_umlauts(word)
        if not _SHORTEST_TYPO <= len(written) <= _LONGEST_TYPO:
            return None
        if len(written) < _TWO_TYPOS:
            most = 1
        for first in dict.fromkeys(written[:2]):
            like = self._by_start.get((first, len(written)))
            near = like and process.extractOne(
                written, like, scorer=OSA.distance, score_cutoff=most
            )
            if near:
                return self._known[near[0]]
        return None
