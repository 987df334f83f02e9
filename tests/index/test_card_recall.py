"""Cards of the real databases are found by what people type of their names."""

from __future__ import annotations

import pytest

from glossary.word_tables import WordTables
from index.cards.card_store import CardStore
from tests.bench.card_names import card_folders, questions
from tests.bench.card_recall import QUESTIONS, real_cards, recall, written

pytestmark = pytest.mark.acceptance

LEAST = 0.97
LEAST_WRITTEN = 0.95
GAMES = ["lorcana", "marvel-champions"]


@pytest.fixture(scope="module")
def store(word_tables: WordTables, tmp_path_factory: pytest.TempPathFactory) -> CardStore:
    if not (folders := card_folders()):
        pytest.skip("the real card databases are not here")
    return real_cards(folders, tmp_path_factory.mktemp("index") / "cards", word_tables)


@pytest.mark.parametrize("game", GAMES)
def test_names_in_any_spelling_have_their_card_first(store: CardStore, game: str) -> None:
    found = recall(store, game, questions(store.of_game(game), QUESTIONS))
    assert found.share >= LEAST, found


@pytest.mark.parametrize("game", GAMES)
def test_what_people_type_has_its_card_first(store: CardStore, game: str) -> None:
    asked = written(game)
    assert not [id for each in asked for id in each.meant if store.get(game, id) is None]
    found = recall(store, game, asked)
    assert found.share >= LEAST_WRITTEN, found


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Black Panther hero Core Set", "01040a"),
        ("Black Panther Grundspiel", "01040a"),
        ("Black Panther Verbündeter", "23012"),
        ("black panther alleato", "23012"),
        ("Black Panther minion", "56155"),
        ("Spider-Man Hobie Brown ally", "27017"),
        ("Spider-Man Held Miles", "27030a"),
    ],
)
def test_versions_of_a_name_are_told_apart(store: CardStore, text: str, id: str) -> None:
    assert store.find(text, "marvel-champions")[0].card.id == id
