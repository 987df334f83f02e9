"""Rulings in the described form: YAML, a list of mappings or such a list under `rulings`, and CSV,
one a row.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

from corpus.cards.files import pointer
from corpus.rulings.collection import RulingFault, short
from corpus.rulings.fields import RulingFields, fields_of
from corpus.rulings.model import Ruling
from corpus.rulings.source_files import SourceFile, UnreadableRulings, yaml_data
from corpus.sourced_text import StringSource

MOST = 50_000  # rulings of a file
_LISTS = ("cards", "rests_on", "supersedes")
_DIVIDER = ";"  # between the members of a list in a cell


class ReadRuling(NamedTuple):
    """A ruling, and the ids of those that it says it supersedes."""

    ruling: Ruling
    supersedes: tuple[str, ...] = ()


def yaml_rulings(file: SourceFile, game: str) -> Iterator[ReadRuling | RulingFault]:
    """The rulings of a YAML file of ``game``, and its faults. Raises `UnreadableRulings`."""
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
    _check_number(data)
    for number, each in enumerate(data):
        yield _read(each, file, game, (*steps, number))


def csv_rulings(file: SourceFile, game: str) -> Iterator[ReadRuling | RulingFault]:
    """The rulings of a CSV file of ``game``, and its faults. Raises `UnreadableRulings`.

    Columns are named in the first row and divided by commas or semicolons; members of a list by
    semicolons. Empty lines do not count. A rule that the ruling rests on is the id of an entry,
    which has a slash, or a number.
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
    members = [member for each in cell.split(_DIVIDER) if (member := each.strip())]
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


def _check_number(found: list[Any]) -> None:
    """Raise `UnreadableRulings` where there are more than a file may have."""
    if len(found) > MOST:
        raise UnreadableRulings(f"has more than {MOST:,} rulings")
