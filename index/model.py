"""A question put to an index, and what was found for it."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Passage
from index.questions.question_parser import ParsedQuestion


@dataclass(frozen=True, slots=True)
class Query:
    """A question in plain words and where to look: one edition, one game, one document (by file name), or everywhere.

    ``language`` is the language of the question, None where it is to be detected; ``k`` is the number of passages wanted.
    """

    question: str
    edition: str | None = None
    game: str | None = None
    document: str | None = None
    language: str | None = None
    k: int = 10


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found. ``highlights`` are spans of its ``text`` that answer; ``score`` only ranks within one answer.

    ``also`` are the other places, within what was searched, where the same words are printed.
    """

    passage: Passage
    score: float
    highlights: tuple[tuple[int, int], ...]
    duplicates: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found for a query, the best first.

    ``language`` is the question's, ``reading`` how it was read.
    ``confidence``, 0.0 to 1.0, is how sure it is that one of the hits settles the question; ``answered`` is that
    judgement; ``fallback`` is the game's own rule for what its rulebook does not settle, None where it has none.
    """

    query: Query
    language: str
    hits: tuple[Hit, ...]
    confidence: float
    answered: bool
    fallback: Passage | None
    parsed: ParsedQuestion | None = None
