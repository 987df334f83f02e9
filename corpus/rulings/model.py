"""The data model of rulings (question, answer, cards, authority, date) and their storage."""

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
    """The authorities that make rulings, highest first."""

    PUBLISHER = "publisher"
    DESIGNER = "designer"
    HEAD_JUDGE = "head-judge"
    HOUSE = "house"

    @property
    def official(self) -> bool:
        """Whether this is the publisher or the designer."""
        return self in (Authority.PUBLISHER, Authority.DESIGNER)


class Basis(NamedTuple):
    """A rule on which a ruling is based: an ``entry`` by its id, or a rule by its ``number``; the
    other is "".

    ``wording`` is the SHA-256 of the rule's text when the ruling was made
    (`corpus.rulings.model.wording`), "" if unknown.
    """

    entry: str
    number: str
    wording: str

    @property
    def rule(self) -> str:
        """The id of the entry, or the number of the rule."""
        return self.entry or self.number


class QuotedPart(NamedTuple):
    """The part ``span`` of a string quoted from a file."""

    quoted: SourcedText
    span: Span

    @property
    def text(self) -> str:
        """The characters of the part."""
        return self.quoted.text[self.span.start : self.span.end]


class Ruling(NamedTuple):
    """A ruling on a question about ``game``.

    Attributes:
        id: The game's id and the ruling's own: "pegelwacht/teerjacke-1".
        question: None if there is only an answer, as in a card's clarifications.
        cards: Ids or names of cards, as in the file.
        date: In ISO 8601, "" if unknown.
        source: The publication.
        url: The web address of the publication.
        superseded_by: The id of the ruling that replaces it.
        author: The author of a house ruling, "" if unknown.
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
        """The question: its own string, or a part of the answer's string, or None."""
        if self.question is not None:
            return QuotedPart(self.question, Span(0, len(self.question.text)))
        parts = question_and_answer(self.answer.text)
        return QuotedPart(self.answer, parts[0]) if parts else None

    @property
    def answered(self) -> QuotedPart:
        """The answer: its whole string, or the part after the question."""
        parts = None if self.question is not None else question_and_answer(self.answer.text)
        return QuotedPart(self.answer, parts[1] if parts else Span(0, len(self.answer.text)))


def question_and_answer(text: str) -> tuple[Span, Span] | None:
    """Return the spans of question and answer in a text like "Q: … A: …", without these labels, or
    None if it does not have exactly one of each.
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
    """Return the SHA-256 of the words of a rule's ``passages``, or "" if there are none; it shows
    whether the rule has changed since a ruling. Line breaks and punctuation do not count.
    """
    texts = [each.text.casefold() for each in passages if each.role is Role.TEXT]
    words = [word for text in texts for word in re.findall(r"\w+", text)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest() if words else ""


def ruling_record(ruling: Ruling) -> list[Any]:
    """Return ``ruling`` as JSON data, which `ruling_from_record` reads."""
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
