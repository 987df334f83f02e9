import pytest

from glossary.card_names import CardRecogniser


@pytest.fixture(scope="module")
def marvel(real, word_tables) -> CardRecogniser:
    return CardRecogniser(
        (r for r in real.rulebooks if r.edition.game == "marvel-champions"), word_tables
    )


@pytest.fixture(scope="module")
def behind(real, word_tables) -> CardRecogniser:
    return CardRecogniser((r for r in real.rulebooks if r.edition.game == "behind"), word_tables)


@pytest.fixture(scope="module")
def pegelwacht(sample, word_tables) -> CardRecogniser:
    return CardRecogniser(
        (r for r in sample.rulebooks if r.edition.game == "pegelwacht"), word_tables
    )


def places(cards, question):
    return {question[n.start : n.end]: n.card for n in cards.mentions(question)}


@pytest.mark.parametrize(
    ("question", "place", "card"),
    [
        ("Darf Jonna Priel das?", "Jonna Priel", "Jonna Priel"),
        ("darf jonna priel das?", "jonna priel", "Jonna Priel"),
        ("Was tut Jonna Prihl?", "Jonna Prihl", "Jonna Priel"),
        ("zieht die rostige anna?", "rostige anna", "Rostige Anna"),
        ("Wirkt der Fährmann auch?", "Fährmann", "Geisterfähre/Fährmann"),
        (
            "gabbiani: chiamata dei gabbiani due volte?",
            "chiamata dei gabbiani",
            "Chiamata dei Gabbiani",
        ),
        ("Cosa fa la Cerata?", "Cerata", "Cerata"),
        ("Se Lontra entra in gioco", "Lontra", "Lontra I/II/III"),
    ],
)
def test_a_card_is_recognised(pegelwacht, question, place, card):
    assert places(pegelwacht, question).get(place) == card


def test_the_first_letter_of_a_misspelt_word_is_right_or_swapped_with_the_second(pegelwacht):
    assert "Jonna Prihl" in places(pegelwacht, "Was tut Jonna Prihl?")
    assert "Jonna Rpiel" in places(pegelwacht, "Was tut Jonna Rpiel?")
    assert "Jonna Briel" not in places(pegelwacht, "Was tut Jonna Briel?")


def test_a_card_brings_its_rulings_and_errata_of_every_edition(pegelwacht):
    (named,) = pegelwacht.mentions("Gilt der Möwenruf noch?")
    assert named.entries == (
        "pegelwacht-de-1.0/erratum-moewenruf-20",
        "pegelwacht-de-1.1/ruling-moewenruf-20",
        "pegelwacht-de-1.1/erratum-moewenruf-20",
    )


@pytest.mark.parametrize(
    ("question", "place", "card"),
    [
        ("pantera nera attacca", "pantera nera", "Pantera Nera"),
        ("Greer Nelson stirbt", "Greer Nelson", "Tigra/Greer Grant Nelson"),
        ("darf Pepper das nochmal", "Pepper", "Pepper Potts"),
        ("spiderman wehrt ab", "spiderman", "Spider-Man"),
        ("der Infinity Handschuh", "Infinity Handschuh", "Infinity-Handschuh"),
        ("chi ha il guanto dell'infinito?", "guanto dell'infinito", "Guanto dell'Infinito"),
        ("jarnbjörn gegen whirlwnd", "whirlwnd", "Whirlwind"),
        ("Se gioco Venom adesso", "Venom", "Venom I/II/III"),
        ("M.O.D.O.K. ist besiegt", "M.O.D.O.K", "M.O.D.O.K."),
        (
            "Wir decken die Illusionen von Ikonn auf",
            "die Illusionen von Ikonn",
            "Die Illusionen von Ikonn",
        ),
        ("Wie geht die Karte Warnung?", "Warnung", "Warnung"),
        ('Cosa fa "grazia"?', "grazia", "Grazia"),
    ],
)
def test_a_real_card_is_recognised(marvel, question, place, card):
    assert places(marvel, question).get(place) == card


@pytest.mark.parametrize(
    "question",
    [
        "warnung an alle",
        "Warnung an alle",
        "assalto su una trama",
        "grazie mille",
        "im kampf der helden",
        "die base brennt",
        "ein guter plan",
        "",
    ],
)
def test_an_everyday_word_is_no_card(marvel, question):
    assert marvel.mentions(question) == ()


def test_an_everyday_word_written_like_a_name_is_less_sure(marvel):
    (ordinary,) = marvel.mentions("Was macht die Warnung?")
    (quoted,) = marvel.mentions('Was macht "Warnung"?')
    assert ordinary.certainty < quoted.certainty == 1.0


@pytest.mark.parametrize("question", ["", " ", "?!", "a" * 5000, '"' * 300, "I/II/III", "\x00"])
def test_any_question_can_be_read(marvel, question):
    assert all(0 <= n.start < n.end <= len(question) for n in marvel.mentions(question))
