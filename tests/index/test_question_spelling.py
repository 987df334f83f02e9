from dataclasses import replace

import pytest

from glossary.query_variants import QueryVariant
from index.library.indexed_texts import IndexedText
from index.model import Query
from index.questions.spelling import spelled_words


@pytest.fixture(scope="module")
def corrected(sample_index):
    parser = sample_index.parser
    return parser._spelling.corrected


@pytest.mark.parametrize(
    ("typed", "language", "meant"),
    [
        ("Wer darf verteidgen?", "de", "Wer darf verteidigen?"),  # a letter less
        ("Wer wird angegrifffen?", "de", "Wer wird angegriffen?"),  # one more
        ("Wer wird angergiffen?", "de", "Wer wird angegriffen?"),  # two swapped
        ("Wann beginnt die Fluthpase?", "de", "Wann beginnt die Flutphase?"),
        ("Quando posso attacare?", "it", "Quando posso attaccare?"),
        ("Darf ein durchnasster Matrose das?", "de", "Darf ein durchnässter Matrose das?"),
    ],
)
def test_a_typo_in_a_word_of_the_rulebooks_is_corrected(corrected, typed, language, meant):
    assert corrected(typed, language).lower() == meant.lower()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Darf mein Hund wenigstens irgendwann mitspielen?", "de"),  # unknown, and no typos
        ("Was steht auf „Fluthpase“?", "de"),  # quoted: how it is printed
        ("Cosa succede se Attacare è in gioco?", "it"),  # a name
        ("¿Puedo atacar en la fase de angriffen?", "es"),  # no variants tell typos from words
    ],
)
def test_words_that_may_be_meant_as_they_are_stay(corrected, text, language):
    assert corrected(text, language) == text


def test_a_word_that_is_looked_up_only_gets_back_its_umlauts(corrected):
    assert corrected("Was ist ein Angreiffer?", "de", "Angreiffer") == "Was ist ein Angreiffer?"
    assert corrected("Was ist durchnasst?", "de", "durchnasst").lower() == "was ist durchnässt?"


@pytest.mark.parametrize(
    "question",
    ["Wie viele {} darf ich haben?", "Wie viele {} habe ich?", "Gibt es ein Limit für {}?"],
)
def test_only_what_nothing_but_a_look_up_surrounds_is_looked_up(sample_index, question):
    text = sample_index.parser.parse(question.format("Matorsen")).text
    assert text == question.format("Matrosen")


@pytest.mark.parametrize(
    ("meant", "typed"),
    [
        ("Wann steigt der Pegel in der Flutphase?", "Wann steigt der Pegel in der Flutpahse?"),
        ("Kann ein durchnässter Matrose angreifen?", "Kann ein durchnäster Matrose angreiffen?"),
        ("Was bedeutet Durchnässt?", "Was bedeuttet Durchnässt?"),
    ],
)
def test_a_question_with_a_typo_is_answered_as_without(sample_index, meant, typed):
    found, again = (
        sample_index.search(Query(each, edition="pegelwacht-de-1.1")) for each in (meant, typed)
    )
    assert again.hits[0].passage == found.hits[0].passage
    assert (again.settled, again.query.question) == (found.settled, typed)


def test_the_parts_of_a_question_with_typos_are_where_they_were_typed(sample_index):
    typed = "Wann begint die Fluthpase? Wie viele Gereate darf ein Matrose tragen?"
    parts = sample_index.search(Query(typed, edition="pegelwacht-de-1.1")).parts
    assert [typed[slice(*part.span)] for part in parts] == [part.question for part in parts]
    assert len(parts) == 2


def test_variants_with_typos_correct_nothing_to_them(sample_index):
    tables = sample_index.analyzer.tables
    text = IndexedText("Wildflutung Wildflutung Einmalwort", "de", ())
    assert spelled_words([text], tables) == {}  # without variants nothing tells typos from words
    parts = ("Spiel", "Karte", "Boot", "Pegel", "Runde", "Wache", "Damm", "Wasser")
    many = " ".join(f"{a}{b}{c}" for a in parts for b in parts for c in parts)
    variants = (QueryVariant(f"beginnt ablegn {many}", "de"),)
    words = spelled_words([replace(text, phrasings=variants)], tables)["de"]
    assert "beginnt" in words
    assert "Wildflutung" in words
    assert {"ablegn", "Einmalwort"}.isdisjoint(words)
