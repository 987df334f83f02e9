"""A made-up library with everything that records are looked up by: sections, references, printed pages and concepts."""

from __future__ import annotations

import random
from dataclasses import replace

from corpus.model import Entry, Kind, Lines, Span
from glossary.model import Reference, ReferenceKind
from index.library.library import Library
from tests.bench.growth.library import gathered
from tests.bench.growth.rulebooks import books

_SECTION = 20  # entries inside one another: the first of so many is around the others
_REFERENCES = 2  # of each entry
_PAGE = 5  # entries on a printed page


def made_up(passages: int, seed: int = 3) -> Library:
    """A library of so many passages, always the same."""
    chance = random.Random(seed)
    plain = gathered(books(passages))
    ids: dict[str, list[str]] = {}
    for entry in plain.entries:
        ids.setdefault(entry.edition, []).append(entry.id)
    entries = [_placed(entry, ids[entry.edition], number) for own in ids.values() for number, entry in enumerate(_of(plain, own))]
    references = [
        Reference(entry.id, 1, entry.heading, Span(0, 9), ReferenceKind.SEE_ALSO, chance.choice(ids[entry.edition]))
        for entry in entries
        for _ in range(_REFERENCES)
    ]
    pages = {id: (1 + number // _PAGE,) for own in ids.values() for number, id in enumerate(own)}
    concepts = {entry.id: f"{plain.edition[entry.edition].game}/{entry.heading}" for entry in entries}
    return replace(plain, entries=entries, references=references, pages=pages, concepts=concepts)


def _of(library: Library, ids: list[str]) -> list[Entry]:
    return [library.entry[id] for id in ids]


def _placed(entry: Entry, ids: list[str], number: int) -> Entry:
    """``entry``, entry ``number`` of the edition with ``ids``, inside the first of its section."""
    first = number - number % _SECTION
    spans = (Span(0, len(entry.heading)),)
    kind, parent = (Kind.SECTION, None) if first == number else (Kind.TERM, ids[first])
    return replace(entry, kind=kind, parent=parent, heading_spans=spans, spans=spans, lines=Lines(1, 2))
