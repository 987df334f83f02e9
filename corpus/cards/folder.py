"""Turns records of any card database into cards, and holds the cards and faults of a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from corpus.cards.files import BrokenValue, CardFault, CardFile, FaultList, pointer
from corpus.cards.model import Card, CardText, TextKind
from corpus.cards.symbols import card_display, unknown_symbols, with_symbols_shown
from corpus.dates import iso_day
from corpus.sourced_text import SourcedText
from corpus.titles import slug

LONGEST_NAME = 300  # characters
MOST_RECORDS = 200_000  # of one list or table
LEGAL, BANNED, UNTIL = "legal", "banned", "until"  # states of a card in a format

Text = Annotated[str, StringConstraints(max_length=20_000)]
Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
FullName = Annotated[str, StringConstraints(max_length=LONGEST_NAME, pattern=r"\S")]
Code = Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\s/\x00-\x1f]+$")]
Day = Annotated[
    str,
    StringConstraints(pattern=r"^(\d{4}-\d\d-\d\d)?$"),
    AfterValidator(lambda text: iso_day(text) if text else text),
]
Steps = tuple[str | int, ...]  # to a value in a file: names and positions
R = TypeVar("R", bound=BaseModel)
_KINDS = {
    type(None): "null",
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


class RecordFields(BaseModel):
    """The fields of a record that are read; other fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore")


class CardTerm(NamedTuple):
    """A type, trait or product (the ``kind``), with its ``code`` in the database and names by
    language.
    """

    kind: str
    code: str
    names: dict[str, str]


class CardFolder(NamedTuple):
    """The cards of a folder and its faults; ``languages`` are those with card names, sorted."""

    cards: tuple[Card, ...]
    faults: tuple[CardFault, ...]
    terms: tuple[CardTerm, ...]
    languages: tuple[str, ...]
    form: str


class Record(NamedTuple):
    """The ``data`` of one record at ``steps`` in ``file``; for a table row, ``columns`` are the
    names of its columns.
    """

    file: CardFile
    steps: Steps
    data: Any
    columns: Mapping[Steps, str] = MappingProxyType({})

    def pointer(self, *further: str | int) -> str:
        """Return the JSON pointer to the value at the path ``further`` in this record."""
        column = self.columns.get(further)
        return pointer(*self.steps, *((column,) if column is not None else further))


class CardMaker:
    """Makes the cards of one ``game``, and collects ``faults``."""

    def __init__(self, game: str, faults: FaultList):
        self.game = game
        self.faults = faults
        self._slugs: Counter[str] = Counter()

    def fault(self, record: Record, what: object, *further: str | int) -> None:
        """Add a fault in ``record``, or in its value at the path ``further``."""
        self.faults.add(record.file.name, record.pointer(*further), what)

    def text(
        self, record: Record, field: str | Steps, text: str | None, language: str, kind: TextKind
    ) -> Iterator[CardText]:
        """Yield the ``text`` of a ``field`` unless it is empty; an unknown symbol is a fault."""
        if not text or not text.strip():
            return
        place = record.pointer(*((field,) if isinstance(field, str) else field))
        for unknown in dict.fromkeys(unknown_symbols(text, self.game)):
            self.faults.add(record.file.name, place, f"unknown symbol {unknown}; shown as it is")
        quoted = SourcedText(text, language, record.file.source(place))
        yield CardText(kind, quoted, self.display(text, language))

    def display(self, text: str, language: str) -> str:
        """Return ``text`` as it is shown to readers, without markup."""
        return card_display(text, self.game, language)

    def stats(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the printed ``values`` without empty ones; symbols become their English names."""
        return {
            name: with_symbols_shown(value, self.game, "en")
            for name, value in values.items()
            if value
        }

    def slug(self, names: Mapping[str, str], subtitles: Mapping[str, str], id: str) -> str:
        """Return the last part of a card's URL: its English (or first) name and its ``id``, with a
        number if another card has the same.
        """
        language = "en" if names.get("en") else next(iter(names), "")
        named = f"{names.get(language, '')} {subtitles.get(language, '')} {id}"
        found = base = slug(named, longest=0)[-120:].strip("-") or "card"
        self._slugs[base] += 1
        while self._slugs[found] > 1:
            found = f"{base}-{self._slugs[base]}"
            self._slugs[found] += 1
        return found

    def valid(self, record: Record, schema: type[R]) -> R | None:
        """Return the data of ``record``, or add a fault and return None if ``schema`` does not
        fit.
        """
        if isinstance(record.data, BrokenValue):
            self.fault(record, f"{record.data.why}; left out")
        elif not isinstance(record.data, dict):
            self.fault(record, f"{_kind(record.data)} instead of an object; left out")
        else:
            try:
                return schema.model_validate(record.data)
            except ValidationError as fault:
                first = fault.errors(include_url=False, include_input=False)[0]
                what = first["msg"].removeprefix("Value error, ")
                self.fault(record, f"{what}; left out", *first["loc"])
        return None

    def records(self, file: CardFile, data: Any, steps: Steps = ()) -> list[Record]:
        """Return the members of the list ``data``; if it is no list, add a fault and return []."""
        whole = Record(file, steps, data)
        if isinstance(data, BrokenValue) or not isinstance(data, list):
            why = data.why if isinstance(data, BrokenValue) else f"{_kind(data)} instead of a list"
            self.fault(whole, f"{why}; left out")
            return []
        if len(data) > MOST_RECORDS:
            self.fault(whole, f"more than {MOST_RECORDS:,} records; the others are left out")
        return [
            Record(file, (*steps, number), each) for number, each in enumerate(data[:MOST_RECORDS])
        ]

    def folder(self, form: str, cards: Iterable[Card], terms: Iterable[CardTerm]) -> CardFolder:
        """Return the folder with ``cards`` and the faults found so far."""
        made = tuple(cards)
        languages = sorted({language for card in made for language in card.languages})
        return CardFolder(made, self.faults.all(), tuple(terms), tuple(languages), form)


def stat_value(value: object) -> str:
    """Return a whole number or short string as text, "" for None. Raises `ValueError`."""
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


def trait_terms(named: Iterable[tuple[str, str, str]]) -> Iterator[CardTerm]:
    """Yield the traits named as (code, language, name); the first name in each language counts."""
    found: dict[str, dict[str, str]] = {}
    for code, language, name in named:
        found.setdefault(code, {}).setdefault(language, name)
    yield from (CardTerm("trait", code, names) for code, names in sorted(found.items()))


def _kind(value: object) -> str:
    return _KINDS.get(type(value), type(value).__name__)
