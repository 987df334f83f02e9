"""Estimate how well rulings match a question: the probability that a ruling answers, whether the
question is about a card of the ruling, and whether it is the very question that was ruled on.

A ruling on a single card holds for that card only, however similar another question is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from corpus.rulings.model import Ruling
from glossary.normalization import fold, tokenize
from index.analysis import Analyzer, plain
from index.cards.card_store import CardStore
from index.layers.ruling_store import RulingStore
from index.layers.texts import RulingTexts
from index.questions.prepared import PreparedQuestion

# A logistic regression; the weights are learned by `python -m tests.bench.rulings`.
# about: certainty that the question names a card of the ruling, or the share of the name that it
# has; card: that certainty alone; cardless: the ruling is about no card; text: certainty that the
# question names another card mentioned by the ruling; other: that it names a card that the ruling
# does not mention, and not the ruling's card; untouched: weight of terms in the question that the
# ruling lacks; length: of the question without names of cards; nearness: in meaning, compared with
# other rulings; kind: any rule settles such a question, unlike one on prices.
_WEIGHTS: Mapping[str, float] = {
    "about": 1.37,
    "card": 0.83,
    "cardless": 0.41,
    "text": 1.73,
    "other": -1.06,
    "untouched": -1.34,
    "length": 1.82,
    "nearness": 2.44,
    "kind": 0.32,
}
FEATURES = tuple(_WEIGHTS)
_CONSTANT = -3.75
LEAST = 0.3  # probability from which a ruling is shown
_CLEAR = 4.0  # logit from which the kind of a question is certain
_MOST_UNTOUCHED = 6.0  # greatest weight of terms that makes a difference
_MOST_WORDS = 12  # greatest length that makes a difference: longer questions have a story
_SPREAD = 3.0  # standard deviations that count as much as 1 in other features

_NAMED = 0.4  # certainty from which a question names a card
_SPOKEN_OF = 0.7  # certainty from which it names another card that a ruling mentions
_SURE = 0.75  # least probability of a ruling with such a card
_LIKELY = 0.4  # least probability of a ruling with an ordinary word
_PART = 0.25  # share of a name from which a proper name in it identifies the card
_PARTS = 0.45  # share from which several words of the name do
_WHOLE = 0.99  # share from which a name that is an ordinary word does
_WORD = 0.1  # least share of the name of each of several words
_SHORTEST_NAME = 4  # letters of a proper name
_SHORTEST_WORD = 5  # letters of an ordinary word that is a name
_COMPARED = 0.5  # cosine from which the words of a question and a ruling are compared
_MOST_COMPARED = 8
_SAME_WORDS = 0.82  # likeness of the letters, words sorted, of the same question
_SAME_MEANING = 0.8  # cosine of the same question in other words
_QUESTION = re.compile(r"(?<![^.?!\n])[^.?!\n]*+\?")


class RulingMatch(NamedTuple):
    """Ruling ``number`` of a ``game``, and the ``probability`` that it answers a question.

    ``close``: the ruling is about no card, about a card that the question names, or on the same
    question. ``sure``: one of the last two is certain.
    """

    game: str
    number: int
    probability: float
    close: bool
    sure: bool


@dataclass(frozen=True)
class RulingSignals:
    """The values from which the features of the rulings of a game are computed: arrays of one value
    for each ruling, except ``words`` and ``kind``.

    Attributes:
        card: The certainty that the question names a card that the ruling is about.
        name: The share of the card's name that the question has.
        text: The certainty that the question names another card that the ruling mentions.
        strange: The sum of the certainties of the places that name any other card.
        about_cards: Whether the ruling is about cards.
        untouched, nearness: As in `RulingTexts`.
        words: The number of index terms of the question without names of cards.
        kind: The logit that any rule settles such a question.
    """

    card: NDArray[np.float64]
    name: NDArray[np.float64]
    text: NDArray[np.float64]
    strange: NDArray[np.float64]
    about_cards: NDArray[np.bool_]
    untouched: NDArray[np.float64]
    nearness: NDArray[np.float64]
    words: int
    kind: float

    @property
    def features(self) -> NDArray[np.float64]:
        """The features, shape (number of rulings, len(FEATURES))."""
        same = np.ones(len(self.card))
        found = {
            "about": np.maximum(self.card, self.name),
            "card": self.card,
            "cardless": (~self.about_cards).astype(np.float64),
            "text": self.text,
            "other": np.minimum(self.strange, 1.0) * (1 - self.card) * self.about_cards,
            "untouched": np.minimum(self.untouched / _MOST_UNTOUCHED, 1.0),
            "length": same * np.log1p(min(self.words, _MOST_WORDS)) / 3,
            "nearness": self.nearness / _SPREAD,
            "kind": same * max(-1.0, min(1.0, self.kind / _CLEAR)),
        }
        return np.stack([found[name] for name in FEATURES], axis=1)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability that each ruling answers the question, shape (number of rulings,)."""
        logits = _CONSTANT + self.features @ list(_WEIGHTS.values())
        return np.asarray(1 / (1 + np.exp(-logits)))


