"""Reads cards from YAML and CSV files (described in docs/cards.md), for games without another
database.
"""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, StringConstraints

from corpus.cards.files import CardFile, CardFiles, FaultList, pointer
from corpus.cards.folder import (
    BANNED,
    LEGAL,
    MOST_RECORDS,
    UNTIL,
    CardFolder,
    CardMaker,
    CardTerm,
    Code,
    Day,
    FullName,
    Name,
    Record,
    Steps,
    Text,
    stat_value,
    trait_terms,
)
from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing, TextKind
from corpus.data_files import load_bounded
from corpus.dates import iso_day

_LARGEST_YAML = 16_000_000  # characters, which take some ten seconds
_RULES = TextKind.RULES
_TRAIT_ENDS = re.compile(r"\.\s+|\.$|(?<!\s)\s+•\s+")
_DELIMITERS = ",;\t"
_LONGEST_HEADER = 20_000
_YES, _NO = ("yes", "true", "x", "1"), ("no", "false", "0")
_COLUMNS: dict[str, Steps] = {
    "id": ("id",),
    "face": ("code",),
    "unique": ("unique",),
    "type": ("type",),
    **{name: ("printings", 0, name) for name in ("code", "number", "date")},
    "erratum.date": ("errata", 0, "date"),
}
_COLUMNS_BY_LANGUAGE: dict[str, Steps] = {  # or by the name of a stat or format
    "name": ("names",),
    "subtitle": ("subtitles",),
    "traits": ("traits",),
    "text": ("texts",),
    "flavour": ("flavour",),
    "stat": ("stats",),
    "format": ("formats",),
    "product": ("printings", 0, "product"),
    **{f"erratum.{part}": ("errata", 0, part) for part in ("old", "new", "note")},
}


def _as_text(value: object) -> object:
    """Convert a date that YAML has parsed back to text."""
    is_day = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    return str(value) if is_day else value


def _format_state(text: str) -> str:
    if text not in (LEGAL, BANNED):
        iso_day(text.removeprefix(f"{UNTIL} "))  # raises ValueError for a day of no calendar
    return text


_Date = Annotated[Day, BeforeValidator(_as_text)]
_Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
_Format = Annotated[
    str,
    StringConstraints(pattern=r"^(legal|banned|(until )?\d{4}-\d\d-\d\d)$"),
    BeforeValidator(_as_text),
    AfterValidator(_format_state),
]
_Names = dict[_Language, FullName]
_Texts = dict[_Language, Text]


