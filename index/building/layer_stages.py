"""Index the cards and the rulings of the games."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path

from corpus.cards.model import Card
from corpus.cards.read import games_with_cards, read_cards
from corpus.rulings.loading import load_rulings
from corpus.rulings.model import QuotedPart, Ruling
from corpus.workspace import workspace
from glossary.concepts import Concept, load_concepts
from glossary.recognition import TermRecogniser
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.building.encoding_stage import Progress
from index.building.reuse import PreviousIndex
from index.building.snapshots import CARDS as CARD_MARK
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore, save_cards
from index.encoding.encoder import HubEncoder, SubwordEncoder
from index.files.durable import file_digest, program_hash
from index.layers.layer_search import OWN_WORDS, blanked
from index.layers.passages import card_passages
from index.layers.ruling_store import RULINGS, RulingStore
from index.layers.texts import RULES_TEXTS, RULING_TEXTS, RulesTexts, RulingText, RulingTexts

_SURE_TERM = 0.5  # certainty from which a ruling counts as mentioning a term
_NAMED = 0.7  # certainty from which a ruling's text counts as naming a card
_MOST_MEANT = 20  # cards that such a name may mean


def save_card_stage(
    place: Path,
    concepts: Mapping[str, Sequence[Concept]],
    previous: PreviousIndex | None,
    progress: Progress,
) -> tuple[str, tuple[str, ...]]:
    """Write the cards of the games that ``concepts`` has into the index at ``place``.

    They are copied from the ``previous`` index if neither they nor the games' terms changed.
    Returns a hash of all inputs, "" without cards, and a line for each fault in the cards.
    """
    every = games_with_cards(workspace())
    folders = {game: folder for game, folder in every.items() if game in concepts}
    mark = _card_mark(folders) if folders else ""
    if not folders or (
        previous and previous.said(CARD_MARK) == mark and previous.copy_folder(CARDS, place)
    ):
        return mark, ()
    progress("reading cards")
    read = {game: read_cards(folder, game) for game, folder in folders.items()}
    for game, found in read.items():
        progress(f"{len(found.cards)} cards of {game}")
    if cards := {game: found.cards for game, found in read.items() if found.cards}:
        types = {
            game: {term.code: term.names for term in found.terms if term.kind == "type"}
            for game, found in read.items()
        }
        save_cards(place / CARDS, cards, concepts, types)
    return mark, tuple(
        f"cards of {game}: {fault}" for game, found in read.items() for fault in found.faults
    )


def _card_mark(folders: Mapping[str, Path]) -> str:
    """Hash what the cards of an index depend on: files, program, terms."""
    program = program_hash(("corpus", "glossary", "index"), (".py", ".yaml"))
    digest = hashlib.sha256(program.encode())
    for game, folder in sorted(folders.items()):
        for place, _, names in sorted(os.walk(folder)):
            for path in (Path(place, name) for name in sorted(names)):
                if stat.S_ISREG(path.lstat().st_mode):
                    line = f"{game}\0{path.relative_to(folder)}\0{file_digest(path)}\n"
                    digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def save_ruling_stage(
    place: Path, games: Iterable[str], encoder: str, progress: Progress
) -> tuple[str, ...]:
    """Write the rulings of ``games`` into the index at ``place``, which has its cards: the
    workspace's rulings, else the sample's.

    ``encoder`` is the name of the index's encoder, "" for the built-in one. Returns a line for each
    fault in the rulings.
    """
    collections = {game: load_rulings(game, workspace()) for game in games}
    tables = WordTables.load(place / "forms", place / "stems")
    cards = CardStore.load(place / CARDS, tables)
    rulings = RulingStore.build(
        {game: found.rulings for game, found in collections.items()},
        lambda game, card: _card_id(cards, game, card),
        lambda ruling: _named_cards(cards, ruling),
    )
    rulings.save(place / RULINGS)
    analyzer = Analyzer(tables)
    if len(rulings):
        progress(f"{len(rulings)} rulings")
        reader = _RulingReader(cards, analyzer, tables, rulings.games)
        texts = [reader.text(ruling) for ruling in rulings]
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
    """Return the id of the ``card`` of ``game``, an id or a whole name; None if unknown."""
    known = cards.get(game, card)
    if known is None:
        best = cards.find(card, game, k=1)
        known = best[0].card if best and best[0].score == 1.0 else None
    return known.id if known else None


def _named_cards(cards: CardStore, ruling: Ruling) -> set[str]:
    """Return the ids of the cards that the text of ``ruling`` surely names."""
    found: set[str] = set()
    for part in filter(None, (ruling.asked, ruling.answered)):
        for each in cards.mentions(part.text, (ruling.game,), part.quoted.language):
            if each.certainty >= _NAMED and len(each.cards) <= _MOST_MEANT:
                found.update(each.cards)
    return found


def _rules_texts(cards: CardStore) -> Iterator[tuple[str, str, int, str]]:
    """Yield for each card and language the game, the language, the card's number in the game, and
    its rules texts.
    """
    for game in cards.games:
        for number, card in enumerate(cards.of_game(game)):
            texts: dict[str, list[str]] = {}
            for each in card_passages(card):
                if not each.replaced:
                    texts.setdefault(each.text.quoted.language, []).append(each.text.display)
            for language, found in texts.items():
                yield game, language, number, " ".join(found)


class _RulingReader:
    """Reads rulings on ``games`` with the ``cards`` of an index and its words."""

    def __init__(
        self, cards: CardStore, analyzer: Analyzer, tables: WordTables, games: Iterable[str]
    ):
        self._cards, self._analyzer = cards, analyzer
        self._recognisers = {game: TermRecogniser(load_concepts(game), tables) for game in games}
        self._cards_with = {game: self._name_frequency(game) for game in self._recognisers}

    def text(self, ruling: Ruling) -> RulingText:
        """Return the searchable text of ``ruling``."""
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
            names=list(self._names(ruling)),
            concepts={mention.concept for mention in mentions if mention.certainty >= _SURE_TERM},
            asked=own[0],
            whole=" ".join(own),
        )

    def _without_names(self, ruling: Ruling, part: QuotedPart) -> str:
        """Return the text of ``part`` of ``ruling`` without the names of cards."""
        text = part.text
        named = self._cards.mentions(text, (ruling.game,), part.quoted.language)
        spans = [(each.start, each.end) for each in named if each.certainty > OWN_WORDS]
        for card in ruling.cards:
            start = text.find(card)
            spans += [(start, start + len(card))] if start >= 0 else []
        return blanked(text, spans)

    def _names(self, ruling: Ruling) -> Iterator[dict[str, float]]:
        """Yield the words of each name, in every language, of the cards that ``ruling`` is about. A
        word weighs the more the fewer cards have it. If none of the cards is loaded, yield the
        names given in the ruling.
        """
        ids = (_card_id(self._cards, ruling.game, name) for name in ruling.cards)
        about = [card for id in ids if id and (card := self._cards.get(ruling.game, id))]
        frequency = self._cards_with[ruling.game]
        count = len(self._cards.of_game(ruling.game))
        if not about:
            for name in ruling.cards:
                yield dict.fromkeys(self._analyzer.terms(name, ruling.answer.language), 1.0)
        for name, language in {pair for card in about for pair in _names_of(card)}:
            yield {
                word: log((count + 1) / (frequency[word] + 1))
                for word in self._analyzer.terms(name, language)
            }

    def _name_frequency(self, game: str) -> Counter[str]:
        """Count for each word how many cards of ``game`` have it in a name."""
        found: Counter[str] = Counter()
        for card in self._cards.of_game(game):
            names = (self._analyzer.terms(name, language) for name, language in _names_of(card))
            found.update({word for words in names for word in words})
        return found


def _names_of(card: Card) -> Iterator[tuple[str, str]]:
    """Yield the names of the faces of ``card``, subtitles included, each with its language."""
    for face in card.faces:
        for language, name in face.names.items():
            yield f"{name} {face.subtitles.get(language, '')}", language
