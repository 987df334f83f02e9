"""The data model of cards: faces, texts, printings and errata, each text with its place in the
database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from corpus.sourced_text import SourcedText


class TextKind(StrEnum):
    """What a text of a card is: its rules, or what is told beside them, which rules nothing."""

    RULES = "rules"
    FLAVOUR = "flavour"


class CardText(NamedTuple):
    """A text printed on a face of a card; ``display`` is the same for readers, markup gone and
    symbols as their signs or names.
    """

    kind: TextKind
    quoted: SourcedText
    display: str


class CardFace(NamedTuple):
    """One face of a card. ``names``, ``subtitles`` and ``traits`` are by language; ``stats`` are
    printed values by name ("cost": "2").

    Names of stats are English, and so are symbols in their values: {"health": "14 [per player]"}.
    ``code`` is that of the record that the database has of this face, so that a back is found by
    it; "" where it has none of its own.
    """

    names: dict[str, str]
    subtitles: dict[str, str]
    type: str
    traits: dict[str, str]
    stats: dict[str, str]
    texts: tuple[CardText, ...]
    code: str = ""


class Printing(NamedTuple):
    """A product that a card is printed in. ``products`` are its names by language; ``date`` is ISO
    8601, "" where unknown.
    """

    code: str
    products: dict[str, str]
    number: str
    date: str


class CardErratum(NamedTuple):
    """A correction of a card by its publisher; ``old``, ``new`` or ``note`` is None where the
    database does not have it.

    ``note`` is what the database says of the correction. ``date`` is ISO 8601, "" where unknown.
    """

    old: CardText | None
    new: CardText | None
    date: str
    note: CardText | None = None


class Card(NamedTuple):
    """A card of ``game``. ``id`` is its code in the database; ``slug`` its address, of its English
    or first name and its code.

    Where the database has a record for each printing, ``id`` is that of the first, and every
    ``Printing.code`` leads to the card. ``formats`` are the formats it may be played in, with
    "legal", "banned", a date from which on it is legal, or "until" and the day on which it rotates
    out of it, or has.
    """

    id: str
    game: str
    slug: str
    faces: tuple[CardFace, ...]
    printings: tuple[Printing, ...]
    errata: tuple[CardErratum, ...]
    formats: dict[str, str]
    unique: bool = False

    def name(self, language: str) -> str:
        """What it is called in ``language``, else in English, else in any language; with its
        subtitle, if any: "Stitch - Rock Star".
        """
        face = self.faces[0]
        name = name_in(face.names, language)
        subtitle = name_in(face.subtitles, language)
        return f"{name} - {subtitle}" if subtitle else name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it has a name in, sorted."""
        return tuple(sorted({language for face in self.faces for language in face.names}))

    def texts(self, language: str | None = None) -> Iterator[CardText]:
        """The texts of its faces, those in ``language`` alone if one is given."""
        for face in self.faces:
            yield from (text for text in face.texts if language in (None, text.quoted.language))


def name_in(by_language: Mapping[str, str], language: str) -> str:
    """The name in ``language`` of those ``by_language``, else in English, else in any language; ""
    where there is none.
    """
    return (
        by_language.get(language) or by_language.get("en") or next(iter(by_language.values()), "")
    )
