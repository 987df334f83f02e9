"""Entries found by their names, whatever typos they are typed with, and the order of names."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TypeVar

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from corpus.model import Entry, Kind
from glossary.aliases import aliases_of
from glossary.concepts import load_concepts
from glossary.normalization import fold_umlauts
from index.analysis import plain
from index.library.library import Library
from service.core.snapshot import Snapshot

T = TypeVar("T")

OTHER = "#"  # the letter of names that begin with none
_SPELLED_OUT = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})
_WORD = re.compile(r"\d+|[^\W\d_]+")
_SHORTEST_TYPED = 5  # letters typed: of fewer, one slip leaves too little
_TWO_SLIPS = 8  # letters typed from which on two slips are forgiven
_LONGEST_TYPED = 60
SUGGESTIONS = 10
CARD_KINDS = (Kind.RULING, Kind.ERRATUM)
_LEAST_SIMILARITY = 80.0  # of 100; typing slips reach it, other words do not
_ORDER = {
    kind: place
    for place, kind in enumerate((Kind.TERM, Kind.RULE, Kind.RULING, Kind.ERRATUM, Kind.REDIRECT))
}


def sort_key(name: str) -> tuple[object, ...]:
    """Return the sort key of ``name``: word by word letters without accents and numbers by value;
    then accents; then capitals.
    """
    parts = [
        (0, int(word), "") if word.isdecimal() else (1, 0, word)
        for word in _WORD.findall(_without_accents(name))
    ]
    return (tuple(parts), unicodedata.normalize("NFD", name.lower()), name.swapcase())


def letter(name: str) -> str:
    """Return the letter that ``name`` is listed under: A to Z without accents, else `OTHER`."""
    first = next(iter(_WORD.findall(_without_accents(name))), "")[:1].upper()
    return first if "A" <= first <= "Z" else OTHER


def by_letter(items: Iterable[T], name: Callable[[T], str]) -> list[tuple[str, list[T]]]:
    """Return ``items`` sorted by name and grouped by letter; those that begin with none come
    first.
    """
    ranked = sorted(
        items,
        key=lambda item: (letter(name(item)) != OTHER, letter(name(item)), sort_key(name(item))),
    )
    return [
        (first, list(group))
        for first, group in groupby(ranked, key=lambda item: letter(name(item)))
    ]


def _without_accents(name: str) -> str:
    """Return ``name`` in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED_OUT))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


class MisspeltNames:
    """Finds names by the misspelt beginning of one of their words. ``names`` are in small letters,
    without umlauts and accents.
    """

    def __init__(self, names: Iterable[str]):
        self._starts: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for number, name in enumerate(names):
            words = name.split()
            for place in range(len(words)):
                rest = " ".join(words[place:])
                self._starts[rest[0]].append((rest, number))

    def find(self, typed: str) -> list[int]:
        """Return the numbers of the names that ``typed`` may be the beginning of, or of one of
        their words; the nearest first.

        One slip (optimal string alignment distance) is forgiven in five letters and more, two in
        eight and more. The first letter is right or swapped with the second: a word with another
        first letter is another word.
        """
        if not _SHORTEST_TYPED <= len(typed) <= _LONGEST_TYPED:
            return []
        slips = 2 if len(typed) >= _TWO_SLIPS else 1
        found: dict[int, tuple[int, int]] = {}
        for first in dict.fromkeys(typed[:2]):
            starts = self._starts.get(first, ())
            # What was typed with a slip has as many letters as it is meant to have, or one or two
            # more or less.
            for length in range(len(typed) - slips, len(typed) + slips + 1):
                cut = [rest[:length] for rest, _ in starts]
                for _, distance, place in process.extract(
                    typed, cut, scorer=OSA.distance, score_cutoff=slips, limit=None
                ):
                    rest, number = starts[place]
                    nearness = (
                        int(distance),
                        len(rest),
                    )  # slips, then letters that the name is longer
                    found[number] = min(nearness, found.get(number, nearness))
        return sorted(found, key=lambda number: (*found[number], number))


@dataclass(frozen=True, slots=True)
class _IndexedName:
    """A name of an entry in the form that names are compared in."""

    plain: str
    entry: Entry