class RulingCloseness:
    """Compares questions with ``rulings`` by names of ``cards`` and by wording."""

    def __init__(
        self,
        rulings: RulingStore,
        texts: RulingTexts,
        cards: CardStore,
        analyzer: Analyzer,
        likely: Sequence[str],
    ):
        self._rulings, self._texts, self._cards = rulings, texts, cards
        self._analyzer, self._likely = analyzer, likely

    def named(
        self, game: str, prepared: PreparedQuestion, signals: RulingSignals
    ) -> NDArray[np.bool_]:
        """Return for each ruling on ``game`` whether the question names a card that the ruling is
        about, or another card that it mentions.

        Part of a name suffices if it is a word of no language, or several words. A name that is an
        ordinary word needs a capital and must not be a term.
        """
        probabilities = signals.probabilities
        found = (signals.card >= _NAMED) | ((signals.text >= _SPOKEN_OF) & (probabilities >= _SURE))
        if not np.any(~found & (signals.name >= _PART) & (probabilities >= LEAST)):
            return found
        numbers = self._rulings.numbers(game)
        shares, several = np.zeros(len(found)), np.zeros(len(found))
        tables = self._analyzer.tables
        for word in {token.text.lower() for token in tokenize(prepared.parsed.text)}:
            share = self._texts.shares(game, self._terms([word]), numbers)
            several += share > _WORD
            known = (
                tables[language].knows(word) or fold(word) in tables[language].folded_stop_words
                for language in self._likely
            )
            if share.any() and len(word) >= _SHORTEST_NAME and not any(known):
                shares = np.maximum(shares, share)
        found |= (shares >= _PART) | ((several > 1) & (signals.name >= _PARTS))
        whole = ~found & (signals.name >= _WHOLE) & (probabilities >= _LIKELY)
        rulings = self._rulings.of_game(game)
        for number in np.flatnonzero(whole).tolist():
            found[number] = self._is_called(rulings[number], prepared)
        return found

    def _terms(self, texts: Sequence[str]) -> set[str]:
        return {
            term
            for text in texts
            for language in self._likely
            for term in self._analyzer.terms(text, language)
        }

    def _is_called(self, ruling: Ruling, prepared: PreparedQuestion) -> bool:
        """Return whether the question has the whole name of a card of ``ruling``, with a capital
        and outside terms of the game.
        """
        text = prepared.parsed.text
        terms = prepared.parsed.mentions.get(ruling.game, ())
        return any(
            text[place.start()].isupper()
            and not any(each.start < place.end() and each.end > place.start() for each in terms)
            for name in self._names(ruling)
            if len(name) >= _SHORTEST_WORD
            for place in _whole_name(name).finditer(text)
        )

    def _names(self, ruling: Ruling) -> Iterator[str]:
        """Yield the names of the cards of ``ruling``, in every language; of a card that is not
        loaded, the name in the ruling.
        """
        for name in ruling.cards:
            called = self._cards.get(ruling.game, name)
            card = called or next(iter(self._cards.called(ruling.game, name)), None)
            if card:
                yield from {name for face in card.faces for name in face.names.values()}
            else:
                yield from (name, name.partition(" - ")[0])

    def same_question(
        self,
        game: str,
        prepared: PreparedQuestion,
        vector: NDArray[np.float32],
        signals: RulingSignals,
    ) -> dict[int, float]:
        """Return the rulings on the same question, perhaps in other words: their positions among
        the rulings on ``game``, each with the similarity of the two questions, from 0 to 1.

        If a ruling's question names its card, the other question has to name the card too.
        ``vector`` is the vector of the question without names of cards.
        """
        numbers, rulings = self._rulings.numbers(game), self._rulings.of_game(game)
        asked, whole = self._texts.cosines(vector, numbers).T
        nearest = np.argsort(-np.maximum(asked, whole), kind="stable")[:_MOST_COMPARED].tolist()
        texts = {plain(prepared.parsed.text), plain(" ".join(prepared.parsed.asking_sentences))}
        names = np.maximum(signals.card, signals.name)
        found: dict[int, float] = {}
        for place in nearest:
            if max(asked[place], whole[place]) < _COMPARED:
                break
            ruling = rulings[place]
            ruled = [ruling.asked.text] if ruling.asked else _QUESTION.findall(ruling.answered.text)
            pairs = ((text, plain(each)) for text in texts - {""} for each in ruled)
            likeness = max((fuzz.token_sort_ratio(*pair) / 100 for pair in pairs), default=0.0)
            if likeness < _SAME_WORDS:
                same = ruling.asked and asked[place] >= _SAME_MEANING
                likeness = float(asked[place]) if same else 0.0
            if likeness and names[place] < _PARTS:
                own = range(numbers[place], numbers[place] + 1)
                if self._texts.shares(game, self._terms(ruled), own)[0] >= _PARTS:
                    continue
            if likeness:
                found[place] = likeness
        return found


def _whole_name(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