class _PlainFields(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _PlainFace(_PlainFields):
    code: Name = ""
    names: _Names = {}
    subtitles: _Names = {}
    type: Name = ""
    traits: _Names = {}
    stats: dict[Name, Annotated[str, BeforeValidator(stat_value)]] = {}
    texts: _Texts = {}
    flavour: _Texts = {}


class _PlainPrinting(_PlainFields):
    code: Name = ""
    product: _Names = {}
    number: Name = ""
    date: _Date = ""


class _PlainErratum(_PlainFields):
    old: _Texts = {}
    new: _Texts = {}
    note: _Texts = {}
    date: _Date = ""


class _PlainCard(_PlainFace):
    id: Code
    unique: bool = False
    other_faces: list[_PlainFace] = []
    printings: list[_PlainPrinting] = []
    errata: list[_PlainErratum] = []
    formats: dict[Name, _Format] = {}


class _PlainType(_PlainFields):
    names: _Names


class _PlainPart(NamedTuple):
    """A record and its validated content: a card, or a further table row that adds to a card."""

    record: Record
    card: _PlainCard


def read_plain(files: CardFiles, game: str, faults: FaultList) -> CardFolder:
    """Return the cards of the YAML and CSV files without unreadable records."""
    make = CardMaker(game, faults)
    parts: dict[str, list[_PlainPart]] = {}
    types: dict[str, dict[str, str]] = {}
    for name in files.names:
        file = files.read(name) if not name.lower().endswith(".json") else None
        if file is None:
            continue
        is_table = name.lower().endswith(".csv")
        for record in _csv_records(file, faults) if is_table else _yaml_records(file, types, make):
            card = make.valid(record, _PlainCard)
            if card is None:
                continue
            there = parts.get(card.id)
            if there is None and card.names:
                parts[card.id] = [_PlainPart(record, card)]
            elif there is None:
                make.fault(record, f"card {card.id} has no name; left out")
            # Only a row of a table adds to a card: a face with a code, a printing or an erratum.
            elif is_table and there[0].record.file == file and bool(card.names) == bool(card.code):
                there.append(_PlainPart(record, card))
            else:
                first = there[0].record.file.name
                make.fault(record, f"card {card.id} again, after {first}; left out")
    cards = [_card(each, make) for each in parts.values()]
    products = {
        next(iter(each.products.values())): each.products
        for card in cards
        for each in card.printings
        if each.products
    }
    terms = [CardTerm("type", code, names) for code, names in sorted(types.items())]
    terms += [CardTerm("product", code, names) for code, names in sorted(products.items())]
    return make.folder("plain", cards, (*terms, *trait_terms(_traits(cards))))


def _yaml_records(
    file: CardFile, types: dict[str, dict[str, str]], make: CardMaker
) -> list[Record]:
    """Return the card records of a YAML file, and add its names of card types to ``types``."""
    data = why = None
    if len(file.text) > _LARGEST_YAML:
        why = f"YAML of more than {_LARGEST_YAML:,} characters"
    else:
        try:
            data = load_bounded(file.text)
        except ValueError as fault:
            why = str(fault)
    if not isinstance(data, dict) or "cards" not in data:
        why = why or "no card file: it has no list of 'cards'"
        make.faults.add(file.name, "", f"{why}; left out")
        return []
    for unknown in sorted(str(key) for key in data.keys() - {"cards", "types"}):
        make.faults.add(file.name, pointer(unknown), "is neither 'cards' nor 'types'; left out")
    named = data.get("types") or {}
    for code, names in named.items() if isinstance(named, dict) else ():
        if found := make.valid(Record(file, ("types", str(code)), {"names": names}), _PlainType):
            types.setdefault(str(code), {}).update(found.names)
    return make.records(file, data["cards"], ("cards",))


def _card(parts: list[_PlainPart], make: CardMaker) -> Card:
    first = parts[0].card
    faces = []
    for record, card in parts:
        if card.names:
            faces.append(_face(record, (), card, make))
        faces += [
            _face(record, ("other_faces", number), face, make)
            for number, face in enumerate(card.other_faces)
        ]
    faces[0] = faces[0]._replace(code=faces[0].code or first.id)
    printings = (each for part in parts for each in part.card.printings)
    return Card(
        first.id,
        make.game,
        make.slug(first.names, first.subtitles, first.id),
        tuple(faces),
        tuple(
            Printing(each.code or first.id, dict(each.product), each.number, each.date)
            for each in printings
        ),
        tuple(erratum for part in parts for erratum in _errata(part, faces[0], make)),
        dict(first.formats),
        first.unique,
    )


def _face(record: Record, steps: Steps, face: _PlainFace, make: CardMaker) -> CardFace:
    def texts(field: str, kind: TextKind) -> Iterator[CardText]:
        for language, text in getattr(face, field).items():
            yield from make.text(record, (*steps, field, language), text, language, kind)

    return CardFace(
        dict(face.names),
        dict(face.subtitles),
        face.type,
        dict(face.traits),
        make.stats(face.stats),
        (*texts("texts", _RULES), *texts("flavour", TextKind.FLAVOUR)),
        face.code,
    )


def _errata(part: _PlainPart, face: CardFace, make: CardMaker) -> Iterator[CardErratum]:
    """Yield the errata of a record, one for each language; the new text defaults to the present
    text of ``face``.
    """
    for number, each in enumerate(part.card.errata):
        for language in dict.fromkeys((*each.old, *each.new, *each.note)):
            found: list[CardText | None] = []
            for field, texts in (("old", each.old), ("new", each.new), ("note", each.note)):
                place = ("errata", number, field, language)
                made = make.text(part.record, place, texts.get(language), language, _RULES)
                found.append(next(made, None))
            old, new, note = found
            if old and not new:
                present = (_RULES, language)
                new = next((t for t in face.texts if (t.kind, t.quoted.language) == present), None)
            yield CardErratum(old, new, each.date, note)


def _traits(cards: Iterable[Card]) -> Iterator[tuple[str, str, str]]:
    """Yield (name in the first language, language, name in that language) for each trait."""
    for face in (face for card in cards for face in card.faces):
        parts = {
            language: [part for part in _TRAIT_ENDS.split(line) if part]
            for language, line in face.traits.items()
        }
        if len({len(each) for each in parts.values()}) == 1:
            for named in zip(*parts.values(), strict=True):
                for language, name in zip(parts, named, strict=True):
                    yield named[0], language, name


def _csv_records(file: CardFile, faults: FaultList) -> Iterator[Record]:
    """Yield the rows of the CSV ``file`` as records; empty cells are left out."""
    head = file.text[:_LONGEST_HEADER].split("\n", 1)[0]
    rows = csv.reader(
        StringIO(file.text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True
    )
    columns: dict[int, tuple[str, Steps]] = {}
    width = number = -1
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as fault:
            what = f"line {rows.line_num}: not CSV: {fault}; left out"
            faults.add(file.name, f"/{max(number, 0)}", what)
            number += 1
            continue
        if not row:
            continue
        if width < 0:
            width, number = len(row), 0
            columns = _columns(file, row, faults)
            if not any(steps == ("id",) for _, steps in columns.values()):
                faults.add(file.name, "", "no card file: it has no column 'id'; left out")
                return
            continue
        if number >= MOST_RECORDS:
            faults.add(file.name, "", f"more than {MOST_RECORDS:,} rows; the others are left out")
            return
        if len(row) > width:
            what = f"{len(row)} cells in a table of {width} columns; left out"
            faults.add(file.name, f"/{number}", what)
        else:
            yield _row_record(file, number, row, columns)
        number += 1


def _columns(file: CardFile, header: list[str], faults: FaultList) -> dict[int, tuple[str, Steps]]:
    """Return name and path in a record of each known column, by its position."""
    found: dict[Steps, tuple[int, str]] = {}
    for position, name in enumerate(header):
        start, _, last = name.strip().rpartition(".")
        steps = _COLUMNS.get(name.strip())
        if steps is None and last and start in _COLUMNS_BY_LANGUAGE:
            steps = (*_COLUMNS_BY_LANGUAGE[start], last)
        if steps is None or steps in found:
            why = "unknown" if steps is None else "there twice"
            faults.add(file.name, "", f"column {name!r} is {why}; left out")
        else:
            found[steps] = position, name
    return {position: (name, steps) for steps, (position, name) in found.items()}


def _row_record(
    file: CardFile, number: int, row: list[str], columns: Mapping[int, tuple[str, Steps]]
) -> Record:
    data: dict[str, Any] = {}
    places: dict[Steps, str] = {}
    for position, cell in enumerate(row):
        if position not in columns or not cell.strip():
            continue
        name, steps = columns[position]
        places[steps] = name
        target: Any = data
        for step, following in pairwise(steps):
            if isinstance(target, list):
                target.extend([] if target else [{}])
                target = target[0]
            else:
                target = target.setdefault(step, [] if following == 0 else {})
        value: str | bool = cell if steps[0] in ("texts", "flavour", "errata") else cell.strip()
        if steps == ("unique",):
            said = cell.strip().casefold()
            value = True if said in _YES else False if said in _NO else cell
        target[steps[-1]] = value
    return Record(file, (number,), data, places)
