import json
import os
import time

import pytest
import yaml

from corpus.data_files import DEEPEST
from corpus.rulings.described import LONGEST, MOST
from corpus.rulings.source_files import LARGEST_YAML
from tests.corpus.ruling_files import described, load, written

_GOOD = yaml.safe_dump([described(id="good")])


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"id": "Groß"}, "id"),
        ({"id": 3}, "id"),
        ({"id": "../../etc"}, "id"),
        ({"answer": ""}, "answer"),
        ({"answer": " \n "}, "answer"),
        ({"answer": ["Ja."]}, "answer"),
        ({"answer": "x" * (LONGEST + 1)}, "answer"),
        ({"answer": "Ja\x1b[2J"}, "answer"),
        ({"language": "Deutsch"}, "language"),
        ({"authority": "god"}, "authority"),
        ({"date": "2025-02-30"}, "date"),
        ({"date": "gestern"}, "date"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"url": "https://"}, "url"),
        ({"cards": {"Möwe": 1}}, "cards"),
        ({"cards": ["Möwe\nAlte Henne"]}, "cards"),
        ({"cards": ["Möwe"] * 1_000}, "cards"),
        ({"rests_on": [{"entry": "a/b", "wording": "zz"}]}, "rests_on.0.wording"),
        ({"rests_on": "a/b"}, "rests_on"),
        ({"verdict": "Ja."}, "verdict"),
    ],
)
def test_a_ruling_that_does_not_fit_is_a_line_that_names_the_field(tmp_path, fields, named):
    written(
        tmp_path,
        "r.yaml",
        yaml.safe_dump([described(id="good"), {**described(id="bad"), **fields}]),
    )
    found = load(tmp_path)
    assert [each.id for each in found.rulings] == ["game/good"]
    assert [(fault.file, fault.pointer) for fault in found.faults] == [("r.yaml", "/1")]
    assert found.faults[0].what.startswith(named)
    assert "\n" not in str(found.faults[0])
    assert len(str(found.faults[0])) < 500


_BOMB = "a: &a [x]\n" + "".join(
    f"{n}: &{n} [{', '.join([f'*{p}'] * 9)}]\n" for p, n in zip("abcdefgh", "bcdefghi", strict=True)
)
_MERGED = "".join(
    f"- &m{n} {{k{n}: 1, <<: [{', '.join([f'*m{n - 1}'] * 9)}]}}\n" if n else "- &m0 {k: 1}\n"
    for n in range(12)
)  # each has nine times as many pairs as the one before


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bad.yaml", _BOMB, "alias"),
        ("bad.yaml", _MERGED, "alias"),
        ("bad.yaml", "[" * 100_000, "deep"),
        ("bad.yaml", "{a: " * (DEEPEST + 1), "deep"),
        ("bad.yaml", "- id: a\n  answer: Ja.\n  answer: Nein.\n", "'answer' twice"),
        ("bad.yaml", "- {[1, 2]: 3}", "no text"),
        ("bad.yaml", "- id: [", "not YAML"),
        ("bad.yaml", "!!python/object/apply:os.system ['true']", "not YAML"),
        ("bad.yaml", "- date: 2025-99-99\n", "not YAML"),
        ("bad.yaml", "just words", "no list"),
        ("bad.yaml", b"- \xff\xfe", "not UTF-8"),
        ("bad.yaml", "# " + "x" * LARGEST_YAML, "bytes"),
        ("bad.csv", "id,verdict\na,Ja\n", "unknown columns: 'verdict'"),
        ("bad.csv", "id,id\na,b\n", "twice"),
        ("bad.csv", 'id,answer\na,"Ja', "not CSV"),
        ("bad.csv", "id,answer\na,Ja,Nein\n", "more cells"),
        ("bad.csv", f"id,answer\na,{'x' * 200_000}\n", "not CSV"),
        ("bad.json", "[" * 100_000, ""),
        ("bad.json", '[{"code": NaN}]', "NaN"),
        ("bad.json", f'[{{"code": {"9" * 10_000}}}]', "not JSON"),
        ("bad.json", '[{"code": "1", "text": "\\ud800"}]', "unicode"),
        ("bad.json", '{"cards": 3}', "neither"),
        ("bad.json", json.dumps([None] * (MOST + 1)), "more than"),
        ("bad.exe", "MZ", "is none of"),
    ],
)
def test_a_damaged_file_is_a_line_and_the_others_are_read(tmp_path, name, content, told):
    written(tmp_path, name, content)
    written(tmp_path, "good.yaml", _GOOD)
    begun = time.monotonic()
    found = load(tmp_path)
    assert time.monotonic() - begun < 20
    assert [each.id for each in found.rulings] == ["game/good"]
    assert len(found.faults) == 1
    assert told in found.faults[0].what
    assert found.faults[0].file == name


def test_a_broken_record_among_others_is_left_out_alone(tmp_path):
    written(
        tmp_path,
        "faq.json",
        '[{"code": "1", "text": "Ja."}, {"code": "2", "text": NaN}, {"code": "3", "text": '
        '"Nein."}]',
    )
    found = load(tmp_path)
    assert [each.answer.text for each in found.rulings] == ["Ja.", "Nein."]
    assert [(fault.pointer, "NaN" in fault.what) for fault in found.faults] == [("/1", True)]


def test_nothing_outside_the_folder_is_read(tmp_path):
    written(tmp_path, "outside.yaml", _GOOD.replace("good", "outside"))
    written(tmp_path / "rulings", "good.yaml", _GOOD)
    (tmp_path / "rulings" / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (tmp_path / "rulings" / "folder").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "rulings" / "pipe.yaml")
    found = load(tmp_path / "rulings")
    assert [each.id for each in found.rulings] == ["game/good"]
    assert sorted((fault.file, fault.what) for fault in found.faults) == [
        ("link.yaml", "leads out of the folder; left out"),
        ("pipe.yaml", "is no file; left out"),
    ]


def test_an_id_given_twice_is_read_once(tmp_path):
    written(tmp_path, "a.yaml", _GOOD)
    written(
        tmp_path / "later",
        "b.yaml",
        yaml.safe_dump([described(id="good", answer="Nein."), described(id="other")]),
    )
    found = load(tmp_path)
    assert [(each.id, each.answer.text) for each in found.rulings] == [
        ("game/good", "Ja, das geht."),
        ("game/other", "Ja, das geht."),
    ]
    assert [str(fault) for fault in found.faults] == [
        "later/b.yaml#/0: game/good is already read from a.yaml; left out"
    ]
