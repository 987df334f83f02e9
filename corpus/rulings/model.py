"""The data model of rulings: question, answer, what they are about, and who has ruled so and when."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from corpus.sourced_text import SourcedText


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
    """A rule that a ruling rests on: an ``entry`` by its id, or a rule by its ``number``, "" where not given.

    ``wording`` is the SHA-256 of the rule's text as it was when the ruling was made, "" where unknown.
    """

    entry: str
    number: str
    wording: str


class Ruling(NamedTuple):
    """A ruling of ``game``. ``question`` is None where there is only an answer, as in a card's clarifications.

    ``cards`` are ids or names of cards as the file has them; ``date`` is ISO 8601, "" where unknown; ``source`` names where it was
    published, ``url`` its address; ``superseded_by`` is the id of the ruling that holds in its place.
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
