import pytest

from index.model import Query
from index.questions.question_parser import QuestionParser


@pytest.fixture(scope="module")
def reader(sample_index) -> QuestionParser:
    return sample_index.parser


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Darf ich zweimal rudern? Wie viel Öl kostet ein Matrose?",
            ["Darf ich zweimal rudern?", "Wie viel Öl kostet ein Matrose?"],
        ),
        (
            "Wie viele Karten zieht man am Anfang und wer beginnt?",
            ["Wie viele Karten zieht man am Anfang", "wer beginnt?"],
        ),
        (
            "Quante carte pesco all'inizio, e chi comincia?",
            ["Quante carte pesco all'inizio", "chi comincia?"],
        ),
        (
            "How many cards do I draw and can I discard an Oil?",
            ["How many cards do I draw", "can I discard an Oil?"],
        ),
        (
            "wie viele karten zieht man und wer beginnt",
            ["wie viele karten zieht man", "wer beginnt"],
        ),
        (
            "Darf ein Lotse rudern? Und wenn er nass ist?",
            ["Darf ein Lotse rudern?", "Und wenn er nass ist?"],
        ),
        (
            "Posso remare con un pilota esausto? E se è bagnato?",
            ["Posso remare con un pilota esausto?", "E se è bagnato?"],
        ),
    ],
)
def test_questions_for_different_things_are_told_apart(reader, text, parts):
    found = reader.parse(text).parts
    assert [part.asked for part in found] == parts
    assert [text[slice(*part.span)] for part in found] == parts


@pytest.mark.parametrize(
    "text",
    [
        "Wann steigt der Pegel?",
        "Was passiert, wenn mein Deck leer ist und ich eine Karte ziehen muss?",
        "Darf ich zweimal rudern? Also mehr als einmal im Zug rudern?",
        "Darf ich rudern oder geht das nicht?",
        "Darf ich rudern? Oder nicht?",
        "Mein Lotse hat zweimal gerudert. Stimmt das?",
        "What happens if my ally attacks and is defeated?",
        "Se pesco una carta e posso giocarla, cosa succede?",
        "Wann und wie oft darf ich die Seite wechseln?",
        "Wie viele Karten und welche Marker bekomme ich?",
        "Darf ich rudern? Zum Beispiel, wenn ich im Hafen liege?",
    ],
)
def test_one_question_stays_one(reader, text):
    assert reader.parse(text).parts == ()


def test_a_question_that_leans_on_the_one_before_it_is_asked_with_it(reader):
    first, second = reader.parse(
        "Ich spiele zu zweit. Darf ein Lotse im Hafen rudern? Und wenn er nass ist?", "de"
    ).parts
    assert first.searched == "Ich spiele zu zweit. Darf ein Lotse im Hafen rudern?"
    assert (
        second.searched
        == "Ich spiele zu zweit. Darf ein Lotse im Hafen rudern. Und wenn er nass ist?"
    )
    assert second.alone == "Und wenn er nass ist?"


def test_more_than_four_questions_are_four_parts(reader):
    text = (
        "Was ist ein Wrack? Wann steigt der Pegel? Wie viel Öl kostet ein Kahn? Wer beginnt das "
        "Spiel? Wo liegt der Schlick?"
    )
    assert len(reader.parse(text, "de").parts) == 4


def test_each_question_gets_its_own_answer_and_the_whole_has_both(sample_index):
    text = "Sind die Schadensmarker begrenzt? Wie oft pro Zug darf ich meinen Lotsen umdrehen?"
    result = sample_index.search(Query(text, edition="pegelwacht-de-1.1", k=5))
    alone = [
        sample_index.search(Query(part.question, edition="pegelwacht-de-1.1", k=5))
        for part in result.parts
    ]
    assert [part.question for part in result.parts] == text.replace("? ", "?|").split("|")
    assert [part.hits[0].passage.entry for part in result.parts] == [
        "pegelwacht-de-1.1/markervorrat",
        "pegelwacht-de-1.1/seitenwechsel",
    ]
    assert [part.hits[0].passage.id for part in result.parts] == [
        each.hits[0].passage.id for each in alone
    ]
    assert all(part.answered for part in result.parts)
    first = [hit.passage.id for hit in result.hits[:3]]
    assert all(part.hits[0].passage.id in first for part in result.parts)
    assert len(result.hits) == len({hit.passage.id for hit in result.hits}) == 5


def test_one_passage_for_all_questions_is_one_answer(sample_index):
    text = (
        "Wie oft pro Zug darf ich meinen Lotsen umdrehen? Geht ein Seitenwechsel mehrmals in "
        "meinem Zug?"
    )
    assert sample_index.search(Query(text, edition="pegelwacht-de-1.1")).parts == ()


def test_a_quotation_is_found_by_its_own_marks(reader):
    text = 'Mit "Öl" und nicht mit einem Marker auf dem Kahn oder mit "Sog" zahle ich?'
    question = reader.parse(text, "de")
    assert question.quotations == ()
    assert question.short_quotations == ("Öl", "Sog")


@pytest.mark.parametrize(
    ("text", "card_text"),
    [
        (
            "Text: Ermatte diesen Matrosen und nimm ein Öl vom Schlick.\nDarf ich danach rudern?",
            "Text: Ermatte diesen Matrosen",
        ),
        (
            "Wenn du diese Karte ausspielst, ziehe zwei Karten. Darf ich danach rudern?",
            "Wenn du diese Karte",
        ),
        ("Hero Action: Deal 5 damage to one enemy in play. Can I still row?", "Hero Action"),
        (
            "Quando giochi questa carta, pesca due carte dal mazzo. Posso ancora remare?",
            "Quando giochi questa carta",
        ),
    ],
)
def test_card_text_without_marks_is_told_from_the_question(reader, text, card_text):
    ((start, end),) = reader.parse(text).quotations
    assert text[start:end].startswith(card_text)
    assert "?" not in text[start:end]


@pytest.mark.parametrize(
    "text",
    [
        "Ich habe diese Karte ausgespielt und zwei gezogen. Darf ich rudern?",
        "Mein Lotse ist in dieser Runde nass. Darf ich rudern?",
    ],
)
def test_what_the_asker_tells_is_no_card_text(reader, text):
    assert reader.parse(text, "de").quotations == ()


@pytest.mark.parametrize("before", ["{}", "„{}“", "Text: {}\n"])
def test_card_text_does_not_outweigh_the_question_after_it(sample_index, before):
    card = (
        "Nachdem du diese Karte ausgespielt hast, ziehe 2 Karten und lege 1 Öl auf einen Matrosen "
        "deiner Wahl."
    )
    text = f"{before.format(card)} Wie oft pro Zug darf ich meinen Lotsen umdrehen?"
    found = sample_index.search(Query(text, edition="pegelwacht-de-1.1"))
    assert found.hits[0].passage.entry == "pegelwacht-de-1.1/seitenwechsel"
