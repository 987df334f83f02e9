"""Words as search sees them: divided as spaCy does, their lookup lemmas, stemmed, umlauts and accents folded."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from glossary.normalization import fold, forms, lemma, stemmer

__all__ = ["fold", "folded", "plain", "term", "terms", "word_grams", "words"]

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
SHORT, LONG = 3, 5  # characters of an n-gram
_NUMBER = re.compile(r"\d+(?:\.\d+)+")
_QUESTION_WORDS = {
    "de": {"was", "wie", "wann", "wer", "wen", "wem", "wo", "warum", "wieso", "wieviel", "welche", "welcher", "welches", "kriegt", "gibt",
           "eigentlich", "denn", "dann", "mal", "halt", "passiert", "darf", "muss", "kann"},
    "it": {"cosa", "come", "quando", "chi", "dove", "perche", "quanto", "quanti", "quale", "quali", "succede", "posso", "puo", "devo"},
    "en": {"what", "how", "when", "who", "where", "why", "which", "does", "do", "can", "happens", "get"},
}  # fmt: skip


def words(text: str) -> list[str]:
    """The words and numbers of ``text`` as they stand, rule numbers ("4.2.3.1") kept whole."""
    return _WORD.findall(text)


@lru_cache(maxsize=64)  # a question is looked at by many
def folded(text: str) -> tuple[str, ...]:
    """The `words` of ``text``, folded."""
    return tuple(words(fold(text)))


def plain(text: str) -> str:
    """The words of ``text`` folded, single blanks between them; what names are compared by."""
    return " ".join(folded(text))


@cache
def _stopwords(language: str) -> frozenset[str]:
    words = forms(language).stop_words | _QUESTION_WORDS[language]
    # Negations and "no longer" decide rulings, so they stay in.
    return frozenset(fold(w) for w in words) - {"nicht", "kein", "keine", "non", "not", "no", "ohne", "senza"}


def term(word: str, language: str) -> str:
    """The index term of one word: its lookup lemma, stemmed and folded."""
    return fold(stemmer(language)(fold_case(lemma(word, language))))


def fold_case(word: str) -> str:
    """``word`` in lower case with typed-out umlauts (ae, oe, ue) left alone, as the stemmer wants it."""
    return word.lower().translate(_UMLAUTS)


def terms(text: str, language: str) -> list[str]:
    """The index terms of ``text`` in order; stop words of the language left out, rule numbers ("4.2.3.1") kept whole."""
    found = (_term(word, language) for word in forms(language).words(text))
    return [term for term in found if term]


@lru_cache(maxsize=20_000)
def _term(word: str, language: str) -> str:
    """The `term` of a word as it stands in a text, a number as it is; empty for a stop word."""
    if _NUMBER.fullmatch(word) or word.isdigit():
        return word
    return "" if fold(word) in _stopwords(language) else term(word, language)


@lru_cache(maxsize=1_000)
def word_grams(word: str) -> tuple[str, ...]:
    """The character n-grams of one folded word, of `SHORT` to `LONG` characters, with ``<`` and ``>`` at its ends."""
    framed = f"<{word}>"
    return tuple([framed[i : i + n] for n in range(SHORT, LONG + 1) for i in range(len(framed) - n + 1)])
