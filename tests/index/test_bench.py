import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from index.ranking.fusion import TOTAL
from tests.bench.measure import Measured, Ranks, ranks, right_texts
from tests.bench.questions import (
    Question,
    Questions,
    from_headings,
    gather,
    read_questions,
)
from tests.bench.run import compare, page
from tests.bench.systems import (
    INSTEAD,
    Fts5,
    Regula,
    System,
    Text,
    missing,
    texts_of,
)
from tests.bench.tune import FOLDS, held_out_weights
from tests.conftest import ROOT, SAMPLE_QUESTIONS


def text(entry, evidence, document="hafen.txt"):
    return Text(evidence, "de", document, evidence, entry)


TEXTS = [
    text("anker", "Ein Anker hält ein Boot."),
    text("anker", "Er wird am Ende der Runde\ngelichtet."),
    text("boot", "Ein Boot hat zwei Plätze."),
    text("kran", "Ein Kran hebt Fracht."),
    text("kran", "Ein Boot hat zwei Plätze.", document="werft.txt"),
]


def question(*quotes, id="q"):
    return Question(id, "Wann wird der Anker gelichtet?", "hafen.txt", "de", "dev", quotes)


@pytest.mark.parametrize(
    ("quotes", "numbers"),
    [
        (["am Ende der Runde gelichtet"], {1}),  # printed over two lines
        (["Boot hat zwei  Plätze"], {2}),  # the other document has it too, and was not asked
        (["hebt Fracht", "hält ein Boot"], {0, 3}),
        (["gelichtet. Ein Boot"], set()),  # in no single passage
    ],
)
def test_a_passage_is_right_if_it_holds_a_quote_in_the_document_asked(quotes, numbers):
    asked = question(*quotes)
    assert right_texts([asked], TEXTS) == {asked: numbers}


@pytest.mark.parametrize(
    ("found", "passage", "place"),
    [
        ([1, 0, 2], 1, 1),
        ([0, 2, 1], 3, 1),  # the place is found before the passage
        ([2, 2, 3, 0], None, 3),  # two passages of one entry are one place
        ([2, 3], None, None),
        ([], None, None),
        ([2] * 10 + [1], None, 2),  # beyond the tenth passage, yet the second place
    ],
)
def test_passages_are_counted_one_by_one_and_places_by_distinct_entries(found, passage, place):
    assert ranks(found, frozenset({1}), TEXTS) == Ranks(passage, place)


def test_recall_and_reciprocal_rank_are_shares_of_all_questions():
    found = [Ranks(1, 1), Ranks(5, 2), Ranks(10, None), Ranks(None, None)]
    by_question = {question(id=str(number)): each for number, each in enumerate(found)}
    measured = Measured("x", by_question, ()).quality([*by_question, question(id="never asked")])
    assert measured.count == 4
    assert measured.passage == (0.25, 0.5, 0.75, pytest.approx((1 + 1 / 5 + 1 / 10) / 4))
    assert measured.place == (0.25, 0.5, 0.5, pytest.approx((1 + 1 / 2) / 4))


SENTENCES = {
    "pegelwacht-de-1.1.txt": "Eine Karte treibt ab, sobald sie aus einer Zone im Spiel in den "
    "Schlick gelegt wird.",
    "pegelwacht-it-1.1.txt": "Una carta che affiora viene messa scoperta davanti al giocatore e "
    "risolta secondo il suo tipo.",
}


@pytest.mark.parametrize("kind", [Regula, *INSTEAD], ids=lambda kind: kind.name)
def test_every_system_finds_an_exact_sentence_and_keeps_to_its_document(sample_index, kind):
    system: System = kind(sample_index) if kind is Regula else kind()
    if missing(system):
        pytest.skip(f"{system.package} is not installed")
    texts = texts_of(sample_index.library)
    if kind is not Regula:  # a model takes its time over all of them
        texts = [
            t
            for n, t in enumerate(texts)
            if n % 8 == 0 or any(s in t.evidence for s in SENTENCES.values())
        ]
    system.build(texts)
    for document, sentence in SENTENCES.items():
        found = system.search(sentence, document, 10)
        assert any(sentence in texts[n].evidence for n in found[:2])
        assert {texts[n].document for n in found} == {document}
        assert len(found) == len(set(found)) <= 10


def test_a_system_whose_package_is_not_installed_is_named_not_measured(sample_index):
    class Absent(Fts5):
        name = "Sonar"
        package: str | None = "no-such-package"

    assert missing(Absent())
    assert not missing(Fts5())
    notes, tables = compare(
        sample_index,
        [Fts5(), Absent()],
        Questions(from_headings(sample_index.library)[:2]),
        lambda _: None,
        2,
    )
    assert any(note.startswith("Sonar: not installed") for note in notes)
    assert "Sonar" not in "".join(table.plain() for table in tables)


def test_questions_are_read_from_a_folder_and_those_to_other_documents_left_out_with_a_word(
    sample_index, tmp_path
):
    row = {"id": "a", "document": "pegelwacht-de-1.1.txt", "language": "de", "kind": "wild", "question": "Wie hoch?",
           "answers": [{"lines": [1, 1], "heading": "PEGEL", "quote": "steigt"}]}  # fmt: skip
    rows = [row, {**row, "id": "b", "document": "fremd.txt"}]
    (tmp_path / "forum.jsonl").write_text(
        "\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8"
    )
    asked = gather(tmp_path, sample_index.library)
    assert asked.all == (
        Question("a", "Wie hoch?", "pegelwacht-de-1.1.txt", "de", "forum", ("steigt",)),
    )
    assert len(asked.notes) == 1
    assert asked.notes[0].endswith(": 1.")


def test_each_question_is_asked_with_weights_that_were_learned_without_it_and_its_twins(
    sample_index,
):
    held_out = held_out_weights(sample_index, [SAMPLE_QUESTIONS])
    asked = read_questions(SAMPLE_QUESTIONS)
    assert held_out.keys() == {(each.text, each.document) for each in asked}
    assert all(sum(weights.values()) == pytest.approx(TOTAL) for weights in held_out.values())
    by_story: dict[str, set[tuple[float, ...]]] = {}
    for each in asked:
        by_story.setdefault(each.story, set()).add(
            tuple(held_out[each.text, each.document].values())
        )
    assert all(len(weights) == 1 for weights in by_story.values())
    assert len(set().union(*by_story.values())) == FOLDS


def test_a_whole_run_gives_a_page_with_date_command_and_no_path_of_this_machine(sample_index):
    asked = from_headings(sample_index.library)[:4]
    forum = tuple(
        dataclasses.replace(each, file="forum", language=language)
        for each in asked[:1]
        for language in ("de", "en")
    )
    questions = Questions((*asked, *forum), ("a note",))
    notes, tables = compare(
        sample_index, [Regula(sample_index), Fts5()], questions, lambda _: None, 6
    )
    text = page(notes, tables, "python -m tests.bench", datetime(2031, 5, 6, tzinfo=UTC))
    assert "2031-05-06" in text
    assert "`python -m tests.bench`" in text
    assert "- a note" in text
    titles = [table.title for table in tables]
    assert titles[:3] == [
        "Quality: headings (n = 4)",
        "Quality: forum in German and Italian (n = 1)",
        "Quality: forum in English (n = 1)",
    ]
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert table.rows[0][0] == "Regula"
    assert not any(str(place) in text for place in (Path.home(), ROOT, ROOT.parent))
