"""Greetings, announcements and thanks around a question, which say nothing about what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from corpus.languages import LANGUAGES, any_of
from glossary.normalization import fold, tokenize

_LONGEST = 200  # characters before or behind a question that are looked at
_MOST = 4  # courtesies one after the other
_MARKS = r"[\s,;:.!?¿¡…–—-]"
_BEFORE = re.compile(rf"{_MARKS}++")
CLAUSE = re.compile(r"(?<=[.!?:;…])\s+")  # what stands between two clauses


@cache
def _around(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    opening, announcement, closing = (
        any_of(f"questions.{name}", language=language)
        for name in ("openings", "announcements", "closings")
    )
    return (
        re.compile(
            rf"(?:\A|\b){_MARKS}*+(?:(?:{opening})(?!\w)|(?:{announcement})(?=\s?[:;,.!…–-]))", re.I
        ),
        re.compile(rf"(?<=[\s,;:.!?…–—-])(?:{closing})(?!\w){_MARKS}*+\Z", re.I),
    )


@cache
def _fillers(language: str) -> re.Pattern[str]:
    names = ("questions.look_ups.asking", "questions.look_ups.beside", "questions.fillers")
    return re.compile(any_of(*names, language=language))


def without_courtesies(question: str, languages: Sequence[str]) -> str:
    """Return ``question``, in one of ``languages``, with blanks for the courtesies around it, so
    that places in it stay.

    Clauses at its ends that ask nothing by themselves go as well: "what do you think?". A question
    with nothing else is left as it is.
    """
    start, end = 0, len(question)
    around = [_around(language) for language in LANGUAGES]
    for _ in range(_MOST):
        ends = [
            found.end()
            for before, _ in around
            if (found := before.match(question, start, start + _LONGEST))
        ]
        starts = [
            found.start()
            for _, behind in around
            if (found := behind.search(question, max(start, end - _LONGEST), end))
        ]
        if not ends and not starts:
            break
        start, end = max(ends, default=start), min(starts, default=end)
    if start and (marks := _BEFORE.match(question, start, end)):
        start = marks.end()
    clauses = [start, *(found.end() for found in CLAUSE.finditer(question, start, end)), end]
    while len(clauses) > 2 and asks_nothing(_words(question[clauses[0] : clauses[1]]), languages):
        del clauses[0]
    while len(clauses) > 2 and asks_nothing(_words(question[clauses[-2] : clauses[-1]]), languages):
        del clauses[-1]
    start, end = clauses[0], clauses[-1]
    if not any(map(str.isalnum, question[start:end])):
        return question
    return " " * start + question[start:end] + " " * (len(question) - end)


def asks_nothing(words: Sequence[str], languages: Sequence[str]) -> bool:
    """Return whether folded ``words``, in one of ``languages``, are only such as ask for nothing by
    themselves.
    """
    return any(all(_fillers(language).fullmatch(word) for word in words) for language in languages)


def without_story_words(clause: str, languages: Sequence[str]) -> str:
    """Return ``clause`` with blanks for words, in one of ``languages``, that tell how a question
    came up: "we argued with friends".
    """
    for language in languages:
        clause = _stories(language).sub(lambda found: " " * len(found[0]), clause)
    return clause


@cache
def _stories(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_of('questions.stories', language=language)})\b", re.I)


def _words(clause: str) -> list[str]:
    return [fold(token.text) for token in tokenize(clause)]
