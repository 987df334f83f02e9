"""Finds the rulings and the texts of cards that a question is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.cards.model import Card
from glossary.normalization import fold, tokenize
from index.analysis import Analyzer
from index.cards.card_store import CardStore
from index.cards.model import CardNamed
from index.cards.printed_cards import PrintedCards
from index.encoding.encoder import Encoder
from index.layers.model import Layer
from index.layers.rules_texts import RulesTexts
from index.layers.ruling_closeness import RulingCloseness
from index.layers.ruling_probability import LEAST, RulingMatch, RulingSignals
from index.layers.ruling_store import RulingStore
from index.layers.ruling_texts import RulingTexts
from index.questions.look_up import asks_nothing_else, framed_names
from index.questions.prepared import PreparedQuestion
from index.questions.question_parser import QuestionParser

_LONGEST_NAME = 8  # words of a card that is not loaded, known from a ruling alone
_UNSURE = 0.5  # certainty that such a name of one word in small letters is one
_LEAST_NAMED = 0.3  # certainty from which on a card may be named
_NAMED = 0.6  # from which on its text is shown
OWN_WORDS = 0.5  # up to which the words of its name may be meant otherwise
_MOST_MEANT = 3  # cards that a name may mean; of one that more share, none is shown
_FITTING = 0.8  # share of the question's words that the text of a card must have where the question names none
_LEAST_WORDS = 4  # of a question that is compared with texts of cards
_SURELY_OF_GAME = (
    0.7  # certainty from which on a name tells the game, whatever else the question is like
)
_SURE = 0.95  # certainty from which on what names a card is no part of the name of another


class MatchedCard(NamedTuple):
    """A card that a question names, or whose words fit it, and how sure that is, from 0 to 1;
    ``named`` tells which of the two.
    """

    card: Card
    certainty: float
    named: bool


class LayerMatches(NamedTuple):
    """The rulings and the cards that a question may be about; ``only_cards`` says that it has
    hardly a word beside the names of cards.
    """

    rulings: tuple[RulingMatch, ...]
    cards: tuple[MatchedCard, ...]
    only_cards: bool


class LayerSearch:
    """Searches the ``rulings`` and ``cards`` of an index by their texts, with what questions are
    read by.
    """

    def __init__(
        self,
        rulings: RulingStore,
        cards: CardStore,
        ruling_texts: RulingTexts | None,
        rules_texts: RulesTexts | None,
        analyzer: Analyzer,
        encoder: Encoder,
        parser: QuestionParser,
        printed: PrintedCards,
    ):
        self.rulings, self.cards, self._printed = rulings, cards, printed
        self._ruling_texts, self._rules_texts = ruling_texts, rules_texts
        self._analyzer, self._encoder, self._parser = analyzer, encoder, parser
        self._closeness = (
            RulingCloseness(ruling_texts, cards, analyzer, parser.likely) if ruling_texts else None
        )

    @property
    def loaded(self) -> tuple[Layer, ...]:
        """The layers that there is anything in beside the rulebooks."""
        return (
            *((Layer.RULINGS,) if len(self.rulings) else ()),
            *((Layer.CARDS,) if len(self.cards) else ()),
        )

    def search(
        self,
        prepared: PreparedQuestion,
        games: Sequence[str],
        layers: Collection[Layer],
        kind: float,
    ) -> LayerMatches:
        """What the question may be about in ``games``, by ``layers``.

        ``kind`` is the logit that it is one which rules settle at all.
        """
        reading = self._read(prepared, games, kind)
        rulings = self._match_rulings(reading, games) if Layer.RULINGS in layers else ()
        sure = any(each.certainty > OWN_WORDS for each in reading.named)
        only = bool(reading.named) and not self._analyzer.terms(reading.own, prepared.language)
        only = only or (
            sure and asks_nothing_else(reading.own, (prepared.language, *self._parser.likely))
        )
        cards = self._match_cards(reading, games, only) if Layer.CARDS in layers else ()
        return LayerMatches(tuple(rulings), tuple(cards), only)

    def _read(
        self, prepared: PreparedQuestion, games: Sequence[str], kind: float
    ) -> _LayerQuestion:
        """The question with the cards of ``games`` that it may name."""
        question = prepared.parsed.text
        named = self._looked_up(question, games, prepared.language)
        sure = {each.game for each in named}
        others = (
            *self.cards.mentions(question, games, prepared.language),
            *self._named_in_rulings(question, games),
        )
        named += [
            each for each in others if each.certainty >= _LEAST_NAMED and each.game not in sure
        ]
        known = {(each.game, id) for each in named for id in each.cards}
        named += [
            each
            for each in self._printed.named(prepared.parsed, games)
            if not any((each.game, id) in known for id in each.cards)
        ]
        own = blanked(
            question, ((each.start, each.end) for each in named if each.certainty > OWN_WORDS)
        )
        return _LayerQuestion(
            prepared, named, own, kind, self._analyzer, self._encoder, self._parser
        )

    def _looked_up(self, question: str, games: Sequence[str], language: str) -> list[CardNamed]:
        """The cards with exactly the name that a question looks up; such a name is that of a card,
        however ordinary its words are.
        """
        for framed in framed_names(question, (language, *self._parser.likely)):
            found = [
                (game, tuple(card.id for card in self.cards.called(game, framed.name)))
                for game in games
            ]
            start = question.find(framed.name)
            if any(ids for _, ids in found):
                return [
                    CardNamed(start, start + len(framed.name), ids, 1.0, game)
                    for game, ids in found
                    if ids
                ]
        return []

    def _named_in_rulings(self, question: str, games: Sequence[str]) -> list[CardNamed]:
        """The cards that a question names of those which only rulings tell of: their database is
        not loaded.
        """
        found: list[CardNamed] = []
        missing = [
            game for game in games if game not in self.cards.games and self.rulings.of_game(game)
        ]
        tokens = tokenize(question) if missing else []
        words = [fold(token.text) for token in tokens]
        for game in missing:
            for first in range(len(tokens)):
                for last in range(min(first + _LONGEST_NAME, len(tokens)), first, -1):
                    name = " ".join(words[first:last])
                    if self.rulings.numbers_of_card(game, name):
                        sure = last - first > 1 or tokens[first].text[0].isupper()
                        found.append(
                            CardNamed(
                                tokens[first].start,
                                tokens[last - 1].end,
                                (name,),
                                1.0 if sure else _UNSURE,
                                game,
                            )
                        )
                        break
        return found

    def ruling_signals(
        self, prepared: PreparedQuestion, game: str, games: Sequence[str], kind: float
    ) -> RulingSignals | None:
        """How well each ruling on ``game`` fits a question about ``games``; the rest as in
        `search`. None where there are no rulings.
        """
        return (
            self._signals(self._ruling_texts, self._read(prepared, games, kind), game)
            if self._ruling_texts
            else None
        )

    def _match_rulings(
        self, reading: _LayerQuestion, games: Sequence[str]
    ) -> Iterator[RulingMatch]:
        """The rulings on ``games`` that may answer."""
        for game in games:
            rulings, first = self.rulings.of_game(game), self.rulings.first_of(game)
            if self._ruling_texts is not None and self._closeness is not None and len(rulings):
                signals = self._signals(self._ruling_texts, reading, game)
                probabilities = signals.probabilities
                close = ~signals.about_cards | self._closeness.named(
                    game, reading.prepared, signals, rulings, first
                )
                sure = (
                    close
                    & signals.about_cards
                    & ~((signals.card > 0) & (signals.card < _SURELY_OF_GAME))
                )
                for number, likeness in self._closeness.same_question(
                    reading.prepared, reading.vector, signals, rulings, first
                ).items():
                    probabilities[number], close[number], sure[number] = (
                        max(probabilities[number], likeness),
                        True,
                        True,
                    )
                for number in np.flatnonzero(probabilities >= LEAST).tolist():
                    yield RulingMatch(
                        game,
                        number,
                        float(probabilities[number]),
                        bool(close[number]),
                        bool(sure[number]),
                    )

    def _signals(self, texts: RulingTexts, reading: _LayerQuestion, game: str) -> RulingSignals:
        first, count = self.rulings.first_of(game), len(self.rulings.of_game(game))
        card, text, strange = np.zeros(count), np.zeros(count), np.zeros(count)
        # Words that name cards of other games too are taken for those, unless nothing else is
        # named.
        of_game = [each for each in reading.named if each.game == game]
        for each in of_game or reading.named:
            about = sorted(
                {
                    number
                    for id in each.cards
                    for number in self.rulings.numbers_of_card(each.game, id)
                }
                if of_game
                else ()
            )
            naming = sorted(
                {
                    number
                    for id in each.cards
                    for number in self.rulings.numbers_naming(each.game, id)
                }
                if of_game
                else ()
            )
            naming = [number for number in naming if number not in about]
            others = np.ones(count, dtype=np.bool_)
            others[[*about, *naming]] = False
            strange[others] += each.certainty
            text[naming] = np.maximum(text[naming], each.certainty)
            card[about] = np.maximum(card[about], each.certainty)
        return RulingSignals(
            card=card,
            name=texts.names.shares(game, reading.words_outside_names(), first, count),
            text=text,
            strange=strange,
            about_cards=self.rulings.about_cards(game),
            untouched=texts.terms.untouched(game, reading.concepts(game), first, count),
            nearness=texts.vectors.nearness(reading.vector, first, count),
            words=reading.word_count,
            kind=reading.kind,
        )

    def _match_cards(
        self, reading: _LayerQuestion, games: Sequence[str], only: bool
    ) -> Iterable[MatchedCard]:
        """The cards that the question names; where it names none, those whose words fit it
        strongly.

        Of many cards with one name some are found only where it asks for the ``only`` thing that it
        names.
        """
        found: dict[tuple[str, str], MatchedCard] = {}
        for each in (each for each in reading.named if each.certainty >= _NAMED):
            for id in each.cards[:_MOST_MEANT] if only or len(each.cards) <= _MOST_MEANT else ():
                card = self.cards.get(each.game, id)
                if card is not None and each.certainty > found.get((each.game, id), (card, 0.0))[1]:
                    found[each.game, id] = MatchedCard(card, each.certainty, named=True)
        return found.values() or self._fitting_cards(reading, games)

    def _fitting_cards(
        self, reading: _LayerQuestion, games: Sequence[str]
    ) -> Iterator[MatchedCard]:
        language = reading.prepared.language
        if (
            self._rules_texts is None
            or len(self._analyzer.terms(reading.own, language)) < _LEAST_WORDS
        ):
            return
        for game in games:
            cards = self.cards.of_game(game)
            shares = self._rules_texts.shares(
                game, language, partial(reading.terms, game), len(cards)
            )
            for number in np.flatnonzero(shares >= _FITTING).tolist():
                yield MatchedCard(cards[number], float(shares[number]), named=False)


class _LayerQuestion:
    """A question as it is compared with texts: the cards ``named``, and its ``own`` words, without
    their names.
    """

    def __init__(
        self,
        prepared: PreparedQuestion,
        named: Sequence[CardNamed],
        own: str,
        kind: float,
        analyzer: Analyzer,
        encoder: Encoder,
        parser: QuestionParser,
    ):
        self.prepared, self.named, self.own, self.kind = prepared, named, own, kind
        self._analyzer, self._encoder, self._parser = analyzer, encoder, parser

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        """The vector of its own words."""
        return np.asarray(self._encoder.questions([self.own or "?"])[0])

    @property
    def word_count(self) -> int:
        """How many of its own words tell something."""
        return len(self._analyzer.terms(self.own, self.prepared.language))

    def terms(self, game: str, language: str) -> list[str]:
        """The index terms to look for in texts of ``game`` in ``language``: its own, and official
        names of what it calls otherwise.
        """
        mentions = self.prepared.parsed.mentions.get(game, ())
        names = (
            self._parser.recognisers[game].expansion(mentions, language)
            if game in self._parser.recognisers
            else ()
        )
        return list(
            dict.fromkeys(
                term for text in (self.own, *names) for term in self._analyzer.terms(text, language)
            )
        )

    def words_outside_names(self) -> set[str]:
        """The index terms, by the rules of each language that questions are in, of all words that
        do not surely name a card.
        """
        outside = blanked(
            self.prepared.parsed.text,
            ((each.start, each.end) for each in self.named if each.certainty >= _SURE),
        )
        return {
            term
            for language in self._parser.likely
            for term in self._analyzer.terms(outside, language)
        }

    def concepts(self, game: str) -> dict[str, float]:
        """The concepts of ``game`` that it names beside the names of cards, each with its
        certainty.
        """
        found: dict[str, float] = {}
        for mention in self.prepared.parsed.mentions.get(game, ()):
            if self.own[mention.start : mention.end].strip():
                found[mention.concept] = max(mention.certainty, found.get(mention.concept, 0.0))
        return found


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """``text`` with blanks in the place of ``spans``."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
