import json
from collections import Counter
from typing import Any

import pytest

from tests.conftest import SAMPLE, SAMPLE_QUESTIONS

QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_every_quotation_stands_at_its_lines_under_its_heading(row):
    document = (SAMPLE / row["document"]).read_text(encoding="utf-8")
    lines = document.split("\n")
    for answer in row["answers"]:
        first, last = answer["lines"]
        cited = " ".join("\n".join(lines[first - 1 : last]).split())
        assert " ".join(answer["quote"].split()) in cited
        assert answer["heading"] in document.replace("**", "")


def test_the_questions_are_of_all_kinds_and_of_several_languages():
    assert (
        len({row["id"] for row in QUESTIONS})
        == len({row["question"] for row in QUESTIONS})
        == len(QUESTIONS)
        == 140
    )
    kinds = Counter(row["kind"] for row in QUESTIONS)
    assert min(kinds.values()) >= 3
    assert {row["language"] for row in QUESTIONS} >= {"de", "it", "en", "fr"}
    assert {row["document"] for row in QUESTIONS} == {path.name for path in SAMPLE.iterdir()}
    assert [row["id"] for row in QUESTIONS if not row["answers"]] == [
        row["id"] for row in QUESTIONS if row["kind"] == "unanswerable"
    ]
