"""Puts the rulings of the games in an index, and what they and the texts of cards are found by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus.rulings.loading import load_rulings
from corpus.workspace import workspace
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.building.encoding_stage import Progress
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.encoding.encoder import HubEncoder, SubwordEncoder
from index.layers.layer_texts import LAYER_TEXTS, LayerText, LayerTexts
from index.layers.model import Layer
from index.layers.passages import card_passages
from index.layers.ruling_store import RULINGS, RulingStore


def save_ruling_stage(place: Path, games: Iterable[str], encoder: str, progress: Progress) -> tuple[str, ...]:
    """Write into the index at ``place``, which has its cards, the rulings of ``games``: the workspace's, else the sample's.

    ``encoder`` is the name of that of the index, "" for the built-in one. A line is returned for each fault in the rulings.
    """
    collections = {game: load_rulings(game, workspace()) for game in games}
    tables = WordTables.load(place / "forms", place / "stems")
    cards = CardStore.load(place / CARDS, tables)
    rulings = RulingStore.build(
        {game: found.rulings for game, found in collections.items()}, lambda game, card: _card_id(cards, game, card)
    )
    rulings.save(place / RULINGS)
    if len(rulings) or len(cards):
        progress(f"{len(rulings)} rulings")
        used = HubEncoder(encoder) if encoder else SubwordEncoder.load(place / "encoder")
        LayerTexts.build(_texts(rulings, cards), Analyzer(tables), used).save(place / LAYER_TEXTS)
    return tuple(f"rulings of {game}: {fault}" for game, found in collections.items() for fault in found.faults)


def _card_id(cards: CardStore, game: str, card: str) -> str | None:
    """The id of the ``card`` of ``game`` with this id or whole name, None where there is none."""
    known = cards.get(game, card)
    if known is None:
        best = cards.find(card, game, k=1)
        known = best[0].card if best and best[0].score == 1.0 else None
    return known.id if known else None


def _texts(rulings: RulingStore, cards: CardStore) -> Iterator[LayerText]:
    """What is searched: of a ruling its question, and that with its answer; of a card its rules texts in each language."""
    for game in rulings.games:
        for number, ruling in enumerate(rulings.of_game(game)):
            asked, answered = ruling.asked, ruling.answered
            language = answered.quoted.language
            if asked:
                yield LayerText(Layer.RULINGS, game, asked.quoted.language, number, asked.text)
            text = f"{asked.text} {answered.text}" if asked else answered.text
            yield LayerText(Layer.RULINGS, game, language, number, " – ".join((*ruling.cards, text)))
    for game in cards.games:
        for number, card in enumerate(cards.of_game(game)):
            texts: dict[str, list[str]] = {}
            for each in card_passages(card):
                if not each.replaced:
                    texts.setdefault(each.text.quoted.language, []).append(each.text.display)
            for language, found in texts.items():
                yield LayerText(Layer.CARDS, game, language, number, " ".join(found))
