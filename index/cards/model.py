"""What is found of cards: hits of a search by name, and cards named in a question."""

from __future__ import annotations

from typing import NamedTuple

from corpus.cards.model import Card


class CardHit(NamedTuple):
    """A card found by ``name``, as it is printed in ``language``; both are "" where it was found by
    a number alone.

    ``score`` is from 0 to 1, with 1 where all that was asked for is the whole name.
    """

    card: Card
    score: float
    name: str
    language: str


class CardNamed(NamedTuple):
    """A place in a question where cards of a ``game`` are named; ``cards`` are the ids of those
    that the name may mean.

    ``certainty`` is from 0 to 1.
    """

    start: int
    end: int
    cards: tuple[str, ...]
    certainty: float
    game: str
