"""Which words of a sentence a rule has too, and which rules have more of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from math import log
from typing import NamedTuple

from corpus.languages import words_of
from corpus.model import Edition
from glossary.normalization import stem, tokenize
from index.library.library import Library

_LEAST_WORD = 2  # letters; one letter is no term
_SMALL = frozenset().union(
    *(
        words_of(name)
        for name in ("function_words.in_titles", "questions.subjects", "questions.determiners")
    )
)


class SharedTerms(NamedTuple):
    """The ``words`` of a sentence that a rule has too, and their ``share`` of all of its words,
    each as rare as it is in the edition.
    """

    share: float
    words: tuple[str, ...]


class EditionTerms:
    """The stems of the words of every entry of ``edition``, headings around it included."""

    def __init__(self, library: Library, edition: Edition):
        self._language = edition.language
        self._entries: dict[str, set[str]] = {}
        self._holders: defaultdict[str, list[str]] = defaultdict(list)
        for entry in library.entries_of(edition.id):
            texts = [each.heading for each in library.path(entry)]
            texts += [f"{p.announced} {p.display}" for p in library.passages_of.get(entry.id, ())]
            self._entries[entry.id] = {term for text in texts for term in self._terms(text)}
            for term in self._entries[entry.id]:
                self._holders[term].append(entry.id)
        self._unknown = log(1 + 2 * max(len(self._entries), 1))

    def _terms(self, text: str) -> Iterable[str]:
        return (stem(word.text, self._language) for word in tokenize(text))

    def _weights(self, sentence: str) -> dict[str, tuple[float, str]]:
        """Return the stems of the words of ``sentence``, how rare each is, and the word."""
        count = len(self._entries)
        return {
            stem(word.text, self._language): (self._rarity(word.text, count), word.text)
            for word in tokenize(sentence)
            if word.text.isdigit()
            or (len(word.text) >= _LEAST_WORD and word.text.casefold() not in _SMALL)
        }

    def _rarity(self, word: str, count: int) -> float:
        holders = len(self._holders.get(stem(word, self._language), ()))
        return log(1 + (count - holders + 0.5) / (holders + 0.5)) if holders else self._unknown

    def weight(self, sentence: str) -> float:
        """Return how much ``sentence`` says that can be compared."""
        return sum(
            rarity for term, (rarity, _) in self._weights(sentence).items() if term in self._holders
        )

    def shared(self, sentence: str, entries: Collection[str]) -> SharedTerms:
        """Return what ``sentence`` shares with all of ``entries`` together."""
        weights = self._weights(sentence)
        there = set().union(*(self._entries.get(id, ()) for id in entries))
        whole = sum(rarity for rarity, _ in weights.values())
        found = {term: each for term, each in weights.items() if term in there}
        return SharedTerms(
            sum(rarity for rarity, _ in found.values()) / whole if whole else 0.0,
            tuple(word for _, word in found.values()),
        )

    def best(self, sentence: str, count: int) -> list[tuple[str, float]]:
        """Return the ``count`` entries that share most with ``sentence``, and how much."""
        weights = self._weights(sentence)
        whole = sum(rarity for rarity, _ in weights.values()) or 1.0
        sums: defaultdict[str, float] = defaultdict(float)
        for term, (rarity, _) in weights.items():
            for id in self._holders.get(term, ()):
                sums[id] += rarity / whole
        return sorted(sums.items(), key=lambda each: -each[1])[:count]
