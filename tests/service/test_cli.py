import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from corpus.errors import NotFound
from index.building.build import NothingToRead
from index.building.snapshots import Damaged, NotWritable
from index.store.protocol import StoreUnreachable
from service.cli import main, rulebook_commands
from service.ops.settings import SettingError
from tests.conftest import SAMPLE, real_folder
from tests.service.command_line import regula
from tests.service.test_answer import ENTRY

REGULA = Path(sys.executable).parent / "regula"


@pytest.fixture
def ask(sample_snapshots):
    return lambda *arguments, **more: regula(
        "ask", *arguments, index=sample_snapshots.folder, **more
    )


def test_as_of_a_day_the_edition_that_held_then_answers(ask):
    for day, version, other in (("2024-12-31", "1.0", "1.1"), ("2025-12-31", "1.1", "1.0")):
        done = ask(
            "Was ist ein Strudel?", "--game", "pegelwacht", "--language", "de", "--as-of", day
        )
        assert f"Pegelwacht Regelbuch {version} (de)" in done.stdout
        assert f"Pegelwacht Regelbuch {other} (de)" not in done.stdout
    done = ask("Was ist ein Strudel?", "--edition", "pegelwacht-de-1.1", "--as-of", "2024-12-31")
    assert done.stdout == "Keine der durchsuchten Ausgaben galt am 31. Dezember 2024.\n"


def test_json_answers_cite_to_the_character(ask, sample):
    done = ask("Strudel", "--edition", "pegelwacht-de-1.1", "--json", "-k", "3")
    body = json.loads(done.stdout)
    documents = {r.document.file: r.document for r in sample.rulebooks}
    passages = [passage for passage in body["passages"] if passage["layer"] == "rulebook"]
    assert len(passages) == 3
    for passage in passages:
        source = passage["citation"]["source"]
        document = documents[source["file"]]
        assert source["sha256"] == document.sha256
        assert passage["text"] == "\n".join(document.text[a:b] for a, b in source["spans"])


def test_a_batch_is_answered_in_order_and_within_the_document_asked_for(ask, tmp_path):
    rows = [
        {
            "id": "b",
            "question": "Wie viele Karten hat ein Deck?",
            "document": "pegelduell-de-2.0.txt",
            "k": 2,
        },
        {"id": "a", "question": "Quante carte pesco?", "game": "pegelwacht", "language": "it"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(r) for r in rows) + "\n")
    done = ask("--batch", str(file))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["id"] for a in answers] == ["b", "a"]
    assert {p["citation"]["source"]["file"] for p in answers[0]["response"]["passages"]} == {
        "pegelduell-de-2.0.txt"
    }
    assert len(answers[0]["response"]["passages"]) == 2
    assert {p["citation"]["game"] for p in answers[1]["response"]["passages"]} == {"pegelwacht"}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["ask"], 2, "QUESTION"),
        (["ask", " "], 2, "empty"),
        (["ask", "x", "-k", "0"], 2, "0"),
        (["ask", "x", "--edition", "nie-gehoert"], 2, "pegelwacht-de-1.1"),
        (["ask", "--batch", "no-such-file"], 2, "no-such-file"),
        (["ask", "Strudel", "--as-of", "morgen"], 2, "'morgen'"),
        (["entries", "--edition", "nie-gehoert"], 2, "pegelwacht-de-1.1"),
        (["editions", "--rulebooks", "/no/such/folder"], 2, "/no/such/folder"),
        (["fly"], 2, "fly"),
    ],
)
def test_wrong_use_is_told_in_one_line(sample_snapshots, arguments, status, said):
    done = regula(*arguments, index=sample_snapshots.folder)
    assert done.returncode == status
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


GOOD = {"id": "good", "question": "Wie viele Karten hat ein Deck?", "k": 2}


