"""What is marked in a passage: the sentence or clause that answers, never most of a long passage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from index.model import Query
from index.ranking.highlights import CLAUSE, SHORT, Highlighter, pieces
from index.search import Index


def test_long_sentences_are_looked_at_clause_by_clause() -> None:
    text = (
        "Kurzer Satz. Wenn ein Kahn in der Flutphase auf ein Wrack läuft und kein Lotse an Bord ist, verliert er die Ladung, die im "
        "Heck liegt; der Wachhabende entscheidet, welcher Marker zuerst über Bord geht."
    )
    found = [text[a:b] for a, b in pieces(text)]
    assert found[0] == "Kurzer Satz."
    assert len(found) > 2
    assert all(len(piece) >= CLAUSE for piece in found[1:])
    assert " ".join(found) == text


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
def test_the_sentence_that_answers_is_marked_and_not_the_others(sample_index: Index, question: str, answer: str) -> None:
    passage = replace(sample_index.library.searchable[0], text=LONG, display=LONG)
    prepared, _, _ = sample_index.signals(Query(question, language="de"))
    marked = Highlighter.build([passage], sample_index.encoder).highlights([0], prepared.asking_words, prepared.asking_word_vectors)[0]
    assert any(LONG[a:b].startswith(answer) for a, b in marked)
    assert sum(b - a for a, b in marked) <= len(LONG) / 2


def test_of_a_long_passage_at_most_half_is_marked(sample_index: Index) -> None:
    asked = ["Was passiert mit dem Öl?", "Wann steigt der Pegel?", "Wer bekommt die Laterne?", "Kann ein Wrack sinken?"]
    hits = [hit for question in asked for hit in sample_index.search(Query(question, k=50)).hits]
    several = [h for h in hits if len(h.passage.text) > SHORT and len(pieces(h.passage.text)) > 2]
    assert several
    for hit in several:
        longest = max(b - a for a, b in pieces(hit.passage.text))
        assert sum(b - a for a, b in hit.highlights) <= max(len(hit.passage.text) / 2, longest)


def test_kept_highlights_are_the_same_when_loaded_again(sample_index: Index, tmp_path: Path) -> None:
    sample_index.highlighter.save(tmp_path / "sentences")
    again = Highlighter.load(tmp_path / "sentences")
    prepared, _, _ = sample_index.signals(Query("Was passiert mit dem Öl?"))
    numbers = range(0, len(sample_index.library.searchable), 7)
    marked = again.highlights(numbers, prepared.asking_words, prepared.asking_word_vectors)
    assert marked == sample_index.highlighter.highlights(numbers, prepared.asking_words, prepared.asking_word_vectors)


@pytest.mark.parametrize("question", ["", "?", "…"])
def test_a_question_without_words_marks_the_whole_passage(sample_index: Index, question: str) -> None:
    (marked,) = sample_index.highlighter.highlights([0], [], sample_index.encoder.questions([question])[:0])
    assert marked == tuple(pieces(sample_index.library.searchable[0].text))
