from dataclasses import replace

import pytest

from index.model import Query
from index.questions.question_parser import QuestionParser

WACHT = "pegelwacht-de-1.1"
ITALIAN = "pegelwacht-it-1.1"


@pytest.fixture(scope="module")
def reader(sample_index) -> QuestionParser:
    return sample_index.parser


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "und wenn er erschöpft ist?"),
        ("de", "Und bei Wracks?"),
        ("de", "Gilt das auch im Solospiel?"),
        ("de", "Warum?"),
        ("de", "wie oft"),
        ("de", "Darf er dann noch rudern?"),
        ("de", "was, wenn keine Karten mehr da sind?"),
        ("de", "auch wenn der Kahn nass ist?"),
        ("de", "auch in der Alter-Ego-Gestalt?"),
        ("de", "Wer entscheidet das?"),
        ("de", "wenn er durchnässt ist"),
        ("it", "e se è esausto?"),
        ("it", "Vale anche per gli alleati?"),
        ("it", "Posso giocarla lo stesso?"),
        ("it", "E quanto dura?"),
        ("en", "and if it is exhausted?"),
        ("en", "What about wrecks?"),
        ("en", "Can it still defend?"),
        ("en", "Does that count as an attack?"),
    ],
)
def test_what_cannot_be_understood_alone_is_read_with_the_question_before_it(
    reader, language, question
):
    found = reader.follow_up(question, ["Darf ein Lotse angreifen?"], language)
    assert found is not None
    assert found.before == ("Darf ein Lotse angreifen?",)
    assert found.text.startswith("Darf ein Lotse angreifen. ")
    assert found.text[found.start :].startswith(question)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wie viele Karten hat die Starthand?"),
        ("de", "Gibt es ein Handlimit?"),
        ("de", "Wenn mein Lotse ermattet ist, kann er angreifen?"),
        ("de", "Handlimit"),
        ("de", "Was bedeutet Eisern?"),
        ("de", "Darf die Karte noch angreifen?"),
        ("de", "Kann ein Wrack angreifen, wenn es durchnässt ist?"),
        ("it", "Quante carte posso tenere in mano?"),
        ("it", "Un relitto può attaccare se è bagnato?"),
        ("en", "How many cards do I draw?"),
        ("en", "Can a wreck attack if it is soaked?"),
        ("en", "Is it possible to discard an ally?"),
    ],
)
def test_what_can_be_understood_alone_is_read_alone(reader, language, question):
    assert reader.follow_up(question, ["Darf ein Lotse angreifen?"], language) is None


def test_the_question_before_brings_what_it_leans_on_itself(reader):
    before = ["Was ist ein Gerät?", "Darf ein Lotse angreifen?", "Und wenn er ermattet ist?"]
    found = reader.follow_up("und ein Matrose?", before, "de")
    assert found is not None
    assert found.before == ("Darf ein Lotse angreifen?", "Und wenn er ermattet ist?")


FURTHER = [
    (WACHT, "Darf ein Lotse angreifen?", "und wenn er durchnässt ist?", "DURCHNÄSST, DURCHNÄSSEN"),
    (WACHT, "Was passiert, wenn das Flutdeck leer ist?", "Darf man es sich ansehen?", "FLUTDECK"),
    (
        WACHT,
        "Wie viele Geräte darf ein Matrose haben?",
        "und wenn er das Spiel verlässt?",
        "ANHANG",
    ),
    (
        WACHT,
        "Wie spiele ich eine Karte aus?",
        "und wenn ein Ziel fehlt?",
        "FÄHIGKEITEN EINLEITEN, KARTEN SPIELEN",
    ),
    (
        WACHT,
        "Wie läuft der Angriff eines Wracks ab?",
        "und wer darf dagegenhalten?",
        "ANGRIFF (WRACK)",
    ),
    (WACHT, "Was ist ein geblendeter Matrose?", "gilt das auch für Wracks?", "GEBLENDET, BLENDEN"),
    (WACHT, "Was bedeutet Anker?", "Kann man es trotzdem verschieben?", "ANKER X"),
    (WACHT, "Was macht Flink?", "wie oft?", "FLINK"),
]


@pytest.mark.parametrize(("edition", "first", "further", "heading"), FURTHER)
def test_asked_further_the_passage_is_found(sample_index, edition, first, further, heading):
    found = sample_index.search(Query(further, edition=edition, k=3, context=(first,)))
    assert found.follow_up is not None
    assert heading in [sample_index.library.entry[hit.passage.entry].heading for hit in found.hits]


def test_asked_further_more_is_found_than_alone(sample_index):
    def first_three(query, heading):
        return heading in [
            sample_index.library.entry[hit.passage.entry].heading
            for hit in sample_index.search(query).hits
        ]

    queries = [
        (Query(further, edition=edition, k=3), first, heading)
        for edition, first, further, heading in FURTHER
    ]
    alone = sum(first_three(query, heading) for query, _, heading in queries)
    assert alone < sum(
        first_three(replace(query, context=(first,)), heading) for query, first, heading in queries
    )


def test_what_is_read_alone_is_answered_as_without_a_context(sample_index):
    query = Query("Wie viele Geräte hängen an einer Karte?", edition=WACHT, language="de", k=5)
    alone, behind = (
        sample_index.search(query),
        sample_index.search(replace(query, context=("Was ist ein Wrack?",))),
    )
    assert behind.follow_up is None
    assert (behind.hits, behind.confidence, behind.parts) == (
        alone.hits,
        alone.confidence,
        alone.parts,
    )


def test_two_questions_asked_further_are_told_apart_where_they_stand(sample_index):
    question = "Und wenn er durchnässt ist? Wie viele Geräte darf er haben?"
    found = sample_index.search(
        Query(question, edition=WACHT, k=5, context=("Darf ein Lotse angreifen?",))
    )
    assert [part.question for part in found.parts] == [
        "Und wenn er durchnässt ist?",
        "Wie viele Geräte darf er haben?",
    ]
    assert [question[slice(*part.span)] for part in found.parts] == [
        part.question for part in found.parts
    ]