# Rows of a batch that cannot be put, the field that is wrong, and what is said of it.
BAD_ROWS = [
    ('{"id": "bad", "question": "x", "edition": "nie-gehoert"}', "edition", "'nie-gehoert'"),
    ('{"id": "bad", "question": "x", "game": "chess"}', "game", "'chess'"),
    ('{"id": "bad", "question": "x", "document": ["a.txt"]}', "document", "['a.txt']"),
    ('{"id": "bad", "question": "x", "language": "es_ES"}', "language", "'es_ES'"),
    ('{"id": "bad", "question": "x", "k": 51}', "k", "51"),
    ('{"id": "bad", "question": " "}', "question", "empty"),
    ('{"id": "bad", "question": "%s"}' % ("x" * 2001), "question", "2,001"),
    ('{"id": "bad", "question": 7}', "question", "7"),
    ('{"id": "bad", "question": "\\ud800"}', "question", "U+D800"),
    ('{"id": "bad"}', "question", "no question"),
    ('{"id": "bad", "question": "x", "edition": "pegelwacht-de-1.1", "game": '
     '"pegelduell"}', None, "No rulebook"),
    ('{"id": ["bad"], "question": "x"}', "id", "['bad']"),
    ('{"question": "x"}', "id", "id"),
    ('{"id": "bad", "question"', None, "JSON"),
    ('["bad", "x"]', None, "JSON object"),
    ("[" * 99, None, "nested"),
]  # fmt: skip


def test_rows_that_cannot_be_put_are_named_and_the_batch_goes_on(ask, tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(f"{json.dumps(GOOD)}\n\n{row}\n" for row, _, _ in BAD_ROWS))
    done = ask("--batch", str(file))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    first = answers[0]
    assert [passage["layer"] for passage in first["response"]["passages"]].count("rulebook") == 2
    assert "problem" not in first
    assert answers[::2] == [first] * len(BAD_ROWS)
    told = zip(answers[1::2], done.stderr.splitlines(), BAD_ROWS, strict=True)
    for number, (failed, line, (_, field, said)) in enumerate(told, 1):
        assert failed["id"] in ("bad", None)
        assert (failed["problem"]["row"], failed["problem"]["field"]) == (3 * number, field)
        assert failed["problem"]["status"] in (400, 404, 422)
        assert (
            failed["response"]["passages"],
            failed["response"]["answered"],
            failed["response"]["confidence"],
        ) == ([], False, 0.0)
        assert failed["response"].keys() == first["response"].keys() - {
            "next_offset"
        }  # there is nothing behind nothing
        assert line.startswith(f"{file}:{3 * number}: {field or ''}")
        assert said in line
    assert done.returncode == 1


def test_a_line_that_is_no_utf_8_is_named_and_the_batch_goes_on(ask, tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_bytes(b'{"id": 1, "question": "\xff"}\n' + json.dumps(GOOD).encode())
    done = ask("--batch", str(file))
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [None, "good"]
    assert f"{file}:1: " in done.stderr
    assert done.returncode == 1


def test_options_beside_a_batch_hold_for_rows_that_do_not_say(ask):
    rows = [
        {"id": 1, "question": "Karten"},
        {
            "id": 2,
            "question": "Karten",
            "game": "pegelwacht",
            "edition": None,
            "k": 3,
            "language": "it",
        },
    ]
    done = ask(
        "--batch",
        "-",
        "--game",
        "pegelduell",
        "--language",
        "en",
        "-k",
        "1",
        input="".join(json.dumps(row) + "\n" for row in rows),
    )
    assert done.returncode == 0, done.stderr
    bodies = [json.loads(line)["response"] for line in done.stdout.splitlines()]
    assert [body["language"] for body in bodies] == ["en", "it"]
    assert [
        sum(passage.get("layer", "rulebook") == "rulebook" for passage in body["passages"])
        for body in bodies
    ] == [1, 3]
    assert [{p["citation"]["game"] for p in body["passages"]} for body in bodies] == [
        {"pegelduell"},
        {"pegelwacht"},
    ]


def test_an_option_that_no_row_could_use_is_wrong_use(ask):
    done = ask("--batch", "-", "--edition", "nie-gehoert", input=json.dumps(GOOD))
    assert (done.returncode, done.stdout) == (2, "")
    assert "pegelwacht-de-1.1" in done.stderr


def test_evaluate_names_a_row_that_cannot_be_put_and_measures_the_others(
    sample_snapshots, tmp_path
):
    answers = {"answers": [{"lines": [1, 1], "heading": "x", "quote": "stands nowhere"}]}
    rows = [{**GOOD, **answers}, {**GOOD, **answers, "edition": "nie-gehoert"}, GOOD]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    done = regula("evaluate", str(file), index=sample_snapshots.folder)
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].split()[:2] == ["all", "2"]
    assert f"{file}:2: edition 'nie-gehoert'" in done.stderr
    assert f"{file}:3: answers" in done.stderr


