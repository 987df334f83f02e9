"""Quotations and citations in files checked: `regula verify`."""

import json

import pytest

from service.answers.verify.files import findings
from tests.service.command_line import regula

WET = "Ein durchnässter Lotse oder Matrose kann nicht angreifen."
DRY = WET.replace("nicht ", "")
RIGHT = f"Die Regel: „{WET}“\n\nDer Strudel ist kein Ort auf dem Tisch (6.5.1).\n"
WRONG = f"# Antwort\n\nDie Regel: „{DRY}“\n\nLaut Regel 6.5.99 ist er einer.\n"


def found(snapshot, name, text):
    lines = text.split("\n")
    everything = list(findings(snapshot, name, text, None, None))
    for each in everything:
        assert lines[each.line - 1][each.column - 1 :].startswith(each.text[:10])
    return everything


def told(everything):
    return [(each.line, each.problem, each.text) for each in everything]


def test_a_text_is_told_line_by_line(snapshot):
    assert found(snapshot, "answer.md", RIGHT) == []
    everything = found(snapshot, "answer.md", WRONG)
    assert told(everything) == [(3, "altered", DRY), (5, "unknown", "6.5.99")]
    assert "“nicht” is left out" in everything[0].message
    assert "6.5.3" in everything[1].message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'X = "Regel 6.5.98"  # laut Regel 6.5.99\n'),
        ("a.py", f'"""A module.\n\nLaut Regel 6.5.99. „{WET}“\n"""\n'),
        ("a.rs", 'let s = "Regel 6.5.98"; // laut Regel 6.5.99\n'),
        ("a.ts", f"/**\n * Laut Regel 6.5.99.\n * „{WET}“\n */\nf('siehe Regel 6.5.98')\n"),
        ("a.lua", 's = "Regel 6.5.98" -- laut Regel 6.5.99\n'),
        ("a.yaml", 's: "Regel 6.5.98"  # laut Regel 6.5.99\n'),
        ("a.java", 'String s = "// Regel 6.5.98"; /* laut Regel 6.5.99'),
    ],
)
def test_of_a_program_its_comments_count(snapshot, name, text):
    assert [each[1:] for each in told(found(snapshot, name, text))] == [("unknown", "6.5.99")]


def test_other_quotations_in_comments_count_only_beside_a_citation(snapshot):
    made_up = "// Says “this is quite some other thing”"
    assert found(snapshot, "a.ts", f"{made_up}.\n") == []
    text = f"{made_up} by Regel 6.5.1.\n"
    assert told(found(snapshot, "a.ts", text))[0][1:] == (
        "unsupported",
        "this is quite some other thing",
    )
    assert found(snapshot, "a.ts", f"// „{DRY}“\n")[0].problem == "altered"


def test_a_long_file_is_checked_to_its_end(snapshot):
    text = f"„{WET}“\n\n" * 450 + WRONG
    assert [each.line for each in found(snapshot, "long.md", text)] == [903, 905]


def test_the_command_says_file_and_line_and_ends_with_1(sample_snapshots, tmp_path):
    right, wrong = tmp_path / "right.md", tmp_path / "wrong.md"
    right.write_text(RIGHT)
    wrong.write_text(WRONG)

    def verify(*arguments, **more):
        return regula("verify", *map(str, arguments), index=sample_snapshots.folder, **more)

    done = verify(right)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    done = verify(right, wrong, "--game", "pegelduell")
    assert done.returncode == 1
    assert f"{wrong}:5:12: unknown: 6.5.99: does not exist" in done.stdout
    done = verify("-", "--json", input=WRONG)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["file"], row["line"], row["problem"]) for row in rows] == [
        ("-", 3, "altered"),
        ("-", 5, "unknown"),
    ]
    assert verify(tmp_path / "none.md").returncode == 2
    assert verify(right, "--game", "nothing").returncode == 2
