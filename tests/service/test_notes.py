import json

import pytest

from index.model import Query
from service.answers.answer import answer_out
from service.answers.context import context_out
from service.answers.notes import notes_out
from service.mcp.results import answer_result
from tests.conftest import SAMPLE_QUESTIONS


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("Où se trouvent les toilettes les plus proches, s'il vous plaît ?", "French"),
        ("Gdzie jest najbliższa stacja kolejowa?", "Polish"),
        ("Hány órakor indul a következő vonat Budapestre?", "Hungarian"),
        ("Vad händer om jag glömmer att ta upp ett nytt kort?", "Swedish"),
        ("Kolik toho můžu mít na konci kola u sebe?", "Czech"),
        ("Сколько карт можно иметь в руке?", "Cyrillic"),
        ("手札は何枚まで持てますか？", "letters"),
    ],
)
def test_a_question_that_cannot_be_read_is_noted_in_every_form_of_the_answer(
    snapshot, question, called
):
    result = snapshot.search(Query(question))
    (note,) = answer_out(snapshot, result).notes
    assert note.code == "language-not-read"
    assert called in note.text
    assert note.text.endswith("Ask again in German, Italian or English.")
    assert context_out(snapshot, result).notes == [note]
    assert answer_result(snapshot, result).notes == [note.text]


@pytest.mark.parametrize(
    "question",
    [
        "Qui décide quand plusieurs effets ont lieu en même temps ?",
        "¿Quién decide si hay varios efectos a la vez?",
        "Kto decyduje, gdy kilka efektów dzieje się naraz?",
        "Wie beslist er als meerdere effecten tegelijk gebeuren?",
        "Quem decide quando há vários efeitos ao mesmo tempo?",
    ],
)
def test_a_question_in_another_language_is_read_by_the_terms_it_names(snapshot, question):
    result = snapshot.search(Query(question))
    assert notes_out(snapshot.library, result) == []
    concepts = [snapshot.library.concepts.get(hit.passage.entry, "") for hit in result.hits[:5]]
    assert "pegelwacht/simultaneous-effects" in concepts


def test_questions_that_are_read_have_no_note(snapshot):
    rows = [json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    asked = [row["question"] for row in rows if row["language"] in ("de", "it", "en")]
    asked += [
        "Handlimit",
        "handlimt wievil kartn mus man habn",
        "Pilot swap beim zweiten Kanal legal?",
        "Öl & Laterne",
        "123",
        "🙂",
    ]
    noted = [
        question
        for question in asked
        if notes_out(snapshot.library, snapshot.search(Query(question, k=1)))
    ]
    # No rule: how long a round of a tournament is.
    assert noted == ["Wie viele Minuten hat man im Turnier pro Runde?"]


def test_what_the_caller_says_of_the_language_is_believed(snapshot):
    german, polish = "Was tun wir heute Abend noch?", "Gdzie jest najbliższa stacja kolejowa?"
    assert notes_out(snapshot.library, snapshot.search(Query(german, language="fr")))[
        0
    ].text.startswith("The question seems to be in French")
    assert notes_out(snapshot.library, snapshot.search(Query(polish, language="de"))) == []


@pytest.mark.parametrize(
    ("question", "language", "said"),
    [
        ("Was besagt Regel 9.99.7?", "de", "Keine Regel hat die Nummer 9.99.7."),
        ("Cosa dice la regola 9.99.7?", "it", "9.99.7"),
    ],
)
def test_what_a_bot_shows_of_a_note_is_in_the_language_of_the_answer(
    snapshot, question, language, said
):
    result = snapshot.search(Query(question, language=language))
    (note,) = notes_out(snapshot.library, result)
    assert note.code == "no-such-rule"
    assert said in note.text
    assert not note.text.startswith("No ")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Bei Magic: Wie oft darf ich die Hand austauschen?",
            "Keines der durchsuchten Regelwerke handelt von Magic.",
        ),
        (
            "In Magic quante carte si pescano all'inizio?",
            "Nessuno dei regolamenti consultati riguarda Magic.",
        ),
    ],
)
def test_of_a_game_without_a_rulebook_just_that_is_said(snapshot, question, said):
    result = snapshot.search(Query(question))
    (note,) = notes_out(snapshot.library, result)
    assert (note.code, note.text) == ("other-game", said)
    assert result.settled == "open"
