"""The data model of rulings: question, answer, what they are about, and who has ruled so and
when.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from corpus.rulings.question_and_answer import question_and_answer
from corpus.sourced_text import SourcedText
from corpus.spans import Span


class Authority(StrEnum):
    """Who has ruled, the highest first."""

    PUBLISHER = "publisher"
    DESIGNER = "designer"
    HEAD_JUDGE = "head-judge"
    HOUSE = "house"

    @property
    def official(self) -> bool:
        """Whether the ruling is the publisher's own word, or the designer's."""
        return self in (Authority.PUBLISHER, Authority.DESIGNER)


class Basis(NamedTuple):
    """A rule that a ruling rests on: an ``entry`` by its id, or a rule by its ``number``, "" where
    not given.

    ``wording`` is the SHA-256 of the rule's text as it was when the ruling was made
    (`corpus.rulings.wording`), "" where unknown.
    """

    entry: str
    number: str
    wording: str

    @property
    def rule(self) -> str:
        """The id of the entry, else the number of the rule."""
        return self.entry or self.number


class QuotedPart(NamedTuple):
    """The characters ``span`` of a string in a file."""

    quoted: SourcedText
    span: Span

    @property
    def text(self) -> str:
        """These characters."""
        return self.quoted.text[self.span.start : self.span.end]


class Ruling(NamedTuple):
    """A ruling of ``game``. ``id`` is that of the game and the ruling's own:
    "pegelwacht/teerjacke-1".

    ``question`` is None where there is only an answer, as in a card's clarifications. ``cards`` are
    ids or names of cards as the file has them; ``date`` is ISO 8601, "" where unknown; ``source``
    names where it was published, ``url`` its address; ``superseded_by`` is the id of the ruling
    that holds in its place. ``author`` is who has written a ruling of the house, "" where unknown.
    """

    id: str
    game: str
    authority: Authority
    date: str
    cards: tuple[str, ...]
    question: SourcedText | None
    answer: SourcedText
    source: str
    url: str
    bases: tuple[Basis, ...]
    superseded_by: str
    author: str = ""

    @property
    def asked(self) -> QuotedPart | None:
        """The question: the string that is one, else the part of the answer's string that is, None
        where there is none.
        """
        if self.question is not None:
            return QuotedPart(self.question, Span(0, len(self.question.text)))
        parts = question_and_answer(self.answer.text)
        return QuotedPart(self.answer, parts.question) if parts else None

    @property
    def answered(self) -> QuotedPart:
        """The answer: its whole string, or what follows the question there."""
        parts = None if self.question is not None else question_and_answer(self.answer.text)
        return QuotedPart(self.answer, parts.answer if parts else Span(0, len(self.answer.text)))
