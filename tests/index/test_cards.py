import pytest

from corpus.cards.model import Card, CardFace, CardText, Printing, TextKind
from corpus.sourced_text import SourcedText, StringSource
from glossary.concepts import Concept
from index.cards.card_names import ability_names
from index.cards.card_store import CardStore, save_cards

HARBOUR, GAME = {"de": "Hafenset", "it": "Set del Porto", "en": "Harbour Set"}, "pegelwacht"
FLOOD = {"de": "Flutset", "it": "Set della Piena", "en": "Flood Set"}


def card(id, type, names, subtitles=None, products=HARBOUR, game=GAME):
    text = CardText(
        TextKind.RULES,
        SourcedText("Hebe den Pegel um 1.", "de", StringSource("cards.json", "0" * 64, "/0/text")),
        "",
    )
    face = CardFace(names, subtitles or {}, type, {}, {}, (text,), id)
    printing = Printing(id, products, f"{int(id[-3:])}/204", "2024-05-01")
    return Card(
        id,
        game,
        f"{next(iter(names.values())).lower().replace(' ', '-')}-{id}",
        (face,),
        (printing,),
        (),
        {},
    )


def two_sided(id, names, others):
    front, back = (
        card(id, "hero", names, products=FLOOD),
        card(id, "alter_ego", others, products=FLOOD),
    )
    return front._replace(faces=(*front.faces, *back.faces))


CARDS = [
    card(
        "01001", "hero", {"de": "Deichgräfin", "it": "Contessa dell'Argine", "en": "Dyke Countess"}
    ),
    card(
        "01002",
        "ally",
        {"de": "Doktor Schlick", "it": "Dottor Fango", "en": "Doctor Silt"},
        {"de": "Wattforscher", "en": "Mudflat Scholar"},
    ),
    card("01003", "hero", {"de": "Grauer Reiher", "it": "Airone Cinerino", "en": "Grey Heron"}),
    card(
        "02003",
        "ally",
        {"de": "Grauer Reiher", "it": "Airone Cinerino", "en": "Grey Heron"},
        products=FLOOD,
    ),
    card("02004", "event", {"de": "Angriff", "it": "Attacco", "en": "Attack"}, products=FLOOD),
    card("02005", "event", {"de": "J. Jonas Jensen", "en": "J. Jonas Jensen"}, products=FLOOD),
    card(
        "02006",
        "event",
        {"de": "S.O.S.-Boje", "it": "Boa S.O.S.", "en": "S.O.S. Buoy"},
        products=FLOOD,
    ),
    two_sided("02008", {"de": "Nachtwächter", "en": "Night Watch"}, {"de": "Hinnerk Brook"}),
    two_sided("02009", {"de": "Nachtwächter", "en": "Night Watch"}, {"de": "Tabea Kolk"}),
    card(
        "02007",
        "event",
        {"de": "Überspülung", "it": "Dilavamento", "en": "Overwash"},
        products=FLOOD,
    ),
    card(
        "02008",
        "event",
        {"de": "Verwirrung", "it": "Confusione", "en": "Confusion"},
        products=FLOOD,
    ),
    card("02010", "ally", {"de": "Onkel Peter", "en": "Uncle Peter"}, products=FLOOD),
    card("02011", "event", {"de": "Große Verantwortung", "en": "Duty"}, products=FLOOD),
    card("02012", "event", {"de": "Ich bin da!", "en": "Here I am"}, products=FLOOD),
]


def concept(id, names):
    return Concept(
        id, GAME, {language: (name,) for language, name in names.items()}, {}, {}, (), False, {}
    )


CONCEPTS = [
    concept("ally", {"de": "Verbündeter", "it": "Alleato", "en": "Ally"}),
    concept("hero", {"de": "Held", "it": "Eroe", "en": "Hero"}),
    concept("attack", {"de": "Angriff", "it": "Attacco", "en": "Attack"}),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory, word_tables) -> CardStore:
    folder = tmp_path_factory.mktemp("index") / "cards"
    save_cards(
        folder,
        {
            GAME: CARDS,
            "flutlicht": [card("09001", "hero", {"de": "Deichgräfin"}, game="flutlicht")],
        },
        {GAME: CONCEPTS},
    )
    return CardStore.load(folder, word_tables)


def first(store, text):
    return store.find(text, GAME)[0].card.id


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Deichgräfin", "01001"),
        ("deichgrafin", "01001"),
        ("Deichgraefin", "01001"),
        ("Deichgröfin", "01001"),
        ("dyke countess", "01001"),
        ("CONTESSA DELL'ARGINE", "01001"),
        ("Contessa", "01001"),
        ("Dr. Schlick", "01002"),
        ("Schlick Wattforscher", "01002"),
        ("D. Schlick", "01002"),
        ("grauerreiher", "01003"),
        ("SOS Boje", "02006"),
        ("JJJ", "02005"),
        ("ueberspuelung", "02007"),
        ("01002", "01002"),
        ("3/204 Flutset", "02003"),
    ],
)
def test_a_card_is_found_by_any_name_and_spelling(store, text, id):
    assert first(store, text) == id


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Grauer Reiher Verbündeter", "02003"),
        ("Grauer Reiher Held", "01003"),
        ("airone cinerino alleato", "02003"),
        ("Grey Heron hero", "01003"),
        ("Grauer Reiher Flutset", "02003"),
        ("Airone Cinerino Set del Porto", "01003"),
        ("Nachtwächter Hinnerk", "02008"),
        ("Nachtwächter Tabea", "02009"),
        ("Hafenset 3", "01003"),
        ("Set della Piena 3", "02003"),
    ],
)
def test_cards_of_one_name_are_told_apart_by_what_stands_beside_it(store, text, id):
    assert first(store, text) == id


