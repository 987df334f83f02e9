"""What is marked in a passage: the sentence or clause that answers, never most of a long passage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from index.model import Query
from index.ranking.clauses import SHORT, clauses
from index.ranking.highlights import FEATURES, WEIGHTS, Highlighter, choose
from index.search import Index

LONG = (
    "Der Wachhabende gibt die Laterne nach links weiter. Ein lecker Kahn verliert am Ende der Runde eine Planke. Möwen fressen in der "
    "Flutphase jeden Fisch, der offen im Heck liegt. Wer zuletzt geschlafen hat, mischt den Ablagestapel und legt ihn verdeckt neben den "
    "Steg. Öl bezahlt Kosten und liegt auf dem Lotsen."
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wer mischt den Ablagestapel?", "Wer zuletzt"),
        ("Was fressen die Möwen?", "Möwen"),
        ("laterne weitergeben nach links", "Der Wachhabende"),
    ],
)
def test_the_sentence_that_answers_is_marked_and_not_most_of_the_others(sample_index: Index, question: str, answer: str) -> None:
    prepared, _, _ = sample_index.signals(Query(question, language="de"))
    (marked,) = Highlighter.build([(LONG, "de")], sample_index.encoder).highlights([0], prepared)
    assert any(LONG[a:b].startswith(answer) for a, b in marked)
    assert sum(b - a for a, b in marked) <= len(LONG) / 2


@pytest.mark.parametrize("question", ["Darf ein Wrack tauchen?", "wrack tauchen hafen", "Wie lange liegt ein Wrack im Hafen?"])
def test_of_a_question_with_its_answer_only_the_answer_is_marked(sample_index: Index, question: str) -> None:
    text = "F: Ein Wrack liegt lange im Hafen. Darf ein Wrack tauchen?\n\nA: Nein. Es liegt schon unten, und dort bleibt es auch bei Ebbe."
    prepared, _, _ = sample_index.signals(Query(question, language="de"))
    (marked,) = Highlighter.build([(text, "de")], sample_index.encoder).highlights([0], prepared)
    assert marked
    assert min(a for a, _ in marked) >= text.index("A:")


def test_of_a_long_passage_at_most_half_is_marked_and_never_a_whole_one(sample_index: Index) -> None:
    asked = ["Was passiert mit dem Öl?", "Wann steigt der Pegel?", "Wer bekommt die Laterne?", "Kann ein Wrack sinken?"]
    hits = [hit for question in asked for hit in sample_index.search(Query(question, k=50)).hits]
    several = [hit for hit in hits if len(clauses(hit.passage.text, "de")) > 1]
    assert len(several) > 20
    for hit in several:
        marked = sum(b - a for a, b in hit.highlights)
        assert 0 < marked < len(hit.passage.text)
        assert marked <= max(len(hit.passage.text) / 2, max(b - a for a, b in hit.highlights))
    long = [hit for hit in several if len(hit.passage.text) > SHORT]
    within = [hit for hit in long if sum(b - a for a, b in hit.highlights) <= len(hit.passage.text) / 2]
    assert len(within) >= 0.9 * len(long)


def test_the_clause_that_denies_is_marked_with_the_best_of_its_sentence_as_one_span() -> None:
    told = [(0, 40, 0, False), (41, 70, 0, True), (71, 100, 1, False), (101, 200, 1, False)]
    assert choose(told, [2.0, -1.0, 1.0, 0.0], 100) == ((0, 70), (71, 100))
    assert choose(told, [2.0, -1.0, 1.0, 0.0], 75) == ((0, 70),)
    assert choose(told, [2.0, 0.0, 1.0, 3.0], 50) == ((101, 200),), "the best is marked however long it is"


def test_kept_highlights_are_the_same_when_loaded_again(sample_index: Index, tmp_path: Path) -> None:
    sample_index.highlighter.save(tmp_path / "sentences")
    again = Highlighter.load(tmp_path / "sentences")
    prepared, _, _ = sample_index.signals(Query("Was passiert mit dem Öl?"))
    numbers = range(0, len(sample_index.library.searchable), 7)
    assert again.highlights(numbers, prepared) == sample_index.highlighter.highlights(numbers, prepared)


@pytest.mark.parametrize("question", ["", "?", "…"])
def test_a_question_without_words_is_no_fault(sample_index: Index, question: str) -> None:
    prepared = sample_index.prepare(Query(question), sample_index.scope(Query(question)))
    marked = sample_index.highlighter.highlights(range(5), prepared)
    assert len(marked) == 5
    assert all(marked)


def test_every_feature_has_a_weight() -> None:
    assert json.loads(WEIGHTS.read_text(encoding="utf-8")).keys() == set(FEATURES)
