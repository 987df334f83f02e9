"""The practice questions, where they and the real rulebooks are found: how well they are answered, and how exactly."""

from __future__ import annotations

import json

import pytest

from service.batch import responses
from service.evaluate import figures
from tests.conftest import ROOT

QUESTIONS = ROOT.parent / "shared" / "questions"


@pytest.mark.skipif(not QUESTIONS.is_dir(), reason="the practice questions are not here")
def test_practice_questions_find_their_passage_and_every_citation_is_exact(real_index):
    rows = [json.loads(line) for line in (QUESTIONS / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    result = figures(real_index.library, rows, responses(real_index, rows))
    assert result["exact"] == 1.0
    assert result["groups"]["all"]["R@5"] >= 0.55
    assert result["median_length"] <= 450