def test_a_hit_says_by_which_name_it_was_found(store):
    hit = store.find("Airone Cinerino", language="it")[0]
    assert (hit.name, hit.language, hit.score) == ("Airone Cinerino", "it", 1.0)
    assert store.find("01002", GAME)[0].name == ""


def test_games_are_kept_apart(store):
    assert store.games == ("flutlicht", GAME)
    assert {hit.card.game for hit in store.find("Deichgräfin")} == {GAME, "flutlicht"}
    assert {hit.card.id for hit in store.find("Deichgräfin", "flutlicht")} == {"09001"}
    assert store.find("Deichgräfin", "unbekannt") == ()
    assert [each.id for each in store.of_game(GAME)] == [each.id for each in CARDS]


def named(store, question):
    return [
        (question[each.start : each.end], each.cards) for each in store.mentions(question, [GAME])
    ]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Darf die Deichgräfin zweimal handeln?", [("Deichgräfin", ("01001",))]),
        ("darf ich deichgrafin zweimal einsetzen", [("deichgrafin", ("01001",))]),
        ("Darf Deichgröfin handeln?", [("Deichgröfin", ("01001",))]),
        (
            "Was tut Doktor Schlick, wenn Grauer Reiher liegt?",
            [("Doktor Schlick", ("01002",)), ("Grauer Reiher", ("01003", "02003"))],
        ),
        ("Wann endet ein Angriff?", []),
        ("Angriff", []),
        ("verwirrung?", [("verwirrung", ("02008",))]),
        ("Was tun bei so viel Verwirrung am Tisch?", []),
        ("Wann darf ich „Angriff“ spielen?", [("Angriff", ("02004",))]),
        ("Was tut die Karte Angriff?", [("Angriff", ("02004",))]),
        ("Wann endet die Runde?", []),
    ],
)
def test_cards_named_in_a_question(store, question, found):
    assert named(store, question) == list(found)


@pytest.mark.parametrize(
    ("language", "question", "sure"),
    [
        ("de", "Wie oft darf ich Onkel Peter einsetzen?", True),
        ("de", "Wann darf ich Große Verantwortung spielen?", True),
        ("de", "Wann trage ich große Verantwortung?", False),
        ("de", "Ich bin da und habe nichts auf der Hand?", False),
        ("de", "Große Verantwortung tragen nur Helden?", False),
        ("de", "WER TRÄGT GROSSE VERANTWORTUNG", False),
        ("en", "How often may I play Duty?", True),
        ("en", "Is it my duty to play?", False),
        ("en", "How Often Does Duty Call?", False),
        ("it", "Quante volte posso giocare Confusione?", True),
        ("it", "C'è confusione sulla regola?", False),
    ],
)
def test_capitals_say_that_ordinary_words_are_a_name(store, language, question, sure):
    named = store.mentions(question, [GAME], language)
    assert (max((each.certainty for each in named), default=0) >= 0.6) is sure


def test_a_name_with_a_slip_is_less_sure_than_one_without(store):
    sure, unsure = (
        store.mentions(f"Darf {name} handeln?")[0].certainty
        for name in ("Deichgräfin", "Deichgröfin")
    )
    assert 0 < unsure < sure == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "?!",
        "x" * 10_000,
        "(a+)+$" * 500,
        "\0\x1b[2J\x7f",
        "\ud800",
        "Deichgräfin " * 3_000,
        "🌊" * 50,
    ],
)
def test_hostile_queries_find_at_most_what_they_name(store, text):
    assert {hit.card.id for hit in store.find(text)} <= {"01001", "09001"}
    assert {id for each in store.mentions(text) for id in each.cards} <= {"01001", "09001"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nasses Holz — Reaktion: Ziehe 1 Karte.", ["Nasses Holz"]),
        ("Zäh.\n“Wet Wood” — Forced Response: Draw 1 card.", ["Wet Wood"]),
        ("ROUGH SEA Whenever you play a song, draw a card.", ["ROUGH SEA"]),
        (
            "HOLD 'EM TIGHT! ⟳, 2 ⬡ — Draw a card.\nA CALM DAY I win.",
            ["HOLD 'EM TIGHT!", "A CALM DAY"],
        ),
        ("LOW TIDE 2 ⬡ — Draw a card.", ["LOW TIDE"]),
        ("I SEE A SAIL A card of yours is ready.", ["I SEE A SAIL"]),
        ("Handlung: Ermatte dies → ziehe 1 Karte.", []),
        ("Wähle eins – Ziehe 1 Karte. SOS gilt nicht.", []),
        ("Verliert die Karte (bis Rundenende) — ziehe.", []),
    ],
)
def test_the_names_of_abilities_are_read_from_the_starts_of_lines(text, names):
    assert list(ability_names(text)) == names


def test_cards_of_an_index_without_a_table_of_abilities_are_still_found(tmp_path, word_tables):
    named = CARDS[0]._replace(
        faces=tuple(
            face._replace(
                texts=tuple(
                    text._replace(display=f"Nasses Holz — {text.quoted.text}")
                    for text in face.texts
                )
            )
            for face in CARDS[0].faces
        )
    )
    save_cards(tmp_path / "cards", {GAME: [named]}, {})
    found = CardStore.load(tmp_path / "cards", word_tables)
    assert [card.id for card in found.with_ability(GAME, "nasses holz")] == ["01001"]
    for file in (tmp_path / "cards").glob("abilities.*"):
        file.unlink()
    older = CardStore.load(tmp_path / "cards", word_tables)
    assert older.with_ability(GAME, "nasses holz") == ()
    assert [card.id for card in older.called(GAME, "Deichgräfin")] == ["01001"]
