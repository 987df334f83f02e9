"""Tells which rulings a question is close to: those on a card that it names, and those that were
made on the very question.

A ruling on a single card says what holds of that card. However near it is to a question in meaning,
it answers none that is not about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from corpus.rulings.model import Ruling
from glossary.normalization import fold, tokenize
from index.analysis import Analyzer, plain
from index.cards.card_store import CardStore
from index.layers.ruling_probability import LEAST, RulingSignals
from index.layers.ruling_texts import RulingTexts
from index.questions.prepared import PreparedQuestion

_NAMED = 0.4  # certainty from which on a question names a card
_PART = 0.25  # share of a name from which on a proper name in it names the card
_PARTS = 0.45  # the same of several words of it
_WHOLE = 0.99  # the same of a name that is an ordinary word
_SHORTEST_WORD = 5  # letters of such a word
_WORD = 0.1  # share of a name that each of them is at least
_SPOKEN_OF = 0.7  # certainty from which on it names another card that a ruling speaks of
_LIKELY = 0.4  # probability from which on that counts
_SHORTEST_NAME = 4  # letters of such a name
_COMPARED = 0.5  # cosine from which on the words of a question and those of a ruling are compared
_MOST_COMPARED = 8
_SAME_WORDS = (
    0.82  # likeness of the letters, words sorted, from which on they are the same question
)
_SAME_MEANING = 0.8  # cosine from which on they are
_QUESTION = re.compile(r"(?<![^.?!\n])[^.?!\n]*+\?")


class RulingCloseness:
    """Compares questions with the rulings that ``texts`` are of, by the names of ``cards`` and the
    words of ``analyzer``.
    """

    def __init__(
        self, texts: RulingTexts, cards: CardStore, analyzer: Analyzer, likely: Sequence[str]
    ):
        self._texts, self._cards, self._analyzer, self._likely = texts, cards, analyzer, likely

    def named(
        self,
        game: str,
        prepared: PreparedQuestion,
        signals: RulingSignals,
        rulings: Sequence[Ruling],
        first: int,
    ) -> NDArray[np.bool_]:
        """Whether the question names a card of each of the ``rulings`` on ``game``, or another one
        that its text speaks of.

        It may be named by a part of its name, a word that is in no language or several words, or by
        an ordinary word with a capital letter that is no term of the game. ``first`` is the number
        of the first of these rulings.
        """
        question = prepared.parsed.text
        found = (signals.card >= _NAMED) | (
            (signals.text >= _SPOKEN_OF) & (signals.probabilities >= _LIKELY)
        )
        if not np.any(~found & (signals.name >= _PART) & (signals.probabilities >= LEAST)):
            return found
        shares, several = np.zeros(len(found)), np.zeros(len(found))
        tables = self._analyzer.tables
        for word in {token.text.lower() for token in tokenize(question)}:
            terms = {
                term for language in self._likely for term in self._analyzer.terms(word, language)
            }
            share = self._texts.names.shares(game, terms, first, len(found))
            several += share > _WORD
            known = (
                tables[language].knows(word) or fold(word) in tables[language].folded_stop_words
                for language in self._likely
            )
            if share.any() and len(word) >= _SHORTEST_NAME and not any(known):
                shares = np.maximum(shares, share)
        found |= (shares >= _PART) | ((several > 1) & (signals.name >= _PARTS))
        for number in np.flatnonzero(
            ~found & (signals.name >= _WHOLE) & (signals.probabilities >= _LIKELY)
        ).tolist():
            found[number] = self._is_called(rulings[number], prepared)
        return found

    def _is_called(self, ruling: Ruling, prepared: PreparedQuestion) -> bool:
        """Whether the question has the whole name of a card of ``ruling``, with a capital letter
        and not as a term of the game.
        """
        text = prepared.parsed.text
        terms = prepared.parsed.mentions.get(ruling.game, ())
        for name in self._names(ruling):
            for place in _whole_name(name).finditer(text):
                start, end = place.span()
                if (
                    len(name) >= _SHORTEST_WORD
                    and text[start].isupper()
                    and not any(each.start < end and each.end > start for each in terms)
                ):
                    return True
        return False

    def _names(self, ruling: Ruling) -> Iterator[str]:
        """The names of the cards that ``ruling`` is about, in every language, or as it has them
        where they are not loaded.
        """
        for name in ruling.cards:
            card = self._cards.get(ruling.game, name) or next(
                iter(self._cards.called(ruling.game, name)), None
            )
            yield from (
                {name for face in card.faces for name in face.names.values()}
                if card
                else (name, name.partition(" - ")[0])
            )

    def same_question(
        self,
        prepared: PreparedQuestion,
        vector: NDArray[np.float32],
        signals: RulingSignals,
        rulings: Sequence[Ruling],
        first: int,
    ) -> dict[int, float]:
        """The numbers, in ``rulings``, of those on the very question, in the same or other words,
        each with the likeness of the two.

        A ruling whose own question names its card is on no question that does not. ``vector`` is
        that of the question without the names of cards, ``first`` as in `named`. The likeness is
        from 0 to 1.
        """
        asked, whole = self._texts.vectors.cosines(vector, first, len(rulings)).T
        nearest = np.argsort(-np.maximum(asked, whole), kind="stable")[:_MOST_COMPARED].tolist()
        texts = {plain(prepared.parsed.text), plain(" ".join(prepared.parsed.asking_sentences))} - {
            ""
        }
        names = np.maximum(signals.card, signals.name)
        found: dict[int, float] = {}
        for number in nearest:
            if max(asked[number], whole[number]) < _COMPARED:
                break
            ruling = rulings[number]
            ruled = [ruling.asked.text] if ruling.asked else _QUESTION.findall(ruling.answered.text)
            alike = max(
                (
                    fuzz.token_sort_ratio(text, plain(each)) / 100
                    for text in texts
                    for each in ruled
                ),
                default=0.0,
            )
            likeness = (
                alike
                if alike >= _SAME_WORDS
                else float(asked[number])
                if ruling.asked and asked[number] >= _SAME_MEANING
                else 0.0
            )
            if likeness and (
                names[number] >= _PARTS or not self._names_its_card(ruling, ruled, first + number)
            ):
                found[number] = likeness
        return found

    def _names_its_card(self, ruling: Ruling, texts: Sequence[str], number: int) -> bool:
        """Whether ``texts``, parts of ``ruling``, have the name of a card that it is about;
        ``number`` is its number among all.
        """
        terms = {
            term
            for text in texts
            for language in self._likely
            for term in self._analyzer.terms(text, language)
        }
        return float(self._texts.names.shares(ruling.game, terms, number, 1)[0]) >= _PARTS


def _whole_name(name: str) -> re.Pattern[str]:
    """What finds ``name``, in whatever capitals."""
    return re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
