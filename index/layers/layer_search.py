"""Finds the rulings and the texts of cards that a question is about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from corpus.cards.model import Card
from glossary.normalization import fold, tokenize
from index.analysis import Analyzer
from index.cards.card_store import CardStore
from index.cards.model import CardNamed
from index.encoding.encoder import Encoder
from index.layers.layer_texts import LayerTexts
from index.layers.model import Layer
from index.layers.ruling_probability import SURE, RulingMatch, best_of_owners, ruling_features
from index.layers.ruling_store import RulingStore
from index.questions.prepared import PreparedQuestion
from index.questions.question_parser import QuestionParser

_LONGEST_NAME = 8  # words of a card that is not loaded, known from a ruling alone
_UNSURE = 0.5  # certainty that such a name of one word in small letters is one
_LEAST_NAMED = 0.5  # certainty from which on a card counts as named
_MOST_MEANT = 3  # cards that a name may mean; of one that more share, none is shown
_FITTING = 0.8  # share of the question's words that the text of a card must have where the question names none
_LEAST_WORDS = 4  # of a question that is compared with texts of cards


class MatchedCard(NamedTuple):
    """A card that a question names, or whose words fit it, and how sure that is, from 0 to 1; ``named`` tells which of the two."""

    card: Card
    certainty: float
    named: bool


class LayerMatches(NamedTuple):
    """The rulings and the cards that a question may be about; ``only_cards`` says that it has hardly a word beside the names of cards."""

    rulings: tuple[RulingMatch, ...]
    cards: tuple[MatchedCard, ...]
    only_cards: bool


class LayerSearch:
    """Searches the ``rulings`` and ``cards`` of an index by their ``texts``, with what questions are read by."""

    def __init__(
        self, rulings: RulingStore, cards: CardStore, texts: LayerTexts | None, analyzer: Analyzer, encoder: Encoder, parser: QuestionParser
    ):
        self.rulings, self.cards = rulings, cards
        self._texts, self._analyzer, self._encoder, self._parser = texts, analyzer, encoder, parser

    @property
    def loaded(self) -> tuple[Layer, ...]:
        """The layers that there is anything in beside the rulebooks."""
        return (*((Layer.RULINGS,) if len(self.rulings) else ()), *((Layer.CARDS,) if len(self.cards) else ()))

    def search(self, prepared: PreparedQuestion, games: Sequence[str], layers: Collection[Layer]) -> LayerMatches:
        """What the question may be about in ``games``, by ``layers``."""
        if self._texts is None:
            return LayerMatches((), (), False)
        question = prepared.parsed.text
        named = [*self.cards.mentions(question, games, prepared.language), *self._named_in_rulings(question, games)]
        named = [each for each in named if each.certainty >= _LEAST_NAMED]
        own = _without(question, named)
        reading = _LayerQuestion(prepared, own, self._analyzer, self._parser)
        rulings = self._match_rulings(reading, games, named) if Layer.RULINGS in layers else []
        cards = self._match_cards(reading, games, named) if Layer.CARDS in layers else []
        only = bool(named) and len(self._analyzer.terms(own, prepared.language)) == 0
        return LayerMatches(tuple(rulings), tuple(cards), only)

    def _named_in_rulings(self, question: str, games: Sequence[str]) -> list[CardNamed]:
        """The cards that a question names of those which only rulings tell of: their database is not loaded."""
        found: list[CardNamed] = []
        missing = [game for game in games if game not in self.cards.games and self.rulings.of_game(game)]
        tokens = tokenize(question) if missing else []
        words = [fold(token.text) for token in tokens]
        for game in missing:
            for first in range(len(tokens)):
                for last in range(min(first + _LONGEST_NAME, len(tokens)), first, -1):
                    name = " ".join(words[first:last])
                    if self.rulings.numbers_of_card(game, name):
                        sure = last - first > 1 or tokens[first].text[0].isupper()
                        found.append(CardNamed(tokens[first].start, tokens[last - 1].end, (name,), 1.0 if sure else _UNSURE, game))
                        break
        return found

    def _match_rulings(self, reading: _LayerQuestion, games: Sequence[str], named: Sequence[CardNamed]) -> list[RulingMatch]:
        """Every ruling about ``games`` with how well it fits."""
        found: list[RulingMatch] = []
        vectors = self._encoder.questions([reading.prepared.parsed.text, reading.own]) if any(map(self.rulings.of_game, games)) else None
        for game in games:
            rulings = self.rulings.of_game(game)
            if not rulings or self._texts is None:
                continue
            texts = self._texts.search(
                Layer.RULINGS, game, reading.prepared.language, lambda language, game=game: reading.terms(game, language), vectors
            )
            words, nearness = best_of_owners(texts.owners, texts.words), best_of_owners(texts.owners, texts.cosines)
            certainty, siblings = self._rulings_of_named(game, named)
            other = any(each.certainty >= SURE for each in named)
            about_cards = [bool(ruling.cards) for ruling in rulings]
            found += [
                RulingMatch(
                    game,
                    number,
                    ruling_features(
                        card=certainty.get(number, 0.0),
                        siblings=siblings.get(number, 0),
                        names_other=other and about_cards[number],
                        words=words.get(number, 0.0),
                        nearness=nearness.get(number, 0.0),
                    ),
                )
                for number in range(len(rulings))
            ]
        return found

    def _rulings_of_named(self, game: str, named: Sequence[CardNamed]) -> tuple[Mapping[int, float], Mapping[int, int]]:
        """How sure it is that the question names a card of each ruling, and how many other rulings there are of the same cards."""
        certainty: dict[int, float] = {}
        siblings: dict[int, int] = {}
        for each in named:
            if each.game == game:
                numbers = {number for card in each.cards for number in self.rulings.numbers_of_card(game, card)}
                for number in numbers:
                    certainty[number] = max(each.certainty, certainty.get(number, 0.0))
                    siblings[number] = min(len(numbers) - 1, siblings.get(number, len(numbers)))
        return certainty, siblings

    def _match_cards(self, reading: _LayerQuestion, games: Sequence[str], named: Sequence[CardNamed]) -> list[MatchedCard]:
        """The cards that the question names; where it names none, those whose words fit it strongly."""
        found: dict[tuple[str, str], MatchedCard] = {}
        for each in named:
            for id in each.cards if len(each.cards) <= _MOST_MEANT else ():
                card = self.cards.get(each.game, id)
                if card is not None and each.certainty > found.get((each.game, id), (card, 0.0))[1]:
                    found[each.game, id] = MatchedCard(card, each.certainty, named=True)
        return list(found.values()) or self._fitting_cards(reading, games)

    def _fitting_cards(self, reading: _LayerQuestion, games: Sequence[str]) -> list[MatchedCard]:
        found = []
        language = reading.prepared.language
        if self._texts is None or len(self._analyzer.terms(reading.own, language)) < _LEAST_WORDS:
            return []
        for game in games:
            texts = self._texts.search(Layer.CARDS, game, language, lambda language, game=game: reading.terms(game, language), None)
            for number, share in best_of_owners(texts.owners, texts.words).items():
                if share >= _FITTING:
                    found.append(MatchedCard(self.cards.of_game(game)[number], share, named=False))
        return found


class _LayerQuestion:
    """A question as it is compared with texts: its ``own`` words are those without the names of cards."""

    def __init__(self, prepared: PreparedQuestion, own: str, analyzer: Analyzer, parser: QuestionParser):
        self.prepared, self.own = prepared, own
        self._analyzer, self._parser = analyzer, parser

    def terms(self, game: str, language: str) -> list[str]:
        """The index terms to look for in texts of ``game`` in ``language``: its own, and official names of what it calls otherwise."""
        mentions = self.prepared.parsed.mentions.get(game, ())
        names = self._parser.recognisers[game].expansion(mentions, language) if game in self._parser.recognisers else ()
        return list(dict.fromkeys(term for text in (self.own, *names) for term in self._analyzer.terms(text, language)))


def _without(question: str, named: Sequence[CardNamed]) -> str:
    """``question`` with blanks in the place of the cards ``named``."""
    for each in named:
        question = question[: each.start] + " " * (each.end - each.start) + question[each.end :]
    return question
