import json
import re
from typing import Any

import pytest
import torch

from glossary.query_variants import load_query_variants
from index.model import Query
from service.cli import main
from service.ops.feedback.recording import (
    FeedbackRecorder,
    PassageReference,
)
from service.ops.feedback.records import (
    FeedbackOrigin,
    FeedbackRecord,
    JudgedPassage,
    Verdict,
    confirmed_questions,
    open_questions,
    question_groups,
    undone_record,
)
from service.ops.feedback.store import FeedbackStore
from service.ops.indexes import IndexManager
from service.ops.settings import load, locations
from service.schemas.fields import MOST_PASSAGES
from tests.service.test_feedback import record
from tests.service.test_workspace import GERMAN

EDITION = "nebelkutter-de-3.1"
ODD = "Eisen unten: wie oft setze ich aus?"  # in none of the words of the passage on anchors
PASSAGE = JudgedPassage(id="a-de/x#0", fingerprint="0123456789ab", label="A, X, Z. 1")


def snapshot():
    """The index of the workspace, built where it does not fit."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so little is trained that threads would only wait for each other
    found = IndexManager(locations(load({}))).ready()
    torch.set_num_threads(threads)
    return found


def rank(found):
    """The rank of the passage on anchors for the odd question; one behind the last where it is not
    found.
    """
    hits = found.search(Query(ODD, k=MOST_PASSAGES)).hits
    return next(
        (n for n, hit in enumerate(hits, 1) if "Anker wirft" in hit.passage.text), len(hits) + 1
    )


@pytest.mark.acceptance
def test_a_confirmed_question_becomes_a_phrasing_that_the_next_index_finds(regula, home, tmp_path):
    book = tmp_path / "nebelkutter-de.md"
    book.write_text(GERMAN, encoding="utf-8")
    assert regula("add", book, "--yes").status == 0
    before = snapshot()
    assert rank(before) > 1
    recorder = FeedbackRecorder(FeedbackStore(home))
    (anchor,) = [p for p in before.library.passages if "Anker wirft" in p.text]
    (horn,) = [p for p in before.library.passages if "vertreibt" in p.text]
    for question, passage, verdict in (
        (ODD, anchor, Verdict.HIT),
        ("stuck how long?", anchor, Verdict.HIT),
        (ODD, horn, Verdict.MISS),
    ):
        reference = PassageReference(entry=passage.entry, spans=passage.spans)
        recorder.judge(
            before,
            {"question": question, "language": "en" if "?" in question[:16] else "de"},
            verdict,
            reference,
            FeedbackOrigin.API,
        )

    file = tmp_path / "questions.jsonl"
    assert regula("feedback", "questions", "--output", file).status == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(row["question"], row["kind"], row["document"]) for row in rows] == [
        (ODD, "feedback", f"nebelkutter/{book.name}"),
        ("stuck how long?", "feedback", f"nebelkutter/{book.name}"),
    ]
    assert rows[0]["answers"] == [
        {"lines": list(anchor.lines), "heading": "Der Anker", "quote": anchor.text}
    ]

    written = regula("feedback", "phrasings", "--edition", EDITION)
    assert written.status == 0
    assert "2 questions added, marked for review" in written.out
    (phrased,) = load_query_variants(EDITION, home / "phrasings")
    assert (phrased.players, phrased.others, phrased.drafted) == (
        (ODD,),
        (("stuck how long?", "en"),),
        "",
    )
    assert dict(phrased.review) == dict.fromkeys(
        (ODD, "stuck how long?"), "asked by users, who called this passage right (times: 1)"
    )
    text = (home / "phrasings" / f"{EDITION}.yaml").read_text(encoding="utf-8")
    assert regula("feedback", "phrasings").out == "no confirmed question is new\n"
    (home / "phrasings" / f"{EDITION}.yaml").write_text(
        "", encoding="utf-8"
    )  # struck out in review: not put there again
    assert regula("feedback", "phrasings").out == "no confirmed question is new\n"

    (home / "phrasings" / f"{EDITION}.yaml").write_text(text, encoding="utf-8")
    assert rank(snapshot()) == 1
    assert regula("feedback", "questions", "--output", file).status == 0
    assert {json.loads(line)["kind"] for line in file.read_text(encoding="utf-8").splitlines()} == {
        "phrased"
    }
    evaluated = regula("evaluate", file)
    assert evaluated.status == 0
    assert re.search(r"^kind phrased +2 +1\.000", evaluated.out, re.MULTILINE)


def test_what_is_kept_is_listed(regula, home):
    assert "nothing is kept yet" in regula("feedback").out
    store = FeedbackStore(home)
    hit = record("Darf ich?", verdict=Verdict.HIT, passage=PASSAGE, rank=2, edition="a-de")
    store.append(hit)
    store.append(record("Und\nnun?"))
    (store.folder / "2031-05.jsonl").open("ab").write(b"rubbish\n")
    listed = regula("feedback")
    assert listed.out.splitlines()[1:] == [
        f"{hit.id}  2031-05-17  hit         api        2  Darf ich?  ->  A, X, Z. 1",
        f"{json.loads(regula('feedback', '--json').out.splitlines()[1])['id']}  2031-05-17  "
        "unanswered  api           Und nun?",
    ]
    assert "line 3: no record of feedback" in listed.err
    (only,) = map(json.loads, regula("feedback", "--edition", "a-de", "--json").out.splitlines())
    assert (only["verdict"], only["passage"]["label"], only["confidence"]) == (
        "hit",
        "A, X, Z. 1",
        None,
    )


def test_unanswered_questions_are_told_alike_ones_together(regula, home):
    store = FeedbackStore(home)
    asked = [
        ("Wie wird das Wetter "
         "morgen?", "2031-05-17"), ("wetter "
                                    "morgen???", "2031-05-18"), ("Weter morgen", "2031-05-18"),
        ("Wie wird das Wetter "
         "morgen?", "2031-05-18"), ("Wie wird das Wetter "
                                    "morgen?", "2031-05-18"),  # of two processes
        ("Wo kaufe ich Gummistiefel?", "2031-05-18"),
    ]  # fmt: skip
    for question, day in asked:
        store.append(record(question, day))
    store.append(record("Wer zahlt die Kohle?", verdict=Verdict.MISS, passage=PASSAGE))
    groups = [
        json.loads(line) for line in regula("feedback", "--unanswered", "--json").out.splitlines()
    ]
    assert [[each["question"] for each in group["questions"]] for group in groups] == [
        ["Wie wird das Wetter morgen?", "Weter morgen", "wetter morgen???"],
        ["Wer zahlt die Kohle?"],
        ["Wo kaufe ich Gummistiefel?"],
    ]
    assert [(group["count"], group["misses"]) for group in groups] == [(4, 0), (1, 1), (1, 0)]
    assert (
        '4 times unsettled, 0 times "not it", in all rulebooks:'
        in regula("feedback", "--unanswered").out
    )


def test_the_owner_confirms_that_a_question_is_open_or_drops_it(regula, home):
    store = FeedbackStore(home)
    first, second = record("Wo gibt es Stiefel?", edition="a-de"), record("Unfug")
    store.append(first)
    store.append(second)
    assert regula("feedback", "open", first.id[:8]).out == "open: Wo gibt es Stiefel?\n"
    assert regula("feedback", "drop", second.id).out == "dropped: Unfug\n"
    assert regula("feedback", "--unanswered").out == "every question was settled\n"
    refused = regula("feedback", "drop", second.id)
    assert (refused.status, refused.out) == (2, "")
    assert "names no record; 'regula feedback' lists those there are" in refused.err
    assert {each.verdict for each in store.read().standing()} == {Verdict.UNANSWERED, Verdict.OPEN}


def test_what_is_confirmed_was_called_right_by_enough_and_wrong_by_nobody():
    records = [
        record("Darf ich?", verdict=Verdict.HIT, passage=PASSAGE),
        record(
            "darf ich", verdict=Verdict.HIT, passage=PASSAGE.model_copy(update={"id": "a-de/y#7"})
        ),  # the same words elsewhere
        record("Muss ich?", verdict=Verdict.HIT, passage=PASSAGE),
        record("Kann ich?", verdict=Verdict.HIT, passage=PASSAGE),
        record("Kann ich?", verdict=Verdict.MISS, passage=PASSAGE),
    ]
    assert [(each.question, each.hits) for each in confirmed_questions(records)] == [
        ("Darf ich?", 2),
        ("Muss ich?", 1),
    ]
    assert [each.question for each in confirmed_questions(records, 2)] == ["Darf ich?"]
    assert open_questions(records) == []  # a passage was called right, if not that one by all


def test_what_an_earlier_edition_left_open_or_settled_tells_nothing_of_today():
    then: dict[str, Any] = {"as_of": "2024-06-01", "passage": PASSAGE}
    records = [
        record("Wer zahlt?", verdict=Verdict.MISS, **then),
        record("Wer wirft?"),
        record("Wer wirft?", verdict=Verdict.HIT, **then),
    ]
    assert [each.record.question for each in open_questions(records)] == ["Wer wirft?"]


def test_questions_in_other_scopes_stand_apart():
    questions = open_questions(
        [
            record("Wetter morgen", game="a"),
            record("Wetter morgen", game="b"),
            record("?!", game="b"),
        ]
    )
    assert sorted(len(group) for group in question_groups(questions)) == [1, 1, 1]
    assert question_groups([]) == []


@pytest.mark.parametrize(
    "command", [("feedback",), ("feedback", "phrasings"), ("feedback", "questions")]
)
def test_without_a_workspace_a_line_says_so(command, monkeypatch, capsys):
    monkeypatch.delenv("REGULA_HOME", raising=False)
    with pytest.raises(SystemExit) as end:
        main(command)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("regula: no workspace is named; make one with")


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_a_service_that_has_no_workspace_to_keep_it_in_does_not_start(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("REGULA_HOME", raising=False)
    monkeypatch.setenv("REGULA_FEEDBACK", "true")
    with pytest.raises(SystemExit) as end:
        main([command, "--index", str(tmp_path / "index")])
    assert end.value.code == 2
    assert (
        "feedback is switched on, and there is no workspace to keep it in"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "index").exists()


def test_records_of_the_future_are_read():
    line = record("Was?").model_dump() | {"mood": "curious"}
    assert FeedbackRecord.model_validate_json(json.dumps(line)).question == "Was?"
    assert undone_record("0" * 16, FeedbackOrigin.CLI).line().count(b"\n") == 1
