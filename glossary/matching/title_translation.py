"""How well titles of two languages translate each other, by words that known translations teach."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from corpus.languages import words_of
from corpus.model import Entry
from glossary import normalization

_ROUNDS = 6  # of training; titles are short, so that more change nothing
_COGNATE = 0.7  # likeness in writing from which words count as translations ("Scenario", "Szenario")
_SMALL = words_of("function_words.in_translations")

TitlePair = tuple[str, str]
"""A title and its translation."""


class TitleTranslator:
    """The titles of two editions, compared word by word.

    Words translate each other by IBM model 1 (Brown et al. 1993), trained on pairs of titles, by what texts teach, or by being written
    alike. ``languages`` and ``titles`` are those of the left and of the right edition.
    """

    def __init__(self, languages: tuple[str, str], titles: tuple[Sequence[str], Sequence[str]]):
        self._languages = languages
        words = tuple([self.words(title, side) for title in titles[side]] for side in (0, 1))
        self._titled = tuple(_places_of(each) for each in words)
        self._columns = tuple({word: n for n, word in enumerate(sorted({w for title in each for w in title}))} for each in words)
        self._places = tuple(
            [np.array(sorted({columns[w] for w in title}), dtype=int) for title in each]
            for each, columns in zip(words, self._columns, strict=True)
        )
        self._alike = self._cognates()

    def words(self, title: str, side: int) -> tuple[str, ...]:
        """The stems of the words of ``title``, on the left (``side`` 0) or right (1), that mean something."""
        language = self._languages[side]
        return tuple(
            normalization.stem(w.text, language) for w in normalization.tokenize(title) if normalization.fold(w.text) not in _SMALL
        )

    def likeness(self, taught: Iterable[TitlePair], learned: Iterable[tuple[str, str, float]]) -> NDArray[np.float64]:
        """How well each title of the left and each of the right translate each other, from 0 to 1.

        ``taught`` are titles and their translations, ``learned`` stems and how surely they stand for each other. Shape (left, right).
        """
        alike = self._alike.copy()
        pairs = [(self.words(one, 0), self.words(other, 1)) for one, other in taught]
        there = train_word_translations(pairs)
        back = train_word_translations([(other, one) for one, other in pairs])
        trained = ((one, other, math.sqrt(chance * back.get((other, one), 0.0))) for (one, other), chance in there.items())
        for one, other, strength in (*trained, *learned):
            row, column = self._columns[0].get(one), self._columns[1].get(other)
            if row is not None and column is not None:
                alike[row, column] = max(alike[row, column], min(strength, 1.0))
        forth = _mean_of_best(self._places[0], self._places[1], alike)
        back_again = _mean_of_best(self._places[1], self._places[0], alike.T)
        found: NDArray[np.float64] = np.sqrt(forth * back_again.T)
        for pair in pairs:  # as a whole, whatever its words teach
            rows, columns = (titled.get(words, []) for titled, words in zip(self._titled, pair, strict=True))
            found[np.ix_(rows, columns)] = 1.0
        return found

    def _cognates(self) -> NDArray[np.float64]:
        left, right = (list(columns) for columns in self._columns)
        if not left or not right:
            return np.zeros((len(left), len(right)))
        alike: NDArray[np.float64] = cdist(left, right, scorer=OSA.normalized_similarity, score_cutoff=_COGNATE).astype(float)
        return alike


def _places_of(titles: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, title in enumerate(titles):
        if title:
            found[title].append(place)
    return found


def _mean_of_best(
    titles: Sequence[NDArray[np.int_]], others: Sequence[NDArray[np.int_]], words: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each of ``titles`` and of ``others``, the mean over the words of the other of its best counterpart in the title."""
    best = np.array([words[title].max(axis=0) if len(title) else np.zeros(words.shape[1]) for title in titles])
    found = np.zeros((len(titles), len(others)))
    for column, other in enumerate(others):
        if len(other) and len(titles):
            found[:, column] = best[:, other].mean(axis=1)
    return found


def plain_title(entry: Entry) -> str:
    """The title of ``entry`` without the number that it begins with; a title that is but a number stays."""
    number = (entry.number or "").rstrip(".")
    rest = entry.title.removeprefix(number).lstrip(" .:)–-\t") if number else ""
    return rest or entry.title


def train_word_translations(pairs: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> dict[tuple[str, str], float]:
    """How likely a word of the first of each pair stands for one of the second, by expectation and maximisation."""
    chance: dict[tuple[str, str], float] = {(a, b): 1.0 for one, other in pairs for a in one for b in other}
    for _ in range(_ROUNDS):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for one, other in pairs:
            for b in other:
                whole = sum(chance[a, b] for a in one)
                for a in one:
                    counts[a, b] += chance[a, b] / whole
                    totals[a] += chance[a, b] / whole
        chance = {(a, b): count / totals[a] for (a, b), count in counts.items()}
    return chance
