"""Numbers of rules with points between their parts, for rulebooks that print them without: 421
within 42 within 4 is 4.2.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corpus.model import Entry

_FEWEST = 8  # rules from which numbers that begin with those around them are meant so


def dotted_numbers(entries: Iterable[Entry]) -> dict[str, str]:
    """The numbers of ``entries`` of one rulebook with points, by id, where whole numbers begin with
    that of the entry around them.

    Lists in Markdown number rules so, because a list cannot count "4.2.1."; other rules still refer
    to 4.2.1.
    """
    by_id = {entry.id: entry for entry in entries}
    found: dict[str, str] = {}
    chapters: dict[
        str | None, str
    ] = {}  # by the entry around its rules: the number that they begin with, which may not be printed
    for entry in by_id.values():  # an entry comes before those in it
        number = _whole(entry)
        if number is None:
            continue
        around = next((each for each in _around(entry, by_id) if each.number), None)
        if around is None and len(number) > 1 and number.endswith("1"):
            chapters.setdefault(entry.parent, number[:-1])
        outer = chapters.get(entry.parent) if around is None else _whole(around)
        if outer and number.startswith(outer) and len(number) > len(outer):
            dotted = found.get(around.id, outer) if around else outer
            found[entry.id] = f"{dotted}.{number[len(outer) :]}"
    nested = [number for number in found.values() if number.count(".") > 1]
    return found if len(nested) >= _FEWEST else {}


def _around(entry: Entry, by_id: dict[str, Entry]) -> Iterator[Entry]:
    while entry.parent is not None and entry.parent in by_id:
        entry = by_id[entry.parent]
        yield entry


def _whole(entry: Entry) -> str | None:
    """The number of ``entry`` if it is a whole one: "421" for "421."."""
    number = (entry.number or "").rstrip(".")
    return number if number.isdigit() else None
