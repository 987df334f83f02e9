"""Tells which cards a question names: an ordinary word, or a term of the game, is a card only where
it is written as a name.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from corpus.languages import FALLBACK, LANGUAGES, words_of
from glossary.card_names import begins_sentence, follows_card_type, is_quoted, scan
from glossary.normalization import Token, fold, fold_umlauts, tokenize
from glossary.word_tables import WordTables
from index.analysis import folded
from index.cards.card_names import CardMentionTables

_LIKELY = LANGUAGES[: LANGUAGES.index(FALLBACK) + 1]
_SMALL = words_of("function_words.in_card_names")
_CACHED_WORDS = 4_000  # words whose spelling is cached
_LONG = 3  # words of a name that is no accident, ordinary as they may be
_LONG_WORD = 5  # letters of a word that is taken for a name in small letters
# Words with so many letters that a part of a name in small letters has at least.
_PARTS, _LETTERS = 2, 4
_LONG_SLIP = 6  # letters of a word that is taken for a misspelt name: not "Magic" for "Magik"
_SLIP = 0.15
_ALONE = 0.7  # certainty of a name that nothing else is asked with


class NamedCards(NamedTuple):
    """A place in a question that names cards, by their numbers; ``certainty`` is from 0 to 1."""

    start: int
    end: int
    cards: tuple[int, ...]
    certainty: float


class MentionFinder:
    """Finds the cards named in questions, of those whose names are in ``names``.

    ``terms`` are the names of a game's concepts, folded: like words of the question's language,
    they name a card only in quotation marks, after the type of a card, or with capitals where
    nothing else asks for them. A word of the language that is all of a question names a card too.
    """

    def __init__(self, names: CardMentionTables, tables: WordTables, terms: Collection[str] = ()):
        self._names, self._tables, self._terms = names, tables, terms
        # A function that does not refer to this object, so that no cycle keeps it.
        self._spelling = lru_cache(maxsize=_CACHED_WORDS)(partial(_spelling, names, tables))

    def find(
        self, question: str, cards: Container[int], language: str | None = None
    ) -> list[NamedCards]:
        """Return the places in ``question`` that name any of ``cards``, in order; ``language`` is
        told by its words if None.
        """
        tokens = tokenize(question)
        spoken = language or self._tables.language_of(question, folded(question)) or FALLBACK
        meant = [self._spelling(token.text, spoken) for token in tokens]

        def judge(first: int, last: int) -> list[NamedCards]:
            known, whole = self._names.cards([word for word, _ in meant[first:last]])
            named = tuple(card for card in known if card in cards)
            if not named:
                return []
            certainty = self._certainty(
                question, tokens[first:last], meant[first:last], whole, spoken
            )
            if whole and not certainty and last - first == len(tokens) and not self._is_term(meant):
                certainty = _ALONE
            place = tokens[first].start, tokens[last - 1].end
            return [NamedCards(*place, named, round(certainty, 2))] if certainty else []

        return sorted(scan([self._names.longest(word) for word, _ in meant], judge))

    def _certainty(
        self,
        question: str,
        tokens: Sequence[Token],
        meant: Sequence[tuple[str, bool]],
        whole: bool,
        language: str,
    ) -> float:
        """Return how sure it is that ``tokens``, read as ``meant``, are a name and no plain words;
        0 where they are none.
        """
        start, end = tokens[0].start, tokens[-1].end
        word = tokens[0].text
        slip = _SLIP * any(misspelt for _, misspelt in meant)
        if slip and len(tokens) == 1 and len(word) < _LONG_SLIP:
            return 0.0
        ordinary = [self._is_ordinary(token.text, language) for token in tokens]
        typed = len(tokens) == 1 and follows_card_type(question, start)
        if is_quoted(question, start, end) or (
            typed and (whole or not ordinary[0] or word[0].isupper())
        ):
            return (1.0 if whole else 0.8) - slip
        term = self._is_term(meant)
        shouted = question.isupper()
        if len(tokens) > 1:
            raised = not shouted and any(
                token.text[0].isupper() and not self._is_noun(token.text, language)
                for token in tokens[1:]
            )
            everywhere = all(
                any(self._is_ordinary(token.text, each) for each in _LIKELY) for token in tokens
            )
            # "doesn't", "ich hab"
            few = sum(len(token.text) >= _LETTERS for token in tokens) < _PARTS
            if term or all(ordinary) or ((everywhere or few) and not whole and not raised):
                if not whole or term:
                    return 0.0
                return (0.7 if raised or len(tokens) >= _LONG else 0.4) - slip
            return (1.0 if whole else 0.8) - slip
        raised = word[0].isupper() and not shouted
        if term or ordinary[0]:
            named = whole and raised and not slip and not term
            if named and not begins_sentence(question, start) and not self._is_noun(word, language):
                return 0.5
            return 0.0
        if raised:
            return (1.0 if whole else 0.6) - slip
        return 0.8 - slip if whole and len(word) >= _LONG_WORD else 0.0

    def _is_term(self, meant: Sequence[tuple[str, bool]]) -> bool:
        return " ".join(word for word, _ in meant) in self._terms

    def _is_ordinary(self, word: str, language: str) -> bool:
        tables = self._tables[language]
        return (
            word.isdigit()
            or fold_umlauts(word) in _SMALL
            or fold(word) in tables.folded_stop_words
            or tables.knows(word)
        )

    def _is_noun(self, word: str, language: str) -> bool:
        """Return whether the language writes ``word`` with a capital letter anyway."""
        tables = self._tables[language]
        return tables.has(word.capitalize()) and not tables.has(word.lower())


def _spelling(
    names: CardMentionTables, tables: WordTables, word: str, language: str
) -> tuple[str, bool]:
    """Return the word of names that ``word`` is meant for, else itself, and whether it is misspelt
    for it; a word of the language is not.
    """
    if (known := names.written(word)) is not None:
        return known, False
    plain = fold_umlauts(word)
    meant = None if tables[language].knows(word) else names.nearest(plain)
    return (plain, False) if meant is None else (meant, True)
