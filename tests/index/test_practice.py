"""The practice questions, where they and the real rulebooks are found: how well they are answered, and how exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from index.search import Index
from service.batch import Row, responses
from service.evaluate import figures
from tests.conftest import ROOT

QUESTIONS = ROOT.parent / "shared" / "questions"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (QUESTIONS / name).read_text(encoding="utf-8").splitlines()]


def measured(index: Index, name: str) -> dict[str, Any]:
    rows = read(name)
    return figures(index.library, rows, answers(index, rows))


def answers(index: Index, asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (response.json() for response in responses(index, (Row(number, fields) for number, fields in enumerate(asked, 1))))


@pytest.mark.skipif(not QUESTIONS.is_dir(), reason="the practice questions are not here")
def test_practice_questions_find_their_passage_and_every_citation_is_exact(real_index):
    result = measured(real_index, "dev.jsonl")
    assert result["exact"] == 1.0
    assert result["median_length"] <= 450
    every = result["groups"]["all"]
    assert every["R@1"] >= 0.75
    assert every["R@5"] >= 0.94
    assert every["MRR"] >= 0.83
    assert result["groups"]["kind paraphrase"]["R@5"] >= 0.9
    assert result["groups"]["kind situation"]["R@5"] >= 0.9
    assert result["auc"] >= 0.9
    assert result["answered_right"] >= 0.88
    assert result["highlighted"] >= 0.75


@pytest.mark.skipif(not QUESTIONS.is_dir(), reason="the practice questions are not here")
def test_forum_questions_find_their_passage(real_index):
    every = measured(real_index, "forum.jsonl")["groups"]["all"]
    assert every["R@5"] >= 0.85


@pytest.mark.skipif(not QUESTIONS.is_dir(), reason="the practice questions are not here")
def test_questions_put_to_a_game_find_their_passage_in_the_right_edition(real_index):
    rows = read("dev.jsonl")
    games = {source.file: real_index.library.edition[id].game for id, source in real_index.library.sources.items()}
    asked = [{"id": r["id"], "question": r["question"], "language": r["language"], "game": games[r["document"]]} for r in rows]
    result = figures(real_index.library, rows, answers(real_index, asked))
    assert result["groups"]["all"]["R@5"] >= 0.9
