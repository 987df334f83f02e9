"""Reads rulings in the project's own formats, and defines their fields.

YAML files contain a list of mappings, at the top level or under `rulings`; CSV files have one
ruling per row.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError

from corpus.cards.files import pointer
from corpus.data_files import Fields
from corpus.rulings.model import Authority, Basis, Ruling
from corpus.rulings.source_files import RulingFault, SourceFile, UnreadableRulings, short, yaml_data
from corpus.sourced_text import SourcedText, StringSource

MOST = 50_000  # rulings of a file
_LISTS = ("cards", "rests_on", "supersedes")
LONGEST = 20_000  # characters of a question or an answer
MOST_CARDS = 50

_CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    if _CONTROL.search(text):
        raise ValueError("has control characters")
    return text


def _on_one_line(text: str) -> str:
    if _NAME.search(text):
        raise ValueError("has line ends or control characters")
    return text.strip()


def _day(value: Any) -> Any:
    return (
        value.isoformat()
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        else value
    )


def _real_day(text: str) -> str:
    if text:
        try:
            known = datetime.date.fromisoformat(text).isoformat() == text
        except ValueError:
            known = False
        if not known:
            raise ValueError("is no day such as 2025-03-02")
    return text


def _web_address(text: str) -> str:
    if text:
        try:
            parts = urlsplit(text)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"\s", text):
            raise ValueError("is no web address such as https://example.org/faq")
    return text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


ID_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,99}$"
Id = Annotated[str, Field(pattern=ID_PATTERN)]
Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(_said)]
Line = Annotated[str, Field(max_length=300), AfterValidator(_on_one_line)]
Name = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_on_one_line)]
Day = Annotated[str, BeforeValidator(_day), AfterValidator(_real_day)]
Address = Annotated[
    str, Field(max_length=2_000), AfterValidator(_on_one_line), AfterValidator(_web_address)
]
WordingHash = Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]


class BasisFields(Fields):
    """A rule on which a ruling is based, with the fields of `corpus.rulings.model.Basis`."""

    entry: Line = ""
    number: Line = ""
    wording: WordingHash = ""


class RulingFields(Fields):
    """The fields of a ruling in a file, as in `corpus.rulings.model.Ruling`; ``supersedes`` are ids
    of rulings of the same game.
    """

    id: Id
    question: Text | None = None
    answer: Text
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
    cards: Annotated[list[Name], Field(max_length=MOST_CARDS), BeforeValidator(_listed)] = Field(
        default_factory=list
    )
    date: Day = ""
    authority: Annotated[Authority, Field(strict=False)]
    source: Line = ""
    url: Address = ""
    rests_on: Annotated[list[BasisFields], Field(max_length=MOST_CARDS)] = Field(
        default_factory=list
    )
    superseded_by: Id | None = None
    supersedes: Annotated[list[Id], Field(max_length=MOST_CARDS), BeforeValidator(_listed)] = Field(
        default_factory=list
    )
    author: Line = ""

    def ruling(self, game: str, question: StringSource | None, answer: StringSource) -> Ruling:
        """Return these fields as a ruling of ``game``; ``question`` and ``answer`` are the sources
        of its texts.
        """
        return Ruling(
            id=f"{game}/{self.id}",
            game=game,
            authority=self.authority,
            date=self.date,
            cards=tuple(dict.fromkeys(self.cards)),
            question=SourcedText(self.question, self.language, question)
            if self.question is not None and question
            else None,
            answer=SourcedText(self.answer, self.language, answer),
            source=self.source,
            url=self.url,
            bases=tuple(
                Basis(each.entry, each.number, each.wording)
                for each in self.rests_on
                if each.entry or each.number
            ),
            superseded_by=f"{game}/{self.superseded_by}" if self.superseded_by else "",
            author=self.author,
        )


RULING = TypeAdapter(RulingFields)


def fields_of(data: Any, file: SourceFile, at: tuple[str | int, ...]) -> RulingFields | RulingFault:
    """Return the validated fields of ``data``, the value at ``at`` in ``file``, or a fault."""
    place = pointer(*at)
    if not isinstance(data, dict):
        return RulingFault(file.name, place, "is no ruling: not a mapping")
    try:
        return RULING.validate_python(
            {name: value for name, value in data.items() if value is not None}
        )
    except RecursionError:
        return RulingFault(file.name, place, "is nested too deep; left out")
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        field = short(".".join(map(str, first["loc"])))
        what = short(first["msg"].removeprefix("Value error, "))
        return RulingFault(file.name, place, f"{field}: {what}; left out")


class ReadRuling(NamedTuple):
    """A ruling, and the ids of the rulings that it claims to supersede."""

    ruling: Ruling
    supersedes: tuple[str, ...] = ()


def yaml_rulings(file: SourceFile, game: str) -> Iterator[ReadRuling | RulingFault]:
    """Yield the rulings of ``game``, and the faults, in a YAML file. Raises `UnreadableRulings`."""
    data = yaml_data(file)
    steps: tuple[str | int, ...] = ()
    if isinstance(data, dict) and "rulings" in data:
        if unknown := sorted(map(str, data.keys() - {"game", "rulings"})):
            raise UnreadableRulings(f"has {short(', '.join(unknown))} beside 'game' and 'rulings'")
        if data.get("game", game) != game:
            raise UnreadableRulings(f"has rulings of {short(data['game'])!r}, not of {game!r}")
        data, steps = data["rulings"], ("rulings",)
    if data is None:
        return
    if not isinstance(data, list):
        raise UnreadableRulings("has no list of rulings")
    if len(data) > MOST:
        raise UnreadableRulings(f"has more than {MOST:,} rulings")
    for number, each in enumerate(data):
        yield _read(each, file, game, (*steps, number))


def csv_rulings(file: SourceFile, game: str) -> Iterator[ReadRuling | RulingFault]:
    """Yield the rulings of ``game``, and the faults, in a CSV file. Raises `UnreadableRulings`.

    The first row has the column names. Cells are separated by commas or semicolons, members of a
    list by semicolons. Empty lines are ignored. A basis of a ruling is the id of an entry (with a
    slash) or a rule number.
    """
    text = file.text()
    head = text.split("\n", 1)[0]
    rows = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=";" if head.count(";") > head.count(",") else ",",
        strict=True,
    )
    number = -1
    try:
        columns = [name.strip() for name in next(rows, [])]
        if unknown := sorted({name for name in columns if name not in RulingFields.model_fields}):
            raise UnreadableRulings(f"has unknown columns: {short(', '.join(map(repr, unknown)))}")
        if len(set(columns)) < len(columns):
            raise UnreadableRulings("has a column twice")
        for row in rows:
            if not row:
                continue
            number += 1
            if not any(row):
                continue
            if number >= MOST:
                raise UnreadableRulings(f"has more than {MOST:,} rulings")
            if len(row) > len(columns):
                yield RulingFault(
                    file.name, pointer(number), "has more cells than there are columns; left out"
                )
                continue
            cells = {
                name: _cell(name, cell)
                for name, cell in zip(columns, row, strict=False)
                if cell.strip()
            }
            yield _read(cells, file, game, (number,))
    except csv.Error as fault:
        yield RulingFault(
            file.name,
            pointer(number + 1),
            f"not CSV: {short(fault)}; this row and what follows is left out",
        )


def _cell(name: str, cell: str) -> Any:
    if name not in _LISTS:
        return cell if name in ("question", "answer") else cell.strip()
    members = [member for each in cell.split(";") if (member := each.strip())]
    return (
        [{"entry" if "/" in member else "number": member} for member in members]
        if name == "rests_on"
        else members
    )


def _read(
    data: Any, file: SourceFile, game: str, at: tuple[str | int, ...]
) -> ReadRuling | RulingFault:
    fields = fields_of(data, file, at)
    if isinstance(fields, RulingFault):
        return fields

    def place(name: str) -> StringSource:
        return StringSource(file.name, file.sha256, pointer(*at, name))

    return ReadRuling(
        fields.ruling(game, place("question"), place("answer")),
        tuple(f"{game}/{id}" for id in fields.supersedes),
    )
