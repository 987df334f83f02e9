import json

import pytest

from index.model import Query
from index.ranking.highlights import FEATURES, MOST, WEIGHTS, Highlighter, choose
from index.ranking.passage_sentences import passage_sentences

LONG = (
    "Der Wachhabende gibt die Laterne nach links weiter. Ein lecker Kahn verliert am Ende der "
    "Runde eine Planke. Möwen fressen in der "
    "Flutphase jeden Fisch, der offen im Heck liegt. Wer zuletzt geschlafen hat, mischt den "
    "Ablagestapel und legt ihn verdeckt neben den "
    "Steg. Öl bezahlt Kosten und liegt auf dem Lotsen."
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wer mischt den Ablagestapel?", "Wer zuletzt"),
        ("Was fressen die Möwen?", "Möwen"),
        ("laterne weitergeben nach links", "Der Wachhabende"),
    ],
)
def test_the_sentence_that_answers_is_marked_and_not_most_of_the_others(
    sample_index, question, answer
):
    prepared, _, _ = sample_index.signals(Query(question, language="de"))
    (marked,) = Highlighter.build([(LONG, "de")], sample_index.encoder).highlights([0], prepared)
    assert any(LONG[a:b].startswith(answer) for a, b in marked)
    assert len(marked) <= MOST


@pytest.mark.parametrize(
    "question",
    ["Darf ein Wrack tauchen?", "wrack tauchen hafen", "Wie lange liegt ein Wrack im Hafen?"],
)
def test_of_a_question_with_its_answer_only_the_answer_is_marked(sample_index, question):
    text = (
        "F: Ein Wrack liegt lange im Hafen. Darf ein Wrack tauchen?\n\nA: Nein. Es liegt schon "
        "unten, und dort bleibt es auch bei Ebbe."
    )
    prepared, _, _ = sample_index.signals(Query(question, language="de"))
    (marked,) = Highlighter.build([(text, "de")], sample_index.encoder).highlights([0], prepared)
    assert marked
    assert min(a for a, _ in marked) >= text.index("A:")


def test_marks_are_at_most_three_whole_sentences_with_what_they_hang_on(sample_index):
    asked = [
        "Was passiert mit dem Öl?",
        "Wann steigt der Pegel?",
        "Wer bekommt die Laterne?",
        "Kann ein Wrack sinken?",
    ]
    hits = [hit for question in asked for hit in sample_index.search(Query(question, k=50)).hits]
    several = 0
    for hit in hits:
        language = sample_index.library.edition[
            sample_index.library.entry[hit.passage.entry].edition
        ].language
        whole = passage_sentences(hit.passage.text, language)
        marked = [
            n
            for n, sentence in enumerate(whole)
            if (sentence.start, sentence.end) in hit.highlights
        ]
        assert 1 <= len(marked) == len(hit.highlights) <= MOST
        assert all(n - whole[n].lead in marked for n in marked[-1:])
        several += len(whole) > len(marked)
    assert several > 20


@pytest.mark.parametrize(
    ("text", "question", "marked"),
    [
        (
            "Ein Kahn kann am Ende der Runde eines davon tun:\n- Er tauscht zwei Fässer Öl gegen "
            "eine Planke.\n- Er legt am Steg an.",
            "Wogegen tauscht man Fässer Öl?",
            [
                "Ein Kahn kann am Ende der Runde eines davon tun:",
                "- Er tauscht zwei Fässer Öl gegen eine Planke.",
            ],
        ),
        (
            "Möwen schlafen bei Ebbe. Ein Lotse darf in der Flutphase tauchen. Das gilt jedoch "
            "nicht bei Sturm. Fische sind rot.",
            "Darf der Lotse in der Flutphase tauchen?",
            ["Ein Lotse darf in der Flutphase tauchen.", "Das gilt jedoch nicht bei Sturm."],
        ),
        ("Ein Wrack, das leck ist, sinkt bei Ebbe, außer im Hafen.", "Sinkt ein Wrack?", None),
    ],
)
def test_what_a_sentence_cannot_stand_without_is_marked(sample_index, text, question, marked):
    prepared, _, _ = sample_index.signals(Query(question, language="de"))
    (spans,) = Highlighter.build([(text, "de")], sample_index.encoder).highlights([0], prepared)
    found = [text[a:b] for a, b in spans]
    assert set(marked or [text]) <= set(found)


def test_as_many_are_marked_as_it_takes_to_have_the_one_that_decides():
    told = [(0, 100, 0, 0), (101, 200, 0, 0), (201, 300, 0, 0), (301, 400, 0, 0), (401, 900, 0, 0)]
    assert choose(told, [5.0, 0.0, 0.0, 0.0, 0.0], 900) == ((0, 100),), "one is certain"
    assert choose(told, [1.0, 1.0, -3.0, -3.0, -3.0], 900) == ((0, 100), (101, 200)), (
        "two are as good"
    )
    assert len(choose(told, [1.0, 1.0, 1.0, 1.0, 1.0], 900)) == MOST
    assert choose(told, [1.0, 0.0, -3.0, -3.0, 4.0], 900) == ((401, 900),), (
        "the best is marked however long it is"
    )
    assert choose(told[:2], [2.0, 1.5], 200) == ((0, 100), (101, 200)), (
        "a short passage may be marked throughout"
    )
    assert choose([(0, 200, 0, 0), (201, 400, 0, 0)], [2.0, 1.5], 400) == ((0, 200),), (
        "of a long one half"
    )


def test_a_lead_in_and_an_exception_are_never_left_out():
    told = [
        (0, 30, 0, 0),
        (31, 60, 1, 0),
        (61, 90, 2, 0),
        (91, 120, 3, 1),
        (121, 150, 0, 0),
        (151, 180, 0, 0),
    ]
    assert choose(told, [-9.0, 0.0, 9.0, 0.0, 0.0, 0.0], 180) == ((0, 30), (61, 90))
    assert choose(told, [-9.0, 0.0, 0.0, 9.0, -9.0, 0.0], 180) == ((0, 30), (91, 120), (121, 150))


def test_kept_highlights_are_the_same_when_loaded_again(sample_index, tmp_path):
    sample_index.highlighter.save(tmp_path / "sentences")
    again = Highlighter.load(tmp_path / "sentences")
    prepared, _, _ = sample_index.signals(Query("Was passiert mit dem Öl?"))
    numbers = range(0, len(sample_index.library.searchable), 7)
    assert again.highlights(numbers, prepared) == sample_index.highlighter.highlights(
        numbers, prepared
    )


@pytest.mark.parametrize("question", ["", "?", "…"])
def test_a_question_without_words_is_no_fault(sample_index, question):
    prepared = sample_index.prepare(Query(question), sample_index.scope(Query(question)))
    marked = sample_index.highlighter.highlights(range(5), prepared)
    assert len(marked) == 5
    assert all(marked)


def test_every_feature_has_a_weight():
    assert json.loads(WEIGHTS.read_text(encoding="utf-8")).keys() == set(FEATURES)