def fault(monkeypatch, capsys, raised):
    """How 'regula editions' ends, and what it says, where it comes upon ``raised``."""
    monkeypatch.setattr(rulebook_commands, "library", Mock(side_effect=raised))
    with pytest.raises(SystemExit) as end:
        main(["editions"])
    assert isinstance(end.value.code, int)
    return end.value.code, capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    "raised",
    [
        KeyError("capitals"),
        OSError("x"),
    ],
)
def test_a_fault_of_the_program_gets_its_traceback(monkeypatch, capsys, raised):
    status, lines = fault(monkeypatch, capsys, raised)
    assert status == 1
    assert lines[0].startswith("Traceback")
    assert type(raised).__name__ in lines[-2]
    assert "fault of the program" in lines[-1]


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (SettingError("port: no such port"), 2, "regula: port: no such port"),
        (
            NotFound("no edition 'x' here; there are: y"),
            2,
            "regula: no edition 'x' here; there are: y",
        ),
        (Damaged("snapshot 1: row 3 is missing"), 1, "regula: snapshot 1: row 3 is missing"),
        (NothingToRead("/books: no rulebook in it"), 1, "regula: /books: no rulebook in it"),
        (NotWritable("/index: no room"), 1, "regula: /index: no room"),
        (StoreUnreachable("the store does not answer"), 1, "regula: the store does not answer"),
        (
            PermissionError(errno.EACCES, "Permission denied", "/books/a.txt"),
            1,
            "regula: /books/a.txt: Permission denied",
        ),
    ],
)
def test_what_is_wrong_outside_of_the_program_is_one_line(
    monkeypatch, capsys, raised, status, said
):
    assert fault(monkeypatch, capsys, raised) == (status, [said])


def test_editions_are_told_from_content_whatever_the_files_are_called(tmp_path):
    for number, path in enumerate(sorted(SAMPLE.glob("*.txt"))):
        shutil.copy(path, tmp_path / f"{9 - number}.dat")
    bodies = json.loads(regula("editions", "--json", rulebooks=tmp_path).stdout)
    assert {b["id"] for b in bodies} == {p.stem for p in SAMPLE.glob("*.txt")}
    assert all(
        b["entries"] > 0 and b["passages"] > 0 and b["source"]["file"].endswith(".dat")
        for b in bodies
    )


def test_what_cannot_be_read_is_told_and_left_out_and_the_rest_is_listed(tmp_path):
    shutil.copy(SAMPLE / "pegelduell-de-2.0.txt", tmp_path / "good.txt")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "latin.txt").write_bytes("Öl für alle.".encode("latin-1"))
    (tmp_path / "binary.txt").write_bytes(b"PK\0\1")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(200_000_000)
    done = regula("editions", "--json", rulebooks=tmp_path)
    assert [b["source"]["file"] for b in json.loads(done.stdout)] == ["good.txt", "latin.txt"]
    for name in ("empty.txt", "binary.txt", "folder", "huge.txt"):
        assert sum(line.startswith(f"{name}:") for line in done.stderr.splitlines()) == 1


def test_a_folder_without_a_rulebook_is_a_failure_with_a_reason(tmp_path):
    (tmp_path / "rulebooks").mkdir()
    done = regula("build", rulebooks=tmp_path / "rulebooks", index=tmp_path / "index")
    assert done.returncode == 1
    assert "no rulebook" in done.stderr.splitlines()[-1]


