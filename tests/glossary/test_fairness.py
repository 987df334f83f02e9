"""The score means something: no practice question, nor a rewording of one, is among the phrasings that train the search."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from rapidfuzz import fuzz, process, utils

from glossary.phrasings import FOLDER, load_phrasings
from index.ranking.answerability import unanswerable_questions
from tests.conftest import ROOT, SAMPLE_QUESTIONS

QUESTION_FILES = [SAMPLE_QUESTIONS, *sorted((ROOT.parent / "shared" / "questions").glob("*.jsonl"))]
NEAREST = 75  # similarity in per cent; independent phrasings of one short keyword search come up to about 70


@pytest.mark.parametrize("edition", sorted(p.stem for p in FOLDER.glob("*.yaml")))
def test_no_phrasing_is_a_practice_question(edition: Any) -> None:
    phrasings = unanswerable_questions() if edition == "outside" else [p.text for kept in load_phrasings(edition) for p in kept.all("de")]
    questions = [json.loads(line)["question"] for path in QUESTION_FILES for line in path.read_text("utf-8").splitlines()]
    likeness = process.cdist(questions, phrasings, scorer=fuzz.ratio, processor=utils.default_process, workers=2)
    question, phrasing = np.unravel_index(likeness.argmax(), likeness.shape)
    assert likeness.max() < NEAREST, f"{phrasings[phrasing]!r} is too near to {questions[question]!r}"
