"""Reads of rulings what they are found by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log

from corpus.cards.model import Card
from corpus.rulings.model import QuotedPart, Ruling
from glossary.concepts import load_concepts
from glossary.recognition import TermRecogniser
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.cards.card_store import CardStore
from index.layers.layer_search import OWN_WORDS, blanked
from index.layers.texts import RulingText

_SURE_TERM = 0.5  # certainty from which on a ruling speaks of a term


class RulingReader:
    """Reads rulings on ``games`` with the ``cards`` of an index and the words of its ``analyzer``
    and ``tables``.
    """

    def __init__(
        self, cards: CardStore, analyzer: Analyzer, tables: WordTables, games: Iterable[str]
    ):
        self._cards, self._analyzer = cards, analyzer
        self._recognisers = {game: TermRecogniser(load_concepts(game), tables) for game in games}
        self._frequency = {game: self._name_frequency(game) for game in games}

    def text(self, ruling: Ruling, about: Sequence[Card]) -> RulingText:
        """What ``ruling``, which is ``about`` these cards, is found by."""
        parts = [part for part in (ruling.asked, ruling.answered) if part]
        own = [self._without_names(ruling, part) for part in parts]
        recogniser = self._recognisers[ruling.game]
        mentions = [
            mention
            for part, text in zip(parts, own, strict=True)
            for mention in recogniser.mentions(text, part.quoted.language)
        ]
        return RulingText(
            game=ruling.game,
            names=list(self._names(ruling, about)),
            concepts={mention.concept for mention in mentions if mention.certainty >= _SURE_TERM},
            asked=own[0],
            whole=" ".join(own),
        )

    def _without_names(self, ruling: Ruling, part: QuotedPart) -> str:
        """The text of ``part`` of ``ruling`` without the names of cards."""
        text = part.text
        named = self._cards.mentions(text, (ruling.game,), part.quoted.language)
        spans = [(each.start, each.end) for each in named if each.certainty > OWN_WORDS]
        for card in ruling.cards:
            start = text.find(card)
            spans += [(start, start + len(card))] if start >= 0 else []
        return blanked(text, spans)

    def _names(self, ruling: Ruling, about: Sequence[Card]) -> Iterator[dict[str, float]]:
        """The words of each name of the cards ``about`` which it is, in every language, each
        weighed by how few cards have it.

        Where they are not loaded, these are the names that it has for them itself.
        """
        frequency, count = self._frequency[ruling.game]
        if not about:
            yield from (
                dict.fromkeys(self._analyzer.terms(card, ruling.answer.language), 1.0)
                for card in ruling.cards
            )
        for name, language in {pair for card in about for pair in _names_of(card)}:
            yield {
                word: log((count + 1) / (frequency[word] + 1))
                for word in self._analyzer.terms(name, language)
            }

    def _name_frequency(self, game: str) -> tuple[Counter[str], int]:
        """How many cards of ``game`` have each word in a name, and how many cards there are."""
        found: Counter[str] = Counter()
        cards = self._cards.of_game(game)
        for card in cards:
            found.update(
                {
                    word
                    for name, language in _names_of(card)
                    for word in self._analyzer.terms(name, language)
                }
            )
        return found, len(cards)


def _names_of(card: Card) -> Iterator[tuple[str, str]]:
    """The names of the faces of ``card``, subtitles included, each with its language."""
    for face in card.faces:
        for language, name in face.names.items():
            yield f"{name} {face.subtitles.get(language, '')}", language
