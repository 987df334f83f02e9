"""Find the rulings and the texts of cards that a question is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.cards.model import Card
from glossary.normalization import fold, tokenize
from index.analysis import Analyzer
from index.cards.card_names import ability_names
from index.cards.card_store import CardNamed, CardStore
from index.cards.printed_cards import PrintedCards
from index.encoding.encoder import Encoder
from index.layers.passages import CardPassage, Layer, texts_in
from index.layers.ruling_matching import LEAST, RulingCloseness, RulingMatch, RulingSignals
from index.layers.ruling_store import RulingStore
from index.layers.texts import RulesTexts, RulingTexts
from index.questions.look_up import asks_nothing_else, framed_names
from index.questions.prepared import PreparedQuestion
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.questions.question_parts import part_words

_LONGEST_NAME = 8  # words in the name of a card that is known only from rulings
_UNSURE = 0.5  # certainty that one lower-case word is such a name
_LEAST_NAMED = 0.3  # certainty from which a card may be named
_SHOWN = 0.6  # certainty from which its text is shown
OWN_WORDS = 0.5  # certainty up to which the words of its name may mean something else
SURELY_NAMED = 0.7  # certainty from which a name decides the game, whatever the question
_SURE = 0.95  # certainty from which a name is not part of another card's name
_MISSPELT = 0.85  # certainty of a whole name with a typo
_NEARLY, _LONG_NAME = 88, 9  # least likeness in percent and letters of a misspelt name
_SAME_LETTERS = 100  # least likeness of a name without its blanks: "RostigeAnna"
_MOST_WORDS = 6  # most words of a misspelt name
_CAPITAL = r"(?=[^\W\d_])[^\Wa-zß-ÿ][\w'’.-]{1,20}"
_CAPITALS = re.compile(rf"\b{_CAPITAL}(?:[ –-]{{1,3}}{_CAPITAL}){{1,4}}")
_MOST_MEANT = 3  # cards that a name may mean; if more cards share it, none is shown
_FITTING = 0.8  # share of the question's words that the text of a card not named has to have
_FEW_WORDS = 4  # most words of a question beside names of cards that these would outweigh
_LEAST_WORDS = 4  # least words of a question that is compared with texts of cards


class MatchedCard(NamedTuple):
    """A card that a question names or, if not ``named``, whose text has most words of the question.

    ``tells``: the card likely answers, as it has all words of the question, which is not yes-or-no.
    ``called`` are the names of the card, its faces and abilities that the question has.
    """

    card: Card
    certainty: float
    named: bool
    tells: bool = False
    called: tuple[str, ...] = ()

    def place(self, text: CardPassage) -> int:
        """Return the place of ``text`` among those of the card: 0 if the question names one of its
        abilities, 1 if it names its face, else 2.
        """
        abilities = ability_names(text.text.display)
        own = (abilities, text.face.names.values())
        called = set(map(words_of, self.called))
        named = (not called.isdisjoint(map(words_of, names)) for names in own)
        return next((place for place, is_named in enumerate(named) if is_named), 2)


class LayerMatches(NamedTuple):
    """The rulings and cards that a question may be about; ``only_cards``: it has hardly any words
    besides names of cards.
    """

    rulings: tuple[RulingMatch, ...]
    cards: tuple[MatchedCard, ...]
    only_cards: bool


class LayerSearch:
    """Searches the ``rulings`` and ``cards`` of an index by their texts."""

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

    @property
    def loaded(self) -> tuple[Layer, ...]:
        """The layers beside the rulebooks that are not empty."""
        stores = ((Layer.RULINGS, len(self.rulings)), (Layer.CARDS, len(self.cards)))
        return tuple(layer for layer, count in stores if count)

    def search(
        self,
        prepared: PreparedQuestion,
        games: Sequence[str],
        layers: Collection[Layer],
        kind: float,
    ) -> LayerMatches:
        """Return the rulings and cards of ``games`` that the question may be about, from
        ``layers``.

        ``kind`` is the logit that any rule settles a question of this kind.
        """
        reading = self._read(prepared, games)
        rulings = self._match_rulings(reading, games, kind) if Layer.RULINGS in layers else ()
        languages = (prepared.language, *self._parser.likely)
        sure = any(each.certainty > OWN_WORDS for each in reading.named)
        only = (bool(reading.named) and not reading.own_terms) or (
            sure and asks_nothing_else(reading.own, languages)
        )
        cards = self._match_cards(reading, games, only) if Layer.CARDS in layers else ()
        return LayerMatches(tuple(rulings), tuple(cards), only)

    def game_of(self, parsed: ParsedQuestion) -> str | None:
        """Return the game whose card ``parsed`` surely names, with a capital letter; None if there
        is no such card, or cards of several games. A name within a longer name does not count.
        """
        text = parsed.text
        known = self.cards.mentions(text, parsed.cards, parsed.language)
        named = [(each.game, each.start, each.end, each.certainty) for each in known]
        for game, printed in parsed.cards.items():
            named += [(game, each.start, each.end, each.certainty) for each in printed]
        sure = [
            (end - start, start, end, game)
            for game, start, end, certainty in named
            if text[start].isupper()
            and certainty >= (SURELY_NAMED if " " in text[start:end] else 1.0)
        ]
        games = {
            game
            for length, start, end, game in sure
            if not any(
                more > length and first <= start and end <= last for more, first, last, _ in sure
            )
        }
        return games.pop() if len(games) == 1 else None

    def without_cards(
        self, prepared: PreparedQuestion, games: Sequence[str], answers: Sequence[str]
    ) -> str:
        """Return a yes-or-no question with blanks for the names of cards if only a few other words
        are left: "Auf Verteidigung getrimmt" asks nothing about defending. In longer questions
        names do no harm; other short ones ("What does X cost?", "Is X unique?") ask for what the
        card says.

        Return the question as it is, too, if it is hardly more than names, asks for rulings, if a
        name is also a term, or if what a rulebook prints about one of the cards answers it: an
        entry that the question names, or one of ``answers``, by id (none: nothing answers).
        """
        parsed, text = prepared.parsed, prepared.parsed.text
        words = len(set(prepared.terms[prepared.language]))
        in_print = bool(answers) and any(parsed.cards.get(game) for game in games)
        if not self.loaded or in_print or words > _FEW_WORDS + _LONGEST_NAME:
            return text
        named = [
            each
            for each in self._read(prepared, games).named
            if each.certainty >= (SURELY_NAMED if text[each.start].isupper() else _SURE)
        ]
        places = [(each.start, each.end) for each in named]
        plain = blanked(text, places)
        few = len(set(self._analyzer.terms(plain, prepared.language))) <= _FEW_WORDS
        languages = (prepared.language, *self._parser.likely)
        begin, rest = part_words(prepared.language), fold(plain.strip())
        on_card = begin.interrogatives.match(rest) or begin.states.match(rest)
        asks_else = on_card or parsed.asks_for_rulings
        if plain == text or not few or asks_else or asks_nothing_else(plain, languages):
            return text
        terms = (each for game in games for each in parsed.mentions.get(game, ()))
        printed = {id for entry in answers for id in self._printed.of_entry(entry)}
        known = any((term.start, term.end) in places for term in terms) or any(
            id in printed for each in named for id in each.cards
        )
        return text if known else plain

    def language_of_name(self, parsed: ParsedQuestion) -> str | None:
        """Return the language in which the whole of ``parsed`` is the name of a card, the likeliest
        if several; None if there is no such card.
        """
        name = words_of(parsed.text)
        languages = {
            language
            for game in parsed.cards
            for card in self.cards.called(game, parsed.text.strip())
            for face in card.faces
            for language, own in face.names.items()
            if name in (words_of(own), words_of(card.name(language)))
        }
        likely = (language for language in self._parser.likely if language in languages)
        return next(likely, min(languages, default=None))

    def ruling_signals(
        self, prepared: PreparedQuestion, game: str, games: Sequence[str], kind: float
    ) -> RulingSignals | None:
        """Return how well each ruling on ``game`` fits a question about ``games``, or None without
        rulings. ``kind`` is as in `search`.
        """
        if self._ruling_texts is None:
            return None
        return self._signals(self._ruling_texts, self._read(prepared, games), game, kind)

    def _read(self, prepared: PreparedQuestion, games: Sequence[str]) -> _LayerQuestion:
        """Return the question with the cards of ``games`` that it may name."""
        parsed = prepared.parsed
        question, in_rulebook = parsed.text, parsed.look_up is not None
        named = self._looked_up(question, games, prepared.language, in_rulebook)
        rest, game = self._parser.without_game(question, games)
        if rest != question and not named:
            named = self._looked_up(rest, game, prepared.language, in_rulebook)
            if named:
                question, games = rest, game
                prepared = replace(prepared, parsed=replace(parsed, text=rest))
        sure = {each.game for each in named}
        known = self.cards.mentions(question, games, prepared.language)
        mentioned = (
            *known,
            *self._misspelt_in(question, games, prepared.language, known),
            *self._named_in_rulings(question, games),
        )
        named += [
            each
            for each in mentioned
            if each.certainty >= _LEAST_NAMED
            and each.game not in sure
            and not self._is_title(question, each)
        ]
        named += [ability for each in named for ability in self._abilities_of(each, question)]
        ids = {(each.game, id) for each in named for id in each.cards}
        named += [
            each
            for each in self._printed.named(prepared.parsed, games)
            if ids.isdisjoint((each.game, id) for id in each.cards)
        ]
        return _LayerQuestion(prepared, named, self._analyzer, self._encoder, self._parser)

    def _is_title(self, question: str, named: CardNamed) -> bool:
        """Return whether ``named`` is likely the title of a game, not a card: "in Lorcana"."""
        words = fold(question[named.start : named.end])
        return named.certainty < SURELY_NAMED and f" {words} " in f" {self._parser.titles} "

    def _looked_up(
        self, question: str, games: Sequence[str], language: str, in_rulebook: bool
    ) -> list[CardNamed]:
        """Return the cards whose name a question looks up, even if it consists of ordinary words.
        If the rulebook has no such name (``in_rulebook``), names of abilities and misspelt names
        count, too.
        """
        frames = list(framed_names(question, (language, *self._parser.likely)))
        ways = (self.cards.called, *(() if in_rulebook else (self.cards.with_ability,)))
        for find, framed in product(ways, frames):
            start = question.find(framed.name)
            found = [
                CardNamed(
                    start, start + len(framed.name), tuple(card.id for card in cards), 1.0, game
                )
                for game in games
                if (cards := find(game, framed.name))
            ]
            if found:
                return found
        typed = [each.name for each in frames if not each.bare]
        if not typed and "?" not in question:
            typed = [question.strip()]
        knows = self._analyzer.tables[language].knows
        if in_rulebook or not typed or all(knows(t.text) for t in tokenize(min(typed, key=len))):
            return []  # nothing is misspelt
        for name in typed:
            if found := list(self._nearly_called(name, question.find(name), games)):
                return found
        return []

    def _abilities_of(self, named: CardNamed, question: str) -> Iterator[CardNamed]:
        """Yield the ``named`` cards again for each of their abilities that a question names."""
        for id in named.cards[:_MOST_MEANT]:
            card = self.cards.get(named.game, id)
            names = (
                (name for text in card.texts() for name in ability_names(text.display))
                if card
                else ()
            )
            for name in dict.fromkeys(names):
                for place in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.I):
                    yield named._replace(start=place.start(), end=place.end(), cards=(id,))

    def _nearly_called(self, name: str, start: int, games: Sequence[str]) -> Iterator[CardNamed]:
        """Yield the cards with the ``name`` of several words, except for one or two typos, or for
        its blanks.
        """
        typed = words_of(name).strip()
        least = _NEARLY if " " in typed else _SAME_LETTERS
        is_name = typed.count(" ") < _MOST_WORDS and len(typed) >= _LONG_NAME
        for game in games if is_name else ():
            if cards := self.cards.nearly_called(game, name, least):
                ids = tuple(card.id for card in cards)
                yield CardNamed(start, start + len(name), ids, _MISSPELT, game)

    def _misspelt_in(
        self,
        question: str,
        games: Sequence[str],
        language: str,
        known: Sequence[CardNamed],
    ) -> Iterator[CardNamed]:
        """Yield the cards whose name a question misspells in several capitalised words ("Dragon
        Fyre"), outside the places of ``known`` cards.
        """
        knows = self._analyzer.tables[language].knows
        for run in _CAPITALS.finditer(question):
            tokens = tokenize(run[0])
            if all(knows(token.text) for token in tokens) or any(
                each.start < run.end() and run.start() < each.end for each in known
            ):
                continue
            for first in tokens[:-1][:2]:  # the first capital may be that of the question
                found = list(
                    self._nearly_called(run[0][first.start :], run.start() + first.start, games)
                )
                yield from found
                if found:
                    break

    def _named_in_rulings(self, question: str, games: Sequence[str]) -> Iterator[CardNamed]:
        """Yield the cards that a question names and that are known only from rulings."""
        tokens = tokenize(question)
        words = [fold(token.text) for token in tokens]
        for game in games:
            if game in self.cards.games or game not in self.rulings.games:
                continue
            for first, token in enumerate(tokens):
                for last in range(min(first + _LONGEST_NAME, len(tokens)), first, -1):
                    name = " ".join(words[first:last])
                    if self.rulings.places_of_card(game, name):
                        sure = last - first > 1 or token.text[0].isupper()
                        end = tokens[last - 1].end
                        certainty = 1.0 if sure else _UNSURE
                        yield CardNamed(token.start, end, (name,), certainty, game)
                        break

    def _match_rulings(
        self, reading: _LayerQuestion, games: Sequence[str], kind: float
    ) -> Iterator[RulingMatch]:
        """Yield the rulings on ``games`` that may answer the question."""
        if self._ruling_texts is None:
            return
        closeness = RulingCloseness(
            self.rulings, self._ruling_texts, self.cards, self._analyzer, self._parser.likely
        )
        for game in games:
            if game not in self.rulings.games:
                continue
            signals = self._signals(self._ruling_texts, reading, game, kind)
            probabilities = signals.probabilities
            close = ~signals.about_cards | closeness.named(game, reading.prepared, signals)
            unsure_of_game = (signals.card > 0) & (signals.card < SURELY_NAMED)
            sure = close & signals.about_cards & ~unsure_of_game
            same = closeness.same_question(game, reading.prepared, reading.vector, signals)
            for number, likeness in same.items():
                probabilities[number] = max(probabilities[number], likeness)
                close[number] = sure[number] = True
            for number in np.flatnonzero(probabilities >= LEAST).tolist():
                probability = float(probabilities[number])
                yield RulingMatch(
                    game, number, probability, bool(close[number]), bool(sure[number])
                )

    def _signals(
        self, texts: RulingTexts, reading: _LayerQuestion, game: str, kind: float
    ) -> RulingSignals:
        numbers = self.rulings.numbers(game)
        card, text, strange = (np.zeros(len(numbers)) for _ in range(3))
        # If cards of this game are named, names of cards of other games are ignored.
        of_game = [each for each in reading.named if each.game == game]
        for each in of_game or reading.named:
            ids = each.cards if of_game else ()
            about = sorted({n for id in ids for n in self.rulings.places_of_card(game, id)})
            naming = sorted({n for id in ids for n in self.rulings.places_naming(game, id)})
            naming = [number for number in naming if number not in about]
            others = np.ones(len(numbers), dtype=np.bool_)
            others[[*about, *naming]] = False
            strange[others] += each.certainty
            text[naming] = np.maximum(text[naming], each.certainty)
            card[about] = np.maximum(card[about], each.certainty)
        return RulingSignals(
            card=card,
            name=texts.shares(game, reading.words_outside_names(), numbers),
            text=text,
            strange=strange,
            about_cards=self.rulings.about_cards(game),
            untouched=texts.untouched(game, reading.concepts(game), numbers),
            nearness=texts.nearness(reading.vector, numbers),
            words=len(reading.own_terms),
            kind=kind,
        )

    def _match_cards(
        self, reading: _LayerQuestion, games: Sequence[str], only: bool
    ) -> Iterable[MatchedCard]:
        """Return the cards that the question names or, if there are none, cards whose text has most
        of its words.

        If many cards share a name, some are returned if it is the whole question (``only``).
        """
        found: dict[tuple[str, str], MatchedCard] = {}
        text = reading.prepared.parsed.text
        for each in (each for each in reading.named if each.certainty >= _SHOWN):
            for id in each.cards[:_MOST_MEANT] if only or len(each.cards) <= _MOST_MEANT else ():
                card = self.cards.get(each.game, id)
                if card is None:
                    continue
                known = found.get((each.game, id), MatchedCard(card, 0.0, True))
                certainty = max(each.certainty, known.certainty)
                tells = known.tells or (
                    each.certainty >= SURELY_NAMED and self._tells(card, reading)
                )
                called = (*known.called, text[each.start : each.end])
                found[each.game, id] = MatchedCard(card, certainty, True, tells, called)
        if found or self._rules_texts is None or len(reading.own_terms) < _LEAST_WORDS:
            return found.values()
        fitting: list[MatchedCard] = []
        for game in games:
            cards = self.cards.of_game(game)
            terms, language = partial(reading.terms, game), reading.prepared.language
            shares = self._rules_texts.shares(game, language, terms, len(cards))
            fitting += [
                MatchedCard(cards[number], float(shares[number]), named=False)
                for number in np.flatnonzero(shares >= _FITTING).tolist()
            ]
        return fitting

    def _tells(self, card: Card, reading: _LayerQuestion) -> bool:
        """Return whether a text of ``card`` has all words of a question except names, and the
        question is not yes-or-no: "What happens when Heimdall enters play?".
        """
        language = reading.prepared.language
        asks = part_words(language).interrogatives.match(fold(reading.own.strip()))
        for text in texts_in(card, language) if asks and reading.own_terms else ():
            spoken = text.text.quoted.language
            terms = reading.terms(card.game, spoken)
            if terms and set(terms) <= set(self._analyzer.terms(text.passage.text, spoken)):
                return True
        return False


@dataclass(frozen=True)
class _LayerQuestion:
    """A question, prepared to be compared with rulings and cards, and the cards ``named`` in it."""

    prepared: PreparedQuestion
    named: Sequence[CardNamed]
    analyzer: Analyzer
    encoder: Encoder
    parser: QuestionParser

    @cached_property
    def own(self) -> str:
        """The question's words without the names of cards."""
        return self._outside([each for each in self.named if each.certainty > OWN_WORDS])

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        """The vector of the ``own`` words."""
        return np.asarray(self.encoder.questions([self.own or "?"])[0])

    @cached_property
    def own_terms(self) -> list[str]:
        """The index terms of the ``own`` words."""
        return self.analyzer.terms(self.own, self.prepared.language)

    def terms(self, game: str, language: str) -> list[str]:
        """Return the index terms to look for in texts of ``game`` in ``language``: terms of the
        ``own`` words, and of the official names of concepts that the question mentions.
        """
        recogniser = self.parser.recognisers.get(game)
        mentions = self.prepared.parsed.mentions.get(game, ())
        names = recogniser.expansion(mentions, language) if recogniser else ()
        terms = (t for text in (self.own, *names) for t in self.analyzer.terms(text, language))
        return list(dict.fromkeys(terms))

    def words_outside_names(self) -> set[str]:
        """Return the index terms, by the rules of all likely languages, of the words that do not
        surely name a card.
        """
        outside = self._outside([each for each in self.named if each.certainty >= _SURE])
        return {
            term
            for language in self.parser.likely
            for term in self.analyzer.terms(outside, language)
        }

    def concepts(self, game: str) -> dict[str, float]:
        """Return the concepts that the question names outside card names, with certainty."""
        found: dict[str, float] = {}
        for mention in self.prepared.parsed.mentions.get(game, ()):
            if self.own[mention.start : mention.end].strip():
                found[mention.concept] = max(mention.certainty, found.get(mention.concept, 0.0))
        return found

    def _outside(self, named: Iterable[CardNamed]) -> str:
        return blanked(self.prepared.parsed.text, ((each.start, each.end) for each in named))


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``text`` with ``spans`` replaced by blanks."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def words_of(text: str) -> str:
    """Return the folded words of ``text`` with a blank before and after each."""
    return f" {' '.join(fold(token.text) for token in tokenize(text))} "
