"""The data model of rulings: question, answer, subject, authority and date; and how they are
stored.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from corpus.blocks import Span
from corpus.model import Passage, Role
from corpus.sourced_text import SourcedText, StringSource

_QUESTION = re.compile(r"\s*[QFD]\s?[:.]\s*")  # of question, Frage, domanda
_LINE = r"(?<!\s)[^\S\n]*+(\n)\s*+"
_ANSWER = re.compile(rf"{_LINE}[AR]\s?[:.]\s*")  # of answer, Antwort, risposta
_FURTHER = re.compile(rf"{_LINE}[QFD]\s?[:.]")


class Authority(StrEnum):
    """Who has ruled, highest authority first."""

    PUBLISHER = "publisher"
    DESIGNER = "designer"
    HEAD_JUDGE = "head-judge"
    HOUSE = "house"

    @property
    def official(self) -> bool:
        """Whether the ruling is the publisher's own word, or the designer's."""
        return self in (Authority.PUBLISHER, Authority.DESIGNER)


class Basis(NamedTuple):
    """A rule that a ruling rests on: an ``entry`` by its id, or a rule by its ``number``, "" if not
    given.

    ``wording`` is the SHA-256 of the rule's text when the ruling was made
    (`corpus.rulings.model.wording`), "" if unknown.
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
        """The quoted characters."""
        return self.quoted.text[self.span.start : self.span.end]


class Ruling(NamedTuple):
    """A ruling of ``game``.

    Attributes:
        id: The game's id and the ruling's own: "pegelwacht/teerjacke-1".
        question: None if there is only an answer, as in a card's clarifications.
        cards: Ids or names of cards as in the file.
        date: In ISO 8601, "" if unknown.
        source: Where it was published.
        url: Its address.
        superseded_by: The id of the ruling that replaces it.
        author: Who wrote a house ruling, "" if unknown.
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
        """The question: its string, else a part of the answer's string, else None."""
        if self.question is not None:
            return QuotedPart(self.question, Span(0, len(self.question.text)))
        parts = question_and_answer(self.answer.text)
        return QuotedPart(self.answer, parts[0]) if parts else None

    @property
    def answered(self) -> QuotedPart:
        """The answer: its whole string, or what follows the question there."""
        parts = None if self.question is not None else question_and_answer(self.answer.text)
        return QuotedPart(self.answer, parts[1] if parts else Span(0, len(self.answer.text)))


def question_and_answer(text: str) -> tuple[Span, Span] | None:
    """Return the spans of the question and the answer in ``text``, "Q: … A: …", without these
    labels; None if it does not have exactly one of each.
    """
    opening = _QUESTION.match(text)
    answers = list(_ANSWER.finditer(text)) if opening else []
    if not opening or len(answers) != 1 or _FURTHER.search(text):
        return None
    question = Span(opening.end(), answers[0].start(1))
    answer = Span(answers[0].end(), len(text.rstrip()))
    both = question.start < question.end and answer.start < answer.end
    return (question, answer) if both else None


def wording(passages: Iterable[Passage]) -> str:
    """Return the SHA-256 of the words of a rule's ``passages``, regardless of line breaks, which
    shows whether the rule of a ruling has changed; "" if there are none.
    """
    texts = [each.text.casefold() for each in passages if each.role is Role.TEXT]
    words = [word for text in texts for word in re.findall(r"\w+", text)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest() if words else ""


def ruling_record(ruling: Ruling) -> list[Any]:
    """Return ``ruling`` as JSON, which `ruling_from_record` reads."""
    texts = (
        None if text is None else [text.text, text.language, *text.source]
        for text in (ruling.question, ruling.answer)
    )
    bases = [list(each) for each in ruling.bases]
    return [*ruling[:2], ruling.authority.value, ruling.date, list(ruling.cards), *texts,
            ruling.source, ruling.url, bases, ruling.superseded_by, ruling.author]  # fmt: skip


def ruling_from_record(record: Sequence[Any]) -> Ruling:
    """Return the ruling that `ruling_record` encoded as ``record``."""
    id, game, authority, date, cards, question, answer, source, url, bases, *rest = record
    texts = [
        SourcedText(text[0], text[1], StringSource(*text[2:])) if text else None
        for text in (question, answer)
    ]
    assert texts[1] is not None
    return Ruling(
        id,
        game,
        Authority(authority),
        date,
        tuple(cards),
        texts[0],
        texts[1],
        source,
        url,
        tuple(Basis(*each) for each in bases),
        *rest,
    )