def test_entries_are_one_json_object_a_line_in_document_order():
    done = regula("entries", "--edition", "pegelwacht-de-1.1", "--json")
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    starts = [e["source"]["lines"][0] for e in entries]
    assert starts == sorted(starts)
    assert all(e.keys() >= ENTRY for e in entries)
    assert any(r["target"] for e in entries for r in e["references"])
    assert any(e["concept"] and e["concept"].startswith("pegelwacht/") for e in entries)


def test_without_rulebooks_the_sample_serves_and_it_says_so(monkeypatch, tmp_path):
    if real_folder() is not None:
        pytest.skip("real rulebooks are here and would be used")
    done = regula("editions", rulebooks=None)
    assert "sample" in done.stderr


def test_evaluate_prints_the_table_of_the_scorer(sample_snapshots, tmp_path, sample):
    passage = next(
        p
        for r in sample.rulebooks
        if r.edition.id == "pegelwacht-de-1.1"
        for p in r.passages
        if len(p.text) > 80
    )
    rows = [
        {"id": 1, "document": "pegelwacht-de-1.1.txt", "language": "de", "kind": "lookup", "question": passage.display,
         "answers": [{"lines": list(passage.lines), "heading": "x", "quote": passage.text}]},
        {"id": 2, "document": "pegelwacht-de-1.1.txt", "language": "de", "kind": "lookup", "question": passage.display,
         "answers": [{"lines": [1, 1], "heading": "x", "quote": "stands nowhere"}]},
    ]  # fmt: skip
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(r) for r in rows) + "\n")
    done = regula("evaluate", str(file), index=sample_snapshots.folder)
    assert done.stdout.splitlines()[1].split() == [
        "all",
        "2",
        "0.500",
        "0.500",
        "0.500",
        "0.500",
        "0.500",
    ]
    assert "exact citations 1.0000" in done.stdout


def test_what_nobody_has_phrased_is_listed_with_what_the_file_needs(tmp_path):
    done = regula("phrasings", "missing", "--edition", "pegelwacht-de-1.0", "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) >= 10
    assert {row["edition"] for row in rows} == {"pegelwacht-de-1.0"}
    assert all(
        row["display"] and len(row["fingerprint"]) == 12 and "#" in row["at"] for row in rows
    )
    assert regula("phrasings", "missing", "--edition", "pegelwacht-de-1.1").stdout == ""


def test_phrasings_that_lost_their_passage_are_listed(tmp_path):
    book = (SAMPLE / "pegelwacht-de-1.1.txt").read_text(encoding="utf-8")
    (tmp_path / "changed.txt").write_text(
        book.replace("Ein Wrack kann nicht durchnässt werden", "Wracks werden nie nass"),
        encoding="utf-8",
    )
    done = regula("phrasings", "orphaned", rulebooks=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if "durchnaesst-durchnaessen" in line]
    assert regula("phrasings", "orphaned").stdout == ""


def test_settings_are_listed_with_where_they_were_said(tmp_path):
    (tmp_path / "regula.toml").write_text("threads = 9\n")
    done = subprocess.run(
        [REGULA, "settings", "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "REGULA_PORT": "9001"},
        check=True,
    )
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert (rows["threads"]["value"], rows["threads"]["source"]) == (9, "regula.toml")
    assert (rows["port"]["value"], rows["port"]["source"]) == (9001, "REGULA_PORT")


def test_keys_are_made_listed_and_revoked(tmp_path):
    def keys(*arguments):
        return regula("keys", *arguments, settings={"REGULA_KEYS": str(tmp_path / "keys.toml")})

    token = keys("new", "bot", "--limit", "9/minute").stdout.strip()
    assert token.startswith("regula_")
    listed = keys("list").stdout
    assert "bot" in listed
    assert "9/minute" in listed
    assert token not in listed
    again = keys("new", "bot")
    assert (again.returncode, len(again.stderr.strip().splitlines())) == (2, 1)
    assert keys("revoke", "bot").returncode == 0
    assert keys("list").stdout == ""
