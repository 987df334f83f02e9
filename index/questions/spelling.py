"""Correct typos in questions: unknown words that are one typo from a word of the rulebooks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from corpus.languages import get_language
from glossary.normalization import SpellingCorrector, fold, fold_umlauts
from glossary.word_tables import WordTables
from index.library.indexed_texts import IndexedText
from index.questions.asking_sentences import quoted_spans

# Least letters of a word that is corrected; shorter words are too often other words
_SHORTEST = 6
_MOST = 20_000  # most words of a language
# How often a word that no table has must occur in rulebooks, or in query variants
_PRINTED = 2
_TYPED = 5
_ENOUGH = 500  # least different words of the query variants in a language
_WORD = re.compile(rf"[^\W\d_]{{{_SHORTEST},60}}+(?![\w’'])")


def spelled_words(texts: Iterable[IndexedText], tables: WordTables) -> dict[str, list[str]]:
    """Return the words that typos are corrected to, by language, sorted: the most frequent words of
    rulebooks and query variants.

    A word that the tables of its language lack must occur several times, since variants contain
    typos too. A language with few variants gets no words: its tables alone lack too many.
    """
    printed: dict[str, Counter[str]] = defaultdict(Counter)
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        printed[text.language].update(_WORD.findall(text.text))
        for variant in text.phrasings:
            asked[variant.language].update(_WORD.findall(variant.text))
    return {
        language: sorted(
            word
            for word, _ in (printed[language] + typed).most_common(_MOST)
            if tables[language].knows(word)
            or printed[language][word] >= _PRINTED
            or typed[word] >= _TYPED
        )
        for language, typed in sorted(asked.items())
        if len(typed) >= _ENOUGH
    }


class QuestionSpelling:
    """Corrects typos in questions.

    ``words`` are those of `spelled_words`, ``languages`` the likely languages of a question.
    """

    def __init__(
        self, words: Mapping[str, Sequence[str]], tables: WordTables, languages: Sequence[str]
    ):
        self.words, self._tables, self._languages = words, tables, languages
        self._correctors: dict[str, SpellingCorrector] = {}  # made when a word needs one

    @cached_property
    def _folded(self) -> dict[str, dict[str, str]]:
        """The words of each language by their form without umlauts."""
        return {
            language: {fold_umlauts(word): word for word in words}
            for language, words in self.words.items()
        }

    def corrected(self, text: str, language: str, name: str = "") -> str:
        """Return ``text``, in ``language``, with its typos corrected.

        Known and quoted words stay, as do capitalised words inside the text, which are names,
        unless ``language`` capitalises nouns. In ``name``, a word that is looked up, only missing
        umlauts are corrected.
        """
        if language not in self.words:
            return text
        spans, quoted = quoted_spans(text)
        has_capitals = get_language(language).capitalised_nouns

        def correct(found: re.Match[str]) -> str:
            word, at = found[0], found.start()
            named = not has_capitals and word[0].isupper() and at > 0
            if any(start <= at < end for start, end in spans) or any(word in q for q in quoted):
                return word
            if named or self._is_known(word):
                return word
            meant = self._folded[language].get(fold_umlauts(word))
            if meant is None and word != name:
                meant = self._corrector(language).nearest(word, most=1)
            if meant is None:
                return word
            return meant[0].upper() + meant[1:] if word[0].isupper() else meant

        return _WORD.sub(correct, text)

    def _corrector(self, language: str) -> SpellingCorrector:
        if language not in self._correctors:
            self._correctors[language] = SpellingCorrector(self.words[language])
        return self._correctors[language]

    def _is_known(self, word: str) -> bool:
        if self._tables.is_known(word, self._languages):
            return True
        folded = fold(word)
        meant = (words.get(fold_umlauts(word)) for words in self._folded.values())
        return any(each and fold(each) == folded for each in meant)