class EntryNameIndex:
    """The names of a library's entries, made ready for looking them up."""

    def __init__(self, library: Library):
        self._library = library
        self._names = [
            _IndexedName(comparable(name), e) for e in library.entries for name in _printed_names(e)
        ]
        self._aliases = list(_alias_names(library))
        self._all_names = (*self._names, *self._aliases)
        self._misspelt = MisspeltNames(name.plain for name in self._all_names)

    def suggest(
        self,
        typed: str,
        edition: str | None = None,
        game: str | None = None,
        language: str | None = None,
    ) -> list[Entry]:
        """Return at most `SUGGESTIONS` entries whose title or number begins with, contains, or is
        similar to what is ``typed``.

        Names that begin with it come first, then names with a word that begins with it, then names
        that contain it, then other names of the entry's term, also in other languages ("minion"),
        then those with a word that it is the misspelt beginning of, then similar names; of those
        alike, the ones in ``language``. Of entries that a reader could not tell apart, the first is
        returned.
        """
        sought = comparable(typed)
        if not sought:
            return []
        editions = {each.id for each in self._library.filter_editions(edition, game)}
        names = [n for n in self._names if n.entry.edition in editions]
        ranked = [(rank, n) for n in names if (rank := _rank(sought, n.plain)) is not None]

        def foreign(name: _IndexedName) -> bool:
            return self._library.edition[name.entry.edition].language != language

        ranked.sort(
            key=lambda pair: (
                pair[0],
                _ORDER.get(pair[1].entry.kind, len(_ORDER)),
                foreign(pair[1]),
                len(pair[1].plain),
            )
        )
        found = _distinguishable(n.entry for _, n in ranked)
        if len(found) < SUGGESTIONS:
            others = [
                n
                for n in self._aliases
                if n.plain.startswith(sought) and n.entry.edition in editions
            ]
            found = _distinguishable(
                [
                    *found,
                    *(n.entry for n in sorted(others, key=lambda n: (foreign(n), len(n.plain)))),
                ]
            )
        if len(found) < SUGGESTIONS:
            meant = [self._all_names[number] for number in self._misspelt.find(sought)]
            found = _distinguishable(
                [
                    *found,
                    *(n.entry for n in sorted(meant, key=foreign) if n.entry.edition in editions),
                ]
            )
        if len(found) < SUGGESTIONS and len(sought) >= 4:
            found = _distinguishable([*found, *(n.entry for n in _similar(sought, names))])
        return found[:SUGGESTIONS]

    def entries(self, edition: str | None, kind: Kind | None, prefix: str | None) -> list[Entry]:
        """Return entries in document order: of one edition, of one kind, with a title or number
        that begins with ``prefix``.
        """
        start = comparable(prefix or "")
        matching = (
            {name.entry.id for name in self._names if name.plain.startswith(start)}
            if start
            else None
        )
        entries = self._library.entries_of(edition) if edition else self._library.entries
        return [
            e
            for e in entries
            if (kind is None or e.kind is kind) and (matching is None or e.id in matching)
        ]

    def rulings(
        self, card: str | None, number: str | None, product: str | None, game: str | None
    ) -> list[Entry]:
        """Return rulings and errata of a card, in every edition, in document order.

        They are of cards with exactly this name, else with these words in the name, else with a
        similar name.
        """
        editions = {each.id for each in self._library.filter_editions(game=game)}
        names = [n for n in self._cards if n.entry.edition in editions]
        if number:
            names = [n for n in names if comparable(n.entry.number or "") == comparable(number)]
        if product:
            names = [n for n in names if comparable(product) in comparable(n.entry.product or "")]
        if card and (sought := comparable(card)):
            names = (
                [n for n in names if n.plain == sought]
                or [n for n in names if f" {sought}" in f" {n.plain}"]
                or list(_similar(sought, names))
            )
        found = {name.entry.id for name in names}
        return [name.entry for name in self._cards if name.entry.id in found]

    @cached_property
    def _cards(self) -> list[_IndexedName]:
        return [
            _IndexedName(comparable(e.card or e.title), e)
            for e in self._library.entries
            if e.kind in CARD_KINDS
        ]


def comparable(text: str) -> str:
    """Return ``text`` in the form that names are compared in: its words in small letters, an umlaut
    as the vowel, typed out or not.
    """
    return fold_umlauts(plain(text))


def name_index(snapshot: Snapshot) -> EntryNameIndex:
    """Return the names in a ``snapshot``, made ready for looking them up; worked out once."""
    return snapshot.cache.get(("names",), lambda: EntryNameIndex(snapshot.library))


def _printed_names(entry: Entry) -> list[str]:
    """Return the title of ``entry`` with and without the number at its beginning, and the number of
    a rule or section.
    """
    names = [entry.title, re.sub(r"^\d[\d.]*\s+", "", entry.title)]
    if entry.kind in (Kind.RULE, Kind.SECTION):
        names.append(entry.number or "")
    return list(dict.fromkeys(filter(None, names)))


def _alias_names(library: Library) -> Iterator[_IndexedName]:
    """Yield other names, abbreviations and slang, in any language, of the terms that entries are
    about.
    """
    called = {
        f"{game}/{c.id}": {comparable(a.text) for a in aliases_of(c)}
        for game in library.games
        for c in load_concepts(game)
    }
    for entry in library.entries:
        own = {comparable(name) for name in _printed_names(entry)}
        for name in sorted(called.get(library.concepts.get(entry.id, ""), set()) - own - {""}):
            yield _IndexedName(name, entry)


def _rank(sought: str, name: str) -> int | None:
    """Return how well ``name`` matches what is ``sought``, 0 the best; None where it does not."""
    if name.startswith(sought):
        return 0 if name == sought else 1
    if f" {sought}" in name:
        return 2
    return 3 if len(sought) >= 4 and sought in name and not sought[0].isdigit() else None


def _similar(sought: str, names: list[_IndexedName]) -> Iterable[_IndexedName]:
    """Return the names most similar to what is ``sought``, the nearest first."""
    close = process.extract(
        sought,
        [n.plain for n in names],
        scorer=fuzz.ratio,
        score_cutoff=_LEAST_SIMILARITY,
        limit=SUGGESTIONS,
    )
    return [names[place] for _, _, place in close]


def _distinguishable(entries: Iterable[Entry]) -> list[Entry]:
    """Return the first of the entries that a reader could not tell apart."""
    found: dict[tuple[str | None, ...], Entry] = {}
    for e in entries:
        found.setdefault((e.edition, e.title, e.number, e.product), e)
    return list(found.values())
