"""Reads the CSV files of cards: a row for a card, for one of its further faces, or for a printing
or erratum more.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import pairwise
from typing import Any

from corpus.cards.faults import FaultList
from corpus.cards.files import CardFile
from corpus.cards.folder import MOST_RECORDS, Record, Steps

_DELIMITERS = ",;\t"
_OF_CARD = {"id": ("id",), "face": ("code",), "unique": ("unique",), "type": ("type",)}
_OF_PRINTING = {name: ("printings", 0, name) for name in ("code", "number", "date")}
_OF_LANGUAGES = {
    "name": ("names",), "subtitle": ("subtitles",), "traits": ("traits",), "text": ("texts",), "flavour": ("flavour",), "stat": ("stats",),
    "format": ("formats",), "product": ("printings", 0, "product"),
    "erratum.old": ("errata", 0, "old"), "erratum.new": ("errata", 0, "new"), "erratum.note": ("errata", 0, "note"),
}  # fmt: skip
_ERRATUM_DATE = {"erratum.date": ("errata", 0, "date")}
_YES, _NO = ("yes", "true", "x", "1"), ("no", "false", "0")
_LONGEST_HEADER = 20_000


def csv_records(file: CardFile, faults: FaultList) -> Iterator[Record]:
    """The rows of ``file`` as records of the plain form; a row that cannot be read is a fault.
    Empty cells stand for nothing.
    """
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
            faults.add(
                file.name, f"/{max(number, 0)}", f"line {rows.line_num}: not CSV: {fault}; left out"
            )
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
            faults.add(
                file.name, f"/{number}", f"{len(row)} cells in a table of {width} columns; left out"
            )
        else:
            yield _record(file, number, row, columns)
        number += 1


def _columns(file: CardFile, header: list[str], faults: FaultList) -> dict[int, tuple[str, Steps]]:
    """What each column is, by its position: its name and where it belongs in a record of the plain
    form.
    """
    found: dict[int, tuple[str, Steps]] = {}
    taken: set[Steps] = set()
    for position, name in enumerate(header):
        steps = _steps(name.strip())
        if steps is None or steps in taken:
            faults.add(
                file.name,
                "",
                f"column {name!r} is {'unknown' if steps is None else 'there twice'}; left out",
            )
        else:
            found[position] = (name, steps)
            taken.add(steps)
    return found


def _steps(name: str) -> Steps | None:
    if plain := (_OF_CARD | _OF_PRINTING | _ERRATUM_DATE).get(name):
        return plain
    head, _, last = name.rpartition(".")
    return (*_OF_LANGUAGES[head], last) if last and head in _OF_LANGUAGES else None


def _record(
    file: CardFile, number: int, row: list[str], columns: dict[int, tuple[str, Steps]]
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
        target[steps[-1]] = (
            _flag(cell)
            if steps == ("unique",)
            else cell
            if steps[0] in ("texts", "flavour", "errata")
            else cell.strip()
        )
    return Record(file, (number,), data, places)


def _flag(cell: str) -> bool | str:
    """Whether ``cell`` says yes; itself where it says neither yes nor no."""
    said = cell.strip().casefold()
    return True if said in _YES else False if said in _NO else cell
