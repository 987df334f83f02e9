"""Strings that are a question with its answer: "Q: … A: …", as card databases print them."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpus.spans import Span

_QUESTION = re.compile(r"\s*[QFD]\s?[:.]\s*")  # of question, Frage, domanda
_LINE = r"(?<!\s)[^\S\n]*+(\n)\s*+"
_ANSWER = re.compile(rf"{_LINE}[AR]\s?[:.]\s*")  # of answer, Antwort, risposta
_FURTHER = re.compile(rf"{_LINE}[QFD]\s?[:.]")


class QuestionAndAnswer(NamedTuple):
    """Where the question and the answer stand in a string, their marks left out."""

    question: Span
    answer: Span


def question_and_answer(text: str) -> QuestionAndAnswer | None:
    """Where ``text`` has its question and its answer; None where it is not one of each, or of
    several.
    """
    opening = _QUESTION.match(text)
    answers = list(_ANSWER.finditer(text)) if opening else []
    if not opening or len(answers) != 1 or _FURTHER.search(text):
        return None
    question = Span(opening.end(), answers[0].start(1))
    answer = Span(answers[0].end(), len(text.rstrip()))
    return (
        QuestionAndAnswer(question, answer)
        if question.start < question.end and answer.start < answer.end
        else None
    )
