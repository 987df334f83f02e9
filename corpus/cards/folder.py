"""What reading a folder of cards gives, and the building of cards that readers of all forms
share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from corpus.cards.display import card_display
from corpus.cards.faults import CardFault, FaultList
from corpus.cards.files import CardFile
from corpus.cards.json_values import BrokenValue, pointer
from corpus.cards.model import Card, CardText, TextKind
from corpus.cards.symbols import unknown_symbols, with_symbols_shown
from corpus.printed_dates import iso_day
from corpus.sourced_text import SourcedText
from corpus.titles import slug

LONGEST_TEXT = 20_000  # characters
LONGEST_NAME = 300
LONGEST_CODE = 60
MOST_RECORDS = 200_000  # of a folder

Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT)]
Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
FullName = Annotated[str, StringConstraints(max_length=LONGEST_NAME, pattern=r"\S")]
Code = Annotated[str, StringConstraints(max_length=LONGEST_CODE, pattern=r"^[^\s/\x00-\x1f]+$")]


def _known_day(text: str) -> str:
    """``text``, if it is a day or empty. Raises `ValueError` for a day that no calendar has."""
    return iso_day(text) if text else text


Day = Annotated[str, StringConstraints(pattern=r"^(\d{4}-\d\d-\d\d)?$"), AfterValidator(_known_day)]

Steps = tuple[str | int, ...]  # to a value in a file: names and positions

R = TypeVar("R", bound=BaseModel)


class RecordFields(BaseModel):
    """Base class of records of databases that others keep: types as they are, fields that are not
    read may be anything.
    """

    model_config = ConfigDict(strict=True, extra="ignore")


class CardTerm(NamedTuple):
    """What cards are sorted by: ``kind`` is "type", "trait" or "product", ``code`` the database's;
    ``names`` are by language.
    """

    kind: str
    code: str
    names: dict[str, str]


class CardFolder(NamedTuple):
    """The cards of a folder, with what is wrong in it. ``languages`` are those of names, sorted;
    ``form`` names how it is written.
    """

    cards: tuple[Card, ...]
    faults: tuple[CardFault, ...]
    terms: tuple[CardTerm, ...]
    languages: tuple[str, ...]
    form: str


class Record(NamedTuple):
    """A record of a file: its place there, and its data, which may be anything. ``columns`` name
    what is a cell of a table.
    """

    file: CardFile
    steps: Steps
    data: Any
    columns: Mapping[Steps, str] = MappingProxyType({})

    def pointer(self, *further: str | int) -> str:
        """The JSON pointer to what is ``further`` within it."""
        column = self.columns.get(further)
        return pointer(*self.steps, *((column,) if column is not None else further))


class CardMaker:
    """Makes the texts of cards of one ``game``, and takes note of what is wrong in ``faults``."""

    def __init__(self, game: str, faults: FaultList):
        self.game = game
        self.faults = faults
        self._slugs: Counter[str] = Counter()

    def text(
        self, record: Record, field: str | Steps, text: str | None, language: str, kind: TextKind
    ) -> Iterator[CardText]:
        """The ``text`` of a ``field`` as the text of a card; none where it is empty. A symbol that
        is not known is a fault.
        """
        if not text or not text.strip():
            return
        place = record.pointer(*((field,) if isinstance(field, str) else field))
        for unknown in dict.fromkeys(unknown_symbols(text, self.game)):
            self.faults.add(record.file.name, place, f"unknown symbol {unknown}; shown as it is")
        yield CardText(
            kind,
            SourcedText(text, language, record.file.source(place)),
            self.display(text, language),
        )

    def display(self, text: str, language: str) -> str:
        """``text`` for readers."""
        return card_display(text, self.game, language)

    def stats(self, values: Mapping[str, str]) -> dict[str, str]:
        """Printed ``values`` by name, symbols shown in English as the names are; empty ones are
        left out.
        """
        return {
            name: with_symbols_shown(value, self.game, "en")
            for name, value in values.items()
            if value
        }

    def slug(self, names: dict[str, str], subtitles: dict[str, str], id: str) -> str:
        """The address of a card: its English or first name and its ``id``, and a number where
        another card has the same.
        """
        language = "en" if names.get("en") else next(iter(names), "")
        base = (
            slug(f"{names.get(language, '')} {subtitles.get(language, '')} {id}", longest=0)[
                -120:
            ].strip("-")
            or "card"
        )
        self._slugs[base] += 1
        found = base
        while self._slugs[found] > 1:
            found = f"{base}-{self._slugs[base]}"
            self._slugs[found] += 1
        return found

    def valid(self, record: Record, schema: type[R]) -> R | None:
        """The data of ``record`` if it fits ``schema``; None, and a fault, where it does not."""
        if isinstance(record.data, BrokenValue):
            self.faults.add(record.file.name, record.pointer(), f"{record.data.why}; left out")
            return None
        if not isinstance(record.data, dict):
            self.faults.add(
                record.file.name,
                record.pointer(),
                f"{_kind(record.data)} instead of an object; left out",
            )
            return None
        try:
            return schema.model_validate(record.data)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            place = record.pointer(*first["loc"])
            self.faults.add(
                record.file.name, place, f"{first['msg'].removeprefix('Value error, ')}; left out"
            )
            return None

    def records(self, file: CardFile, data: Any, steps: Steps = ()) -> list[Record]:
        """The members of the list ``data``; none, and a fault, where it is no list."""
        if isinstance(data, BrokenValue) or not isinstance(data, list):
            why = data.why if isinstance(data, BrokenValue) else f"{_kind(data)} instead of a list"
            self.faults.add(file.name, pointer(*steps), f"{why}; left out")
            return []
        if len(data) > MOST_RECORDS:
            self.faults.add(
                file.name,
                pointer(*steps),
                f"more than {MOST_RECORDS:,} records; the others are left out",
            )
        return [
            Record(file, (*steps, number), each) for number, each in enumerate(data[:MOST_RECORDS])
        ]


def stat_value(value: object) -> str:
    """A printed value as text: whole numbers and short strings, "" for none. Raises `ValueError`
    for anything else.
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"{_kind(value)} instead of a number or a string")
    if isinstance(value, int) and abs(value) >= 10**9:
        raise ValueError("a number of more than nine digits")
    if isinstance(value, str) and (
        len(value) > LONGEST_NAME or any("\ud800" <= sign <= "\udfff" for sign in value)
    ):
        raise ValueError("no short text in UTF-8")
    return str(value).strip()


def languages_of(cards: Iterable[Card]) -> tuple[str, ...]:
    """The languages that ``cards`` have names in, sorted."""
    return tuple(
        sorted({language for card in cards for face in card.faces for language in face.names})
    )


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {
        dict: "an object",
        list: "a list",
        str: "a string",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), type(value).__name__)
