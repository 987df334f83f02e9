"""What differs between two readings of a card database: cards that came, went or changed, and what
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from corpus.cards.model import Card, CardText

_PARTS: dict[str, Callable[[Card], object]] = {
    "names": lambda card: [(face.names, face.subtitles) for face in card.faces],
    "texts": lambda card: [_quoted(face.texts) for face in card.faces],
    "values": lambda card: [(face.type, face.traits, face.stats) for face in card.faces],
    "errata": lambda card: [
        (_quoted((each.old, each.new, each.note)), each.date) for each in card.errata
    ],
    "printings": lambda card: sorted(card.printings, key=lambda each: each.code),
    "formats": lambda card: card.formats,
}


class ChangedCard(NamedTuple):
    """A card that is not as it was, and which parts of it: names, texts, values, errata, printings,
    formats.
    """

    card: Card
    parts: tuple[str, ...]


class CardChanges(NamedTuple):
    """The cards that are ``new``, ``gone`` or ``changed``, in order."""

    new: tuple[Card, ...]
    gone: tuple[Card, ...]
    changed: tuple[ChangedCard, ...]


def card_changes(before: Iterable[Card], after: Iterable[Card]) -> CardChanges:
    """What became of the cards ``before``, told by their ids. Where in a file something stands does
    not count.
    """
    old = {card.id: card for card in before}
    new = {card.id: card for card in after}
    compared = (
        ChangedCard(card, _differing(old[id], card)) for id, card in new.items() if id in old
    )
    return CardChanges(
        tuple(card for id, card in new.items() if id not in old),
        tuple(card for id, card in old.items() if id not in new),
        tuple(each for each in compared if each.parts),
    )


def _differing(before: Card, after: Card) -> tuple[str, ...]:
    return tuple(name for name, part in _PARTS.items() if part(before) != part(after))


def _quoted(texts: Iterable[CardText | None]) -> list[tuple[str, str, str]]:
    return sorted(
        (text.kind.value, text.quoted.language, text.quoted.text)
        for text in texts
        if text is not None
    )
