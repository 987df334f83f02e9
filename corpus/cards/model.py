"""Cards: faces, texts, printings and errata, and how cards are stored and compared; each text knows
its place in the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from corpus.sourced_text import SourcedText, StringSource


class TextKind(StrEnum):
    """The kind of a card text: rules, or flavour text, which contains no rules."""

    RULES = "rules"
    FLAVOUR = "flavour"


class CardText(NamedTuple):
    """A text on a card face; ``display`` is the text without markup and with symbols shown."""

    kind: TextKind
    quoted: SourcedText
    display: str


class CardFace(NamedTuple):
    """One face of a card; ``names``, ``subtitles`` and ``traits`` are by language.

    ``stats`` are printed values by English name, with symbols in English: "health": "14 [per
    player]". ``code`` is the code of the record of this face, or "" if the face has no record of
    its own.
    """

    names: dict[str, str]
    subtitles: dict[str, str]
    type: str
    traits: dict[str, str]
    stats: dict[str, str]
    texts: tuple[CardText, ...]
    code: str = ""


class Printing(NamedTuple):
    """A printing of a card in a product (named by language); ``date`` is ISO 8601 or ""."""

    code: str
    products: dict[str, str]
    number: str
    date: str


class CardErratum(NamedTuple):
    """A correction of a card by its publisher; a text missing from the database is None.

    ``note`` is the database's comment on the correction; ``date`` is ISO 8601 or "".
    """

    old: CardText | None
    new: CardText | None
    date: str
    note: CardText | None = None


class Card(NamedTuple):
    """A card of ``game``. ``id`` is the code of its first printing; ``slug`` is the last part of
    its URL.

    ``formats`` has the card's state in each tournament format: "legal", "banned", the date from
    which it is legal, or "until" and the day of its rotation, past or future.
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
        """Return "name - subtitle" in ``language`` ("Stitch - Rock Star"), or as in `name_in`."""
        face = self.faces[0]
        subtitle = name_in(face.subtitles, language)
        return name_in(face.names, language) + (f" - {subtitle}" if subtitle else "")

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which the card has a name, sorted."""
        return tuple(sorted({language for face in self.faces for language in face.names}))

    def texts(self, language: str | None = None) -> Iterator[CardText]:
        """Yield the texts of all faces, only those in ``language`` if it is given."""
        for face in self.faces:
            yield from (text for text in face.texts if language in (None, text.quoted.language))

    def text_language(self, language: str) -> str:
        """Return the language to show the texts in: ``language``, or English, or any other."""
        known = [text.quoted.language for text in self.texts()]
        return next((each for each in (language, "en", *known) if each in known), language)


def name_in(by_language: Mapping[str, str], language: str) -> str:
    """Return the name in ``language``, or in English, or in any language, or ""."""
    return (
        by_language.get(language) or by_language.get("en") or next(iter(by_language.values()), "")
    )


_KINDS = tuple(TextKind)


def card_record(card: Card) -> list[Any]:
    """Return ``card`` as compact JSON data, which `card_from_record` reads."""
    files: dict[tuple[str, str], int] = {}

    def text(each: CardText | None) -> list[Any] | None:
        if each is None:
            return None
        quoted, language, (name, sha256, pointer) = each.quoted
        file = files.setdefault((name, sha256), len(files))
        shown = None if each.display == quoted else each.display
        return [_KINDS.index(each.kind), quoted, language, file, pointer, shown]

    faces = [[*face[:5], [text(each) for each in face.texts], face.code] for face in card.faces]
    errata = [[text(each.old), text(each.new), each.date, text(each.note)] for each in card.errata]
    printings = [list(each) for each in card.printings]
    return [*card[:3], faces, printings, errata, card.formats, card.unique, [*map(list, files)]]


def card_from_record(record: list[Any]) -> Card:
    """Return the card that `card_record` encoded as ``record``."""
    id, game, slug, faces, printings, errata, formats, unique, files = record

    def text(each: list[Any] | None) -> CardText | None:
        if each is None:
            return None
        kind, quoted, language, file, pointer, shown = each
        name, sha256 = files[file]
        source = StringSource(name, sha256, pointer)
        display = quoted if shown is None else shown
        return CardText(_KINDS[kind], SourcedText(quoted, language, source), display)

    return Card(
        id,
        game,
        slug,
        tuple(
            CardFace(*values, tuple(filter(None, map(text, texts))), code)  # type: ignore[call-arg]
            for *values, texts, code in faces
        ),
        tuple(Printing(*each) for each in printings),
        tuple(
            CardErratum(text(old), text(new), date, text(note)) for old, new, date, note in errata
        ),
        formats,
        unique,
    )


def _quoted(texts: Iterable[CardText | None]) -> list[tuple[str, str, str]]:
    return sorted(
        (text.kind.value, text.quoted.language, text.quoted.text) for text in texts if text
    )


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
    """A card that has changed, and its changed parts: "names", "texts", "values", "errata", …"""

    card: Card
    parts: tuple[str, ...]


class CardChanges(NamedTuple):
    """The cards that are ``new``, ``gone`` or ``changed``, in order."""

    new: tuple[Card, ...]
    gone: tuple[Card, ...]
    changed: tuple[ChangedCard, ...]


def card_changes(before: Iterable[Card], after: Iterable[Card]) -> CardChanges:
    """Compare two versions of a database by card ids, ignoring where a text is in its file."""
    old, new = ({card.id: card for card in cards} for cards in (before, after))
    compared = (
        ChangedCard(card, tuple(name for name, of in _PARTS.items() if of(old[id]) != of(card)))
        for id, card in new.items()
        if id in old
    )
    return CardChanges(
        tuple(card for id, card in new.items() if id not in old),
        tuple(card for id, card in old.items() if id not in new),
        tuple(each for each in compared if each.parts),
    )
