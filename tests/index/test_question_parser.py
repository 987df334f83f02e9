from dataclasses import replace

import pytest

from glossary.card_names import CardMention
from index.questions.question_parser import Asks, QuestionParser


@pytest.fixture(scope="module")
def reader(sample_index) -> QuestionParser:
    return QuestionParser(sample_index.library, sample_index.analyzer.tables)


def cards(question):
    return {named.card for named in question.cards["pegelwacht"]}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Was bedeutet durchnässt?", Asks.DEFINITION),
        ("Was ist ein Wrack?", Asks.DEFINITION),
        ("Che cosa significa Correnti?", Asks.DEFINITION),
        ("What does soaked mean?", Asks.DEFINITION),
        ("Was ist mit meinem Öl, wenn der Lotse nass wird?", Asks.OPEN),
        ("Was steht in Regel 2.1.3?", Asks.RULE),
        ("Gilt der Möwenruf als Vogel?", Asks.CARD),
        ("In welcher Reihenfolge werden zwei Wracks aktiv?", Asks.TIMING),
        ("Quando sale il livello?", Asks.TIMING),
        ("Mein Kahn ist leck. Darf ich trotzdem rudern?", Asks.YES_NO),
        ("Posso pescare due carte?", Asks.YES_NO),
        ("Can I still row?", Asks.YES_NO),
        ("flutkarten verteilen", Asks.OPEN),
    ],
)
def test_what_is_asked_is_told_apart(reader, text, asks):
    assert reader.parse(text).asks is asks


def test_the_story_is_told_from_the_asking_sentences(reader):
    text = (
        "Ich habe zwei Kähne. Mein Lotse ist nass. Was passiert mit dem Öl? Und darf ich danach "
        "noch rudern?"
    )
    assert reader.parse(text, "de").asking_sentences == (
        "Was passiert mit dem Öl?",
        "Und darf ich danach noch rudern?",
    )


def test_a_text_without_a_question_mark_asks_as_a_whole(reader):
    assert reader.parse("öl verfällt wann", "de").asking_sentences == ("öl verfällt wann",)


def test_quoted_card_text_is_no_part_of_what_is_asked(reader):
    text = "Was heißt „Nachdem du gepeilt hast, nimm ein Öl und ermatte diesen Matrosen“ für mich?"
    question = reader.parse(text, "de")
    ((start, end),) = question.quotations
    assert text[start:end].startswith("Nachdem du gepeilt hast")
    assert "Matrosen" not in question.asking_sentences[0]
    assert question.short_quotations == ()


def test_short_quotations_are_names(reader):
    assert reader.parse("Was heißt „jedes Mal“ auf einer Karte?", "de").short_quotations == (
        "jedes Mal",
    )


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Karte 20", {"20"}),
        ("karte nr. 31b", {"31b"}),
        ("carta n° 7", {"7"}),
        ("Auf der Karte 4 Marker, darf ich ablegen?", set()),
        ("Ich ziehe 3 Karten", set()),
    ],
)
def test_printed_numbers_of_cards(reader, text, numbers):
    assert reader.parse(text, "de").card_numbers == numbers


