"""Entries found by their names: suggestions while one types, lists by prefix, cards by name, number and product."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from corpus.model import Entry, Kind
from glossary.aliases import aliases_of
from glossary.concepts import concepts
from index.analysis import plain
from index.library.library import Library
from service.core.snapshot import Snapshot

SUGGESTIONS = 10
CARD_KINDS = (Kind.RULING, Kind.ERRATUM)

_LEAST_ALIKE = 80.0  # of 100; typing slips reach it, other words do not
_ORDER = {kind: place for place, kind in enumerate((Kind.TERM, Kind.RULE, Kind.RULING, Kind.ERRATUM, Kind.REDIRECT))}


@dataclass(frozen=True, slots=True)
class _IndexedName:
    plain: str
    entry: Entry


class NameIndex:
    """The names of a library's entries, made ready for looking them up."""

    def __init__(self, library: Library):
        self._library = library
        self._names = [_IndexedName(plain(name), e) for e in library.entries for name in _called(e)]
        self._otherwise = list(_otherwise(library))

    def suggest(self, typed: str, edition: str | None = None, game: str | None = None) -> list[Entry]:
        """At most `SUGGESTIONS` entries whose title or number begins with, holds, or is much like what is ``typed``.

        Names beginning with it come first, then names with a word beginning with it, then names holding it, then what
        players call the entry's term otherwise or in another language ("minion"), then slips of typing. Of entries that a
        reader could not tell apart, the first.
        """
        sought = plain(typed)
        if not sought:
            return []
        names = [n for n in self._names if self._within(n.entry, edition, game)]
        ranked = [(rank, n) for n in names if (rank := _rank(sought, n.plain)) is not None]
        ranked.sort(key=lambda pair: (pair[0], _ORDER.get(pair[1].entry.kind, len(_ORDER)), len(pair[1].plain)))
        found = _distinct(n.entry for _, n in ranked)
        if len(found) < SUGGESTIONS:
            others = [n for n in self._otherwise if n.plain.startswith(sought) and self._within(n.entry, edition, game)]
            found = _distinct([*found, *(n.entry for n in sorted(others, key=lambda n: len(n.plain)))])
        if len(found) < SUGGESTIONS and len(sought) >= 4:
            found = _distinct([*found, *(n.entry for n in _similar(sought, names))])
        return found[:SUGGESTIONS]

    def entries(self, edition: str | None, kind: Kind | None, prefix: str | None) -> list[Entry]:
        """Entries in document order: of one edition, of one kind, with a title or number beginning with ``prefix``."""
        begin = plain(prefix or "")
        wanted = {n.entry.id for n in self._names if n.plain.startswith(begin)} if begin else None
        here = self._library.entries_of(edition) if edition else self._library.entries
        return [e for e in here if (kind is None or e.kind is kind) and (wanted is None or e.id in wanted)]

    def rulings(self, card: str | None, number: str | None, product: str | None, game: str | None) -> list[Entry]:
        """Rulings and errata of a card, in every edition, in document order.

        Cards of exactly this name, else cards with these words in the name, else of a name much like it.
        """
        names = [n for n in self._cards if self._within(n.entry, None, game)]
        if number:
            names = [n for n in names if plain(n.entry.number or "") == plain(number)]
        if product:
            names = [n for n in names if plain(product) in plain(n.entry.product or "")]
        if card and (sought := plain(card)):
            names = (
                [n for n in names if n.plain == sought]
                or [n for n in names if f" {sought}" in f" {n.plain}"]
                or list(_similar(sought, names))
            )
        kept = {n.entry.id for n in names}
        return [n.entry for n in self._cards if n.entry.id in kept]

    @cached_property
    def _cards(self) -> list[_IndexedName]:
        return [_IndexedName(plain(e.card or e.title), e) for e in self._library.entries if e.kind in CARD_KINDS]

    def _within(self, entry: Entry, edition: str | None, game: str | None) -> bool:
        return (edition is None or entry.edition == edition) and (game is None or self._library.edition[entry.edition].game == game)


def names(snapshot: Snapshot) -> NameIndex:
    """Return the names in a ``snapshot``, made ready for looking them up; worked out once."""
    return snapshot.cache.get(("names",), lambda: NameIndex(snapshot.library))


def _called(entry: Entry) -> list[str]:
    """What an entry may be called: its title, with and without the number it begins with, and the number of a rule or section."""
    names = [entry.title, re.sub(r"^\d[\d.]*\s+", "", entry.title)]
    if entry.kind in (Kind.RULE, Kind.SECTION):
        names.append(entry.number or "")
    return list(dict.fromkeys(filter(None, names)))


def _otherwise(library: Library) -> Iterator[_IndexedName]:
    """What the terms that entries are about are called in any language: other names, abbreviations, slang."""
    called = {f"{game}/{c.id}": {plain(a.text) for a in aliases_of(c)} for game in library.games for c in concepts(game)}
    for entry in library.entries:
        own = {plain(name) for name in _called(entry)}
        for name in sorted(called.get(library.concepts.get(entry.id, ""), set()) - own - {""}):
            yield _IndexedName(name, entry)


def _rank(sought: str, name: str) -> int | None:
    if name.startswith(sought):
        return 0 if name == sought else 1
    if f" {sought}" in name:
        return 2
    return 3 if len(sought) >= 3 and sought in name and not sought[0].isdigit() else None


def _similar(sought: str, names: list[_IndexedName]) -> Iterable[_IndexedName]:
    close = process.extract(sought, [n.plain for n in names], scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE, limit=SUGGESTIONS)
    return [names[place] for _, _, place in close]


def _distinct(entries: Iterable[Entry]) -> list[Entry]:
    found: dict[tuple[str | None, ...], Entry] = {}
    for e in entries:
        found.setdefault((e.edition, e.title, e.number, e.product), e)
    return list(found.values())
