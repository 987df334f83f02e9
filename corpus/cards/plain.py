"""Reads the plain form of cards, YAML and CSV files, which is for games that no other form is kept
of; docs/cards.md describes it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, StringConstraints

from corpus.bounded_yaml import load_bounded
from corpus.cards.faults import FaultList
from corpus.cards.files import CardFile, CardFiles
from corpus.cards.folder import (
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
    languages_of,
    stat_value,
)
from corpus.cards.json_values import pointer
from corpus.cards.lorcanajson_formats import BANNED, LEGAL, UNTIL
from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing, TextKind
from corpus.cards.plain_csv import csv_records
from corpus.printed_dates import iso_day

FORM = "plain"
_LARGEST_YAML = 16_000_000  # characters, which take some ten seconds


def _as_text(value: object) -> object:
    """Dates as YAML reads them, as text."""
    return (
        value.isoformat()
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        else value
    )


_Date = Annotated[Day, BeforeValidator(_as_text)]
_Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


def _format_state(text: str) -> str:
    """``text``, if it is the state of a card in a format. Raises `ValueError` for a day that no
    calendar has.
    """
    if text not in (LEGAL, BANNED):
        iso_day(text.removeprefix(f"{UNTIL} "))
    return text


_Format = Annotated[
    str,
    StringConstraints(pattern=r"^(legal|banned|(until )?\d{4}-\d\d-\d\d)$"),
    BeforeValidator(_as_text),
    AfterValidator(_format_state),
]
_Names = dict[_Language, FullName]
_Texts = dict[_Language, Text]
_TRAIT_ENDS = re.compile(r"\.\s+|\.$|(?<!\s)\s+•\s+")


_RULES = TextKind.RULES


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
    """A record with what was read of it: a card, or what a further row of a table adds to it."""

    record: Record
    card: _PlainCard


def read_plain(files: CardFiles, game: str, faults: FaultList) -> CardFolder:
    """The cards of the YAML and CSV files of ``files``; a record that cannot be read is left
    out.
    """
    make = CardMaker(game, faults)
    parts: dict[str, list[_PlainPart]] = {}
    types: dict[str, dict[str, str]] = {}
    for name in files.names:
        file = files.read(name) if not name.lower().endswith(".json") else None
        if file is None:
            continue
        is_table = name.lower().endswith(".csv")
        for record in csv_records(file, faults) if is_table else _yaml_records(file, types, make):
            card = make.valid(record, _PlainCard)
            if card is not None:
                _take_in(_PlainPart(record, card), parts, faults, is_table)
    cards = tuple(_card(each, make) for each in parts.values())
    return CardFolder(cards, faults.all(), tuple(_terms(cards, types)), languages_of(cards), FORM)


def _yaml_records(
    file: CardFile, types: dict[str, dict[str, str]], make: CardMaker
) -> list[Record]:
    """The records of the cards of a YAML file; the names of types go to ``types``."""
    if len(file.text) > _LARGEST_YAML:
        make.faults.add(file.name, "", f"YAML of more than {_LARGEST_YAML:,} characters; left out")
        return []
    try:
        data = load_bounded(file.text)
    except ValueError as fault:
        make.faults.add(file.name, "", f"{fault}; left out")
        return []
    if not isinstance(data, dict) or "cards" not in data:
        make.faults.add(file.name, "", "no card file: it has no list of 'cards'; left out")
        return []
    for unknown in sorted(str(key) for key in data.keys() - {"cards", "types"}):
        make.faults.add(file.name, pointer(unknown), "is neither 'cards' nor 'types'; left out")
    named = data.get("types") or {}
    for code, names in named.items() if isinstance(named, dict) else ():
        if found := make.valid(Record(file, ("types", str(code)), {"names": names}), _PlainType):
            types.setdefault(str(code), {}).update(found.names)
    return make.records(file, data["cards"], ("cards",))


def _take_in(
    part: _PlainPart, parts: dict[str, list[_PlainPart]], faults: FaultList, is_table: bool
) -> None:
    """Put ``part`` to those of its card. Only a row of a table may add to a card: a face with a
    code, or a printing or an erratum alone.
    """
    card, there = part.card, parts.get(part.card.id)
    if there is None:
        if card.names:
            parts[card.id] = [part]
        else:
            faults.add(
                part.record.file.name,
                part.record.pointer(),
                f"card {card.id} has no name; left out",
            )
    elif (
        is_table
        and there[0].record.file == part.record.file
        and bool(card.names) == bool(card.code)
    ):
        there.append(part)
    else:
        faults.add(
            part.record.file.name,
            part.record.pointer(),
            f"card {card.id} again, after {there[0].record.file.name}; left out",
        )


def _card(parts: list[_PlainPart], make: CardMaker) -> Card:
    first = parts[0].card
    faces = []
    for part in parts:
        if part.card.names:
            faces.append(_face(part.record, (), part.card, make))
        faces += [
            _face(part.record, ("other_faces", number), face, make)
            for number, face in enumerate(part.card.other_faces)
        ]
    faces[0] = faces[0]._replace(code=faces[0].code or first.id)
    printings = [_printing(first.id, each) for part in parts for each in part.card.printings]
    errata = [erratum for part in parts for erratum in _errata(part, faces[0], make)]
    slug = make.slug(first.names, first.subtitles, first.id)
    return Card(
        first.id,
        make.game,
        slug,
        tuple(faces),
        tuple(printings),
        tuple(errata),
        dict(first.formats),
        first.unique,
    )


def _face(record: Record, steps: Steps, face: _PlainFace, make: CardMaker) -> CardFace:
    texts = [*_texts(record, (*steps, "texts"), face.texts, _RULES, make)]
    texts += _texts(record, (*steps, "flavour"), face.flavour, TextKind.FLAVOUR, make)
    return CardFace(
        dict(face.names),
        dict(face.subtitles),
        face.type,
        dict(face.traits),
        make.stats(face.stats),
        tuple(texts),
        face.code,
    )


def _texts(
    record: Record, steps: Steps, texts: dict[str, str], kind: TextKind, make: CardMaker
) -> Iterator[CardText]:
    for language, text in texts.items():
        yield from make.text(record, (*steps, language), text, language, kind)


def _printing(id: str, each: _PlainPrinting) -> Printing:
    return Printing(each.code or id, dict(each.product), each.number, each.date)


def _errata(part: _PlainPart, face: CardFace, make: CardMaker) -> Iterator[CardErratum]:
    """The errata of a record, one for each language; the present text of the ``face`` where no new
    one is given.
    """
    for number, each in enumerate(part.card.errata):
        for language in dict.fromkeys((*each.old, *each.new, *each.note)):
            found = {
                field: next(
                    make.text(
                        part.record,
                        ("errata", number, field, language),
                        texts.get(language),
                        language,
                        _RULES,
                    ),
                    None,
                )
                for field, texts in (("old", each.old), ("new", each.new), ("note", each.note))
            }
            present = (
                text
                for text in face.texts
                if text.kind is _RULES and text.quoted.language == language
            )
            new = found["new"] or (next(present, None) if found["old"] else None)
            yield CardErratum(found["old"], new, each.date, found["note"])


def _terms(cards: Iterable[Card], types: dict[str, dict[str, str]]) -> Iterator[CardTerm]:
    yield from (CardTerm("type", code, names) for code, names in sorted(types.items()))
    products = {
        next(iter(each.products.values())): each.products
        for card in cards
        for each in card.printings
        if each.products
    }
    yield from (CardTerm("product", code, names) for code, names in sorted(products.items()))
    traits: dict[str, dict[str, str]] = {}
    for face in (face for card in cards for face in card.faces):
        parts = {
            language: [part for part in _TRAIT_ENDS.split(line) if part]
            for language, line in face.traits.items()
        }
        if len({len(each) for each in parts.values()}) == 1:
            for named in zip(*parts.values(), strict=True):
                traits.setdefault(named[0], {}).update(zip(parts, named, strict=True))
    yield from (CardTerm("trait", code, names) for code, names in sorted(traits.items()))