@pytest.mark.parametrize(
    ("text", "rules", "steps"),
    [
        ("Was steht in 2.1.3?", {"2.1.3"}, set()),
        ("Schritt 4 des Aufbaus", set(), {4}),
        ("il passo 10 della preparazione", set(), {10}),
        ("Version 1.5 kostet 3 Öl", set(), set()),
        ("What does 704.5 (J) say?", {"704.5 (j)"}, set()),
        ("Wir teilen 3 Karten aus", set(), set()),
        ("Was steht in Paragraf 3?", {"3"}, set()),
    ],
)
def test_rule_numbers_and_steps(reader, text, rules, steps):
    question = reader.parse(text)
    assert ({rule.printed for rule in question.rules}, question.steps) == (rules, steps)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Gibt es Errata zu Nebelhorn?", True),
        ("Was wurde an Nebelhorn geändert?", True),
        ("Ist der Text von Nebelhorn korrigiert worden?", True),
        ("Cosa è cambiato sulla carta Nebelhorn?", True),
        ("Nebelhorn è stata corretta?", True),
        ("What was changed on Nebelhorn?", True),
        ("Has Nebelhorn been updated?", True),
        ("Darf ich angreifen, wenn Nebelhorn seine Seite geändert hat?", False),
        ("Was gilt, falls die Rotte von Nebelhorn geändert wurde?", False),
        ("Posso attaccare se la rotta di Nebelhorn è stata cambiata?", False),
        ("If Nebelhorn has changed its side, may it attack?", False),
        ("Gibt es ein Ruling zu Nebelhorn?", False),
    ],
)
def test_what_asks_for_an_erratum(reader, text, asks):
    assert reader.parse(text).asks_for_errata is asks


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("Wie viele Karten zieht man in Pegelduell?", "pegelduell"),
        ("PEGELWACHT: chi inizia?", "pegelwacht"),
        ("Darf ich ziehen, wie in Pegelduell?", None),
        ("Ist es in Pegelwacht anders als in Pegelduell?", "pegelwacht"),
        ("Unterschied zwischen Pegelwacht und Pegelduell", None),
        ("Wer fängt an?", None),
    ],
)
def test_the_game_that_a_question_is_about(reader, text, game):
    assert reader.game_of(text) == game


def test_cards_and_terms_are_recognised_by_game(reader):
    question = reader.parse("Wird Nebelhorn durchnaesst?", "de")
    assert "Nebelhorn" in cards(question)
    assert question.cards["pegelduell"] == ()
    assert any("durch" in mention.name.lower() for mention in question.mentions["pegelwacht"])


@pytest.mark.parametrize(("certainty", "game"), [(0.85, "Magic"), (1.0, None)])
def test_the_name_of_another_game_is_no_misspelt_card(reader, certainty, game):
    parsed = reader.parse("Bei Magic: wie oft darf ich rudern?", "de")
    named = CardMention(4, 9, "Magik", (), certainty)
    assert reader.other_game(replace(parsed, cards={"pegelwacht": (named,)}), ()) == game


def test_cards_and_terms_of_other_games_than_those_asked_about_are_none(reader):
    question = reader.parse("Wird Nebelhorn durchnaesst?", "de", ["pegelduell"])
    assert question.cards["pegelwacht"] == question.mentions["pegelwacht"] == ()
    assert question.asks is Asks.YES_NO
    assert (
        question.mentions["pegelduell"]
        == reader.parse("Wird Nebelhorn durchnaesst?", "de").mentions["pegelduell"]
    )


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("wie oft darf ich", "de"),
        ("Kann ich Nightfall of the Deep spielen wenn der Kahn voll ist", "de"),
        ("quante carte posso pescare con la lanterna", "it"),
        ("can i still row when my boat is leaking", "en"),
        ("the Flutkarte Pegelstand Nebelhorn", "en"),  # German, as n-grams have it
        ("der lotse ist nass but what now", "en"),  # hardly more of one than of another: by n-grams
        ("pescare carte lanterna", "it"),  # none: the same
        ("42?", "de"),
    ],
)
def test_the_language_is_told_by_small_words_before_anything_else(reader, text, language):
    assert reader.parse(text).language == language


def test_the_name_of_a_card_is_no_misspelt_term(sample_index):
    tables = sample_index.analyzer.tables

    def looked_up(question, *cards):
        def is_card(game, name):
            return (game, name) in cards

        return QuestionParser(sample_index.library, tables, is_card=is_card).parse(question).look_up

    games = sample_index.library.games
    assert looked_up("Was macht Aktivirung?")
    assert not looked_up("Was macht Aktivirung?", ("pegelwacht", "Aktivirung"))
    assert looked_up("Was macht Lotsen?", *((game, "Lotsen") for game in games))


@pytest.mark.parametrize("word", ["Totter", "Potter", "Frotta", "Corto"])
def test_a_word_of_some_likely_language_is_no_misspelt_name(reader, word):
    assert reader.parse(f"Was ist {word}?").look_up is None
