import pytest

from corpus.cards.read import read_cards
from glossary.concepts import load_concepts
from index.cards.card_store import CardStore, save_cards
from tests.conftest import card_folders
from tests.index.card_name_questions import questions, written

pytestmark = pytest.mark.acceptance

QUESTIONS = 300
LEAST = 0.97
LEAST_WRITTEN = 0.95
GAMES = ["lorcana", "marvel-champions"]


@pytest.fixture(scope="module")
def store(word_tables, tmp_path_factory) -> CardStore:
    if not (folders := card_folders()):
        pytest.skip("the real card databases are not here")
    place = tmp_path_factory.mktemp("index") / "cards"
    read = {game: read_cards(folder, game) for game, folder in folders.items()}
    types = {
        game: {term.code: term.names for term in found.terms if term.kind == "type"}
        for game, found in read.items()
    }
    save_cards(
        place,
        {game: found.cards for game, found in read.items()},
        {game: load_concepts(game) for game in read},
        types,
    )
    return CardStore.load(place, word_tables)


def missed(store, game, asked):
    """Those of ``asked`` for which no card that is meant is found first."""
    firsts = [
        (question, store.find(question.text, game, question.language, k=1)) for question in asked
    ]
    return [
        question
        for question, first in firsts
        if not any(hit.card.id in question.meant for hit in first)
    ]


@pytest.mark.parametrize("game", GAMES)
def test_names_in_any_spelling_have_their_card_first(store, game):
    asked = questions(store.of_game(game), QUESTIONS)
    misses = missed(store, game, asked)
    assert len(misses) <= (1 - LEAST) * len(asked), misses


@pytest.mark.parametrize("game", GAMES)
def test_what_people_type_has_its_card_first(store, game):
    asked = written(game)
    assert not [id for each in asked for id in each.meant if store.get(game, id) is None]
    misses = missed(store, game, asked)
    assert len(misses) <= (1 - LEAST_WRITTEN) * len(asked), misses


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
def test_versions_of_a_name_are_told_apart(store, text, id):
    assert store.find(text, "marvel-champions")[0].card.id == id
