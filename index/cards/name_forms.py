"""The forms that names of cards are compared in, and the words beside its name that tell a card
from others of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from corpus.cards.model import Card, CardFace
from glossary.card_name_forms import name_words

_CODE = re.compile(r"(?<![\w/.\-])[\w/.\-]*\d[\w/.\-]*")
_SHORTEST_GRAM, _LONGEST_GRAM = 2, 3


class CardName(NamedTuple):
    """A name of a card as it is printed, and its language."""

    text: str
    language: str


def card_names(card: Card) -> Iterator[CardName]:
    """The names of all faces of ``card`` in every language, with and without subtitle."""
    return chain.from_iterable(map(_face_names, card.faces))


def _face_names(face: CardFace) -> Iterator[CardName]:
    for language, name in face.names.items():
        yield CardName(name, language)
        if subtitle := face.subtitles.get(language):
            yield CardName(f"{name} - {subtitle}", language)


def compared_words(text: str) -> tuple[str, ...]:
    """The folded words of ``text``; letters that stand alone one after the other are one word:
    "S.H.I.E.L.D.".
    """
    joined: list[str] = []
    letters = False
    for word in name_words(text):
        alone = len(word) == 1 and word.isalpha()
        if alone and letters:
            joined[-1] += word
        else:
            joined.append(word)
        letters = alone
    return tuple(joined)


def initials(words: Iterable[str]) -> str:
    """The first letters of ``words``."""
    return "".join(word[0] for word in words)


def grams(words: Iterable[str]) -> set[str]:
    """The n-grams of two and three characters of ``words``, with a blank at the ends of each."""
    framed = [f" {word} " for word in words]
    sizes = range(_SHORTEST_GRAM, _LONGEST_GRAM + 1)
    return {word[i : i + n] for word in framed for n in sizes for i in range(len(word) - n + 1)}


def codes_in(text: str) -> tuple[str, ...]:
    """What in ``text`` may be the code or the number of a card: "01001a", "12/204"."""
    return tuple(
        dict.fromkeys(match.group().strip("./-") for match in _CODE.finditer(text.lower()))
    )


def card_codes(card: Card) -> set[str]:
    """The id of ``card``, and the codes and numbers that it is printed with."""
    printed = chain.from_iterable(
        (p.number, p.number.partition("/")[0], p.code) for p in card.printings
    )
    return {
        code
        for text in (card.id, *printed, *(face.code for face in card.faces))
        for code in codes_in(text)
    } | {card.id.lower()}


def context_words(card: Card, types: Iterable[str] = ()) -> set[str]:
    """The words beside a name that ``card`` may be asked for with: type, traits, products, codes,
    names of other faces.

    ``types`` are the names of its types.
    """
    texts = chain(
        types,
        (face.type.replace("_", " ") for face in card.faces),
        (trait for face in card.faces for trait in face.traits.values()),
        (
            name
            for printing in card.printings
            for name in (printing.code, *printing.products.values())
        ),
        card_codes(card),
    )
    named = [
        {word for name in _face_names(face) for word in compared_words(name.text)}
        for face in card.faces
    ]
    other_faces = set[str]().union(*named) - named[0].intersection(*named)
    return {word for text in texts for word in compared_words(text)} | other_faces
