import json
import random

import pytest

from index.model import Query
from index.questions.look_up import framed_names, is_courtesy, without_courtesies
from index.ranking.confidence import Settlement
from tests.conftest import SAMPLE_QUESTIONS

LANGUAGES = ("de", "it", "en")
FRAMES = {
    "de": [
        "Kurze Frage: {}",
        "Hallo zusammen, {} Danke!",
        "Moin! Wir sind uns nicht einig: {} Vielen Dank schon mal, LG Max",
        "Ich hab da mal eine Regelfrage. {} Was meint ihr?",
        "Wir spielen zum ersten Mal. {}",
        "mein Kumpel und ich hatten gestern Streit: {}",
        "Eine Sache, die uns seit Wochen beschäftigt: {} Mein Bruder sagt nein.",
    ],
    "it": [
        "Una domanda veloce: {}",
        "Ciao a tutti, {} Grazie mille!",
        "Scusate, ho un dubbio sulle regole: {} Qualcuno lo sa?",
        "Buonasera. Siamo nuovi del gioco. {}",
        "Cosa vale qui? {} Cosa ne pensate?",
        "Scusate, ieri sera con gli amici abbiamo litigato su questo: {}",
    ],
    "en": [
        "Quick question: {}",
        "Hi all, {} Thanks in advance!",
        "I have a rules question. {} Any ideas?",
        "Hey everyone! We are new to the game. {} Cheers",
        "Just to be sure: {} What do you think?",
        "We argued about this at the last game night. {}",
    ],
}


@pytest.mark.parametrize("language", FRAMES)
def test_a_greeting_or_thanks_change_neither_the_verdict_nor_the_passages(sample_index, language):
    rows = [
        row
        for row in map(json.loads, SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines())
        if row["language"] == language
    ]
    for row in random.Random(5).sample(rows, min(len(rows), 10)):
        plain = sample_index.search(Query(row["question"], document=row["document"]))
        for frame in FRAMES[language]:
            asked = sample_index.search(
                Query(frame.format(row["question"]), document=row["document"])
            )
            assert (asked.settled, asked.hits[0].passage) == (
                plain.settled,
                plain.hits[0].passage,
            ), frame.format(row["question"])


@pytest.mark.parametrize(
    "story", ["Ich habe drei Kinder und wenig Zeit.", "Das Heft ist von meiner Oma geerbt."]
)
@pytest.mark.parametrize(
    "question", ["Kann ein Wrack geblendet werden?", "Wann haben wir verloren?"]
)
def test_what_names_nothing_of_the_game_does_not_change_the_verdict(sample_index, story, question):
    plain, told = (
        sample_index.search(Query(each, game="pegelwacht"))
        for each in (question, f"{story} {question}")
    )
    assert (told.settled, told.hits[0].passage) == (plain.settled, plain.hits[0].passage)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Hallo, kann mir jemand sagen, ob Nebel zählt? Danke!", "Nebel zählt?"),
        ("Kann mir wer erklären, wie Nebel funktioniert?", "wie Nebel funktioniert?"),
        ("Qualcuno sa se la nebbia conta?", "la nebbia conta?"),
        ("Excuse me, does anyone know whether fog counts? TIA", "fog counts?"),
        (
            "Bonjour, petite question : le brouillard compte ? Merci d'avance",
            "le brouillard compte ?",
        ),
        ("Hola, tengo una duda: ¿cuenta la niebla? Gracias", "cuenta la niebla?"),
        ("Wie zählt Nebel? Danke euch und schönen Abend!", "Wie zählt Nebel?"),
        (
            "Moin in die Runde, kurze Frage an die Judges: zählt Nebel? Beste Grüße aus Kiel",
            "zählt Nebel?",
        ),
        (
            "Buonasera a tutti, domanda veloce da torneo: la nebbia conta? Buona serata",
            "la nebbia conta?",
        ),
        (
            "Sorry if this was asked before, a question for the judges: does fog count? Have a "
            "nice day!",
            "does fog count?",
        ),
        ("Frage zu Nebel", "Frage zu Nebel"),
        ("Kannst du mir Nebel erklären?", "Kannst du mir Nebel erklären?"),
        ("Der Gruß an alle zählt", "Der Gruß an alle zählt"),
        ("Danke", "Danke"),
        ("Hallo!", "Hallo!"),
        ("Was meint ihr?", "Was meint ihr?"),
        ("", ""),
    ],
)
def test_only_courtesies_are_taken_off_and_places_stay(question, left):
    plain = without_courtesies(question, LANGUAGES)
    assert plain.strip() == left
    assert len(plain) == len(question)
    assert question.find(left) == plain.find(left)


@pytest.mark.parametrize(
    "question",
    [
        "Hallo, wie geht es dir?",
        "Was kannst du?",
        "Danke für die Hilfe!",
        "Ciao, come stai?",
        "Puoi aiutarmi?",
        "Hello, how are you?",
        "What can you do?",
    ],
)
def test_a_courtesy_alone_looks_nothing_up(sample_index, question):
    assert is_courtesy(question, LANGUAGES)
    assert sample_index.parser.parse(question).look_up is None
    assert sample_index.search(Query(question)).settled == "open"


@pytest.mark.parametrize(
    "question",
    [
        "Was kannst du mit gehievten Karten machen?",
        "Come va giocata una carta?",
        "What can you do with a token?",
        "Nebel",
    ],
)
def test_what_begins_as_a_courtesy_may_be_a_question(question):
    assert not is_courtesy(question, LANGUAGES)
    assert without_courtesies(question, LANGUAGES) == question


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Tante May", True), ("Zia May", True), ("can May", False), ("Was ist May?", False)],
)
def test_a_capital_makes_a_name_of_any_word(sample_index, text, expected):
    assert sample_index.parser.is_name(text) is expected


def test_the_reader_is_looked_up_only_as_a_word():
    names = [
        {framed.name for framed in framed_names(question, ("de",))}
        for question in ("Was machst du?", "Was bedeutet du?", "du")
    ]
    assert ["du" in each for each in names] == [False, True, True]


def test_a_question_is_found_without_a_question_mark_behind_its_story(sample_index):
    asked = sample_index.parser.parse("Mein Kahn hat zwei Löcher. Sinkt er? Ich glaube ja.")
    assert asked.asking_sentences == ("Sinkt er?",)
    asked = sample_index.parser.parse("Mein Kahn hat zwei Löcher. Wann sinkt er")
    assert asked.asking_sentences == ("Wann sinkt er",)
    asked = sample_index.parser.parse("Mein Kahn hat zwei Löcher. Er sinkt gleich")
    assert asked.asking_sentences == ("Mein Kahn hat zwei Löcher. Er sinkt gleich",)


@pytest.mark.parametrize(
    "question",
    [
        "xqzt",
        "Wie funktioniert Blorbquark?",
        "Cos'è lo Zumbrellus?",
        "What is a flumphle?",
        "q",
        "77",
    ],
)
def test_words_that_nothing_knows_find_nothing(sample_index, question):
    asked = sample_index.search(Query(question))
    assert asked.settled is Settlement.OPEN
    assert not asked.hits


@pytest.mark.parametrize(
    "question",
    [
        "Wrakc",
        "Lotsenkarte",
        "kartengröße",
        "Mindestzahl Deckkarten",
        "Was macht der Lotse?",
        "Karte",
        "wie",
    ],
)
def test_a_word_that_is_known_in_part_or_misspelt_still_finds(sample_index, question):
    assert sample_index.search(Query(question)).hits
