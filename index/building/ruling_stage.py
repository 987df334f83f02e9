"""Puts the rulings of the games in an index, and what they and the texts of cards are found by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus.cards.model import Card
from corpus.rulings.loading import load_rulings
from corpus.rulings.model import Ruling
from corpus.workspace import workspace
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.building.encoding_stage import Progress
from index.building.ruling_reader import RulingReader
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.encoding.encoder import HubEncoder, SubwordEncoder
from index.layers.passages import card_passages
from index.layers.ruling_store import RULINGS, RulingStore
from index.layers.texts import RULES_TEXTS, RULING_TEXTS, RulesTexts, RulingTexts

_NAMED = 0.7  # certainty from which on the text of a ruling names a card
_MOST_MEANT = 20  # cards that one name in it may mean


def save_ruling_stage(
    place: Path, games: Iterable[str], encoder: str, progress: Progress
) -> tuple[str, ...]:
    """Write into the index at ``place``, which has its cards, the rulings of ``games``: the
    workspace's, else the sample's.

    ``encoder`` is the name of that of the index, "" for the built-in one. A line is returned for
    each fault in the rulings.
    """
    collections = {game: load_rulings(game, workspace()) for game in games}
    tables = WordTables.load(place / "forms", place / "stems")
    cards = CardStore.load(place / CARDS, tables)
    read = {game: found.rulings for game, found in collections.items()}
    rulings = RulingStore.build(
        read,
        lambda game, card: _card_id(cards, game, card),
        lambda ruling: _named_cards(cards, ruling),
    )
    rulings.save(place / RULINGS)
    analyzer = Analyzer(tables)
    if len(rulings):
        progress(f"{len(rulings)} rulings")
        reader = RulingReader(cards, analyzer, tables, rulings.games)
        texts = [reader.text(ruling, list(_cards_of(cards, ruling))) for ruling in rulings]
        used = HubEncoder(encoder) if encoder else SubwordEncoder.load(place / "encoder")
        RulingTexts.build(texts, used).save(place / RULING_TEXTS)
    if len(cards):
        RulesTexts.build(_rules_texts(cards), analyzer).save(place / RULES_TEXTS)
    return tuple(
        f"rulings of {game}: {fault}"
        for game, found in collections.items()
        for fault in found.faults
    )


def _card_id(cards: CardStore, game: str, card: str) -> str | None:
    """The id of the ``card`` of ``game`` with this id or whole name, None where there is none."""
    known = cards.get(game, card)
    if known is None:
        best = cards.find(card, game, k=1)
        known = best[0].card if best and best[0].score == 1.0 else None
    return known.id if known else None


def _cards_of(cards: CardStore, ruling: Ruling) -> Iterator[Card]:
    """The cards that ``ruling`` is about, as far as they are loaded."""
    for name in ruling.cards:
        id = _card_id(cards, ruling.game, name)
        if id and (card := cards.get(ruling.game, id)):
            yield card


def _named_cards(cards: CardStore, ruling: Ruling) -> set[str]:
    """The ids of the cards that the text of ``ruling`` surely names."""
    parts = [part for part in (ruling.asked, ruling.answered) if part]
    named = [
        each
        for part in parts
        for each in cards.mentions(part.text, (ruling.game,), part.quoted.language)
    ]
    return {
        card
        for each in named
        if each.certainty >= _NAMED
        for card in each.cards
        if len(each.cards) <= _MOST_MEANT
    }


def _rules_texts(cards: CardStore) -> Iterator[tuple[str, str, int, str]]:
    """Yield game, language, number in its game and rules texts of each card."""
    for game in cards.games:
        for number, card in enumerate(cards.of_game(game)):
            texts: dict[str, list[str]] = {}
            for each in card_passages(card):
                if not each.replaced:
                    texts.setdefault(each.text.quoted.language, []).append(each.text.display)
            for language, found in texts.items():
                yield game, language, number, " ".join(found)
