"""Cards of the real databases are found by what people type of their names."""

from __future__ import annotations

import pytest

from corpus.cards.read import read_cards
from glossary.concepts import load_concepts
from glossary.word_tables import WordTables
from index.cards.card_store import CardStore, save_cards
from tests.bench.card_names import card_folders, questions, recall

QUESTIONS = 300
LEAST = 0.97


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> CardStore:
    folders = card_folders()
    if not folders:
        pytest.skip("the real card databases are not here")
    read = {game: read_cards(folder, game) for game, folder in folders.items()}
    types = {game: {t.code: t.names for t in found.terms if t.kind == "type"} for game, found in read.items()}
    place = tmp_path_factory.mktemp("index") / "cards"
    save_cards(place, {game: found.cards for game, found in read.items()}, {game: load_concepts(game) for game in read}, types)
    return CardStore.load(place, WordTables.compile())


@pytest.mark.parametrize("game", ["lorcana", "marvel-champions"])
def test_names_in_any_spelling_have_their_card_first(store: CardStore, game: str) -> None:
    found = recall(store, game, questions(store.of_game(game), QUESTIONS))
    assert found.share >= LEAST, found


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Black Panther hero Core Set", "01040a"),
        ("Black Panther Grundspiel", "01040a"),
        ("Black Panther Verbündeter", "23012"),
        ("black panther alleato", "23012"),
        ("Black Panther minion", "56155"),
        ("Spider-Man Hobie Brown ally", "27017"),
    ],
)
def test_versions_of_a_name_are_told_apart(store: CardStore, text: str, id: str) -> None:
    assert store.find(text, "marvel-champions")[0].card.id == id
