import json

import pytest
from rapidfuzz import fuzz, process, utils

from glossary.query_variants import FOLDER, load_query_variants
from index.ranking.answerability import unanswerable_questions
from tests.conftest import ROOT, SAMPLE_QUESTIONS

PRACTICE = ROOT.parent / "shared" / "questions"
EVERYDAY = (
    PRACTICE / "basic.jsonl"
)  # short ones, which people who know nothing of each other ask in the same words
QUESTION_FILES = [
    SAMPLE_QUESTIONS,
    *(path for path in sorted(PRACTICE.glob("*.jsonl")) if path != EVERYDAY),
]
# Similarity in per cent; independent phrasings of one short keyword search come up to about 70
NEAREST = 75
# Of 80 everyday questions that came later than the phrasings; more would have been put there
NEAR_BY_CHANCE = 23


def near(questions, edition):
    """The questions that a phrasing of ``edition`` is too near to, each with it."""
    texts = (
        unanswerable_questions()
        if edition == "outside"
        else [p.text for kept in load_query_variants(edition) for p in kept.all("de")]
    )
    likeness = process.cdist(
        questions, texts, scorer=fuzz.ratio, processor=utils.default_process, workers=2
    )
    nearest = likeness.argmax(axis=1)
    return {
        questions[n]: texts[nearest[n]]
        for n in range(len(questions))
        if likeness[n, nearest[n]] >= NEAREST
    }


def questions_in(path):
    return [json.loads(line)["question"] for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("edition", sorted(p.stem for p in FOLDER.glob("*.yaml")))
def test_no_phrasing_is_a_practice_question(edition):
    assert (
        near([question for path in QUESTION_FILES for question in questions_in(path)], edition)
        == {}
    )


def test_no_everyday_practice_question_has_become_a_phrasing():
    if not EVERYDAY.exists():
        pytest.skip("the practice questions are not here")
    questions = questions_in(EVERYDAY)
    found = {
        question: phrasing
        for path in FOLDER.glob("*.yaml")
        for question, phrasing in near(questions, path.stem).items()
    }
    assert len(found) <= NEAR_BY_CHANCE, found
