"""Which of the further names of a term are forms of its name, as texts inflect it, and which are
other words for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from corpus.languages import any_of
from glossary.normalization import fold_umlauts, stem
from glossary.terms.term_names import term_name
from glossary.word_tables import lemmas_of

_WORD = re.compile(r"[^\W_]+")


class Inflections:
    """Tells the inflected forms of terms in one language; ``names`` are all names that it will be
    asked about.
    """

    def __init__(self, language: str, names: Iterable[str]):
        self._language = language
        words = {word for name in names for word in _words(name, language)}
        self._lemmas: Mapping[str, str] = (
            lemmas_of(language, words | {word.lower() for word in words}) if words else {}
        )

    def of(self, name: str, further: Iterable[str]) -> tuple[str, ...]:
        """Return those of ``further`` that have the words of ``name``, or of one before them, in
        another form or order.

        "gezogen" is one of "Ziehen". Words are compared by their stem and by that of their lemma;
        articles and a qualifier in brackets are passed over.
        """
        known = [self._analyse(name)]
        found = []
        for each in further:
            words = self._analyse(each)
            if any(_same_words(own, words) for own in known):
                found.append(each)
            else:
                known.append(words)
        return tuple(found)

    def _analyse(self, name: str) -> list[frozenset[str]]:
        """Return for each word of ``name`` what it is compared by."""
        return [self._stems(word) for word in _words(name, self._language)]

    def _stems(self, word: str) -> frozenset[str]:
        small = word.lower()
        lemmas = {word, self._lemmas.get(word, word), self._lemmas.get(small, small)}
        return frozenset({fold_umlauts(small), *(stem(lemma, self._language) for lemma in lemmas)})


def _words(name: str, language: str) -> list[str]:
    """Return the words of ``name`` that are no articles."""
    articles = _articles(language)
    return [word for word in _WORD.findall(term_name(name)) if not articles.fullmatch(word)]


@cache
def _articles(language: str) -> re.Pattern[str]:
    return re.compile(
        any_of("sentences.all_articles", "sentences.articles", language=language), re.IGNORECASE
    )


def _same_words(one: list[frozenset[str]], other: list[frozenset[str]]) -> bool:
    """Return whether each word of ``one`` can be paired with a word of ``other``, and none is left
    over.
    """
    if len(one) != len(other) or not one:
        return False
    rest = list(other)
    for word in one:
        match = next((each for each in rest if each & word), None)
        if match is None:
            return False
        rest.remove(match)
    return True
