"""Find entries by their names, tolerating typos, and by words within them; sort names."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import NamedTuple, TypeVar

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from corpus.model import Entry, Kind, Span
from glossary.aliases import aliases_of
from glossary.concepts import load_concepts
from index.library.library import Library
from index.library.passage_lookup import comparable
from service.core.snapshot import Snapshot

T = TypeVar("T")

OTHER = "#"  # the group of names that begin with no letter
_SPELLED_OUT = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})
_WORD = re.compile(r"\d+|[^\W\d_]+")
_SHORTEST_TYPED = 5  # letters typed: with fewer, one typo leaves too little
_TWO_SLIPS = 8  # letters typed from which two typos are allowed
_LONGEST_TYPED = 60
_SHORTEST_PART = 4  # letters of a search that may match within a word
SUGGESTIONS = 10
CARD_KINDS = (Kind.RULING, Kind.ERRATUM)
_LEAST_SIMILARITY = 80.0  # of 100; reached by typos, but not by other words
_ORDER = {
    kind: place
    for place, kind in enumerate((Kind.TERM, Kind.RULE, Kind.RULING, Kind.ERRATUM, Kind.REDIRECT))
}
LONGEST = 100  # characters of a search
_AROUND = 70  # characters of an excerpt before and after the first match
_KEPT = 4  # editions whose folded texts are kept

_SOUGHT_WORDS = re.compile(r"[^\W_]+")
_DIGRAPH = re.compile(r"([aou])e")  # umlauts as typed without an umlaut key
_SOFT_HYPHEN = "\u00ad"


def sort_key(name: str) -> tuple[object, ...]:
    """Return a sort key for ``name``: by letters and numbers ("2" < "10"), accents, then case."""
    parts = [
        (0, int(word), "") if word.isdecimal() else (1, 0, word)
        for word in _WORD.findall(_without_accents(name))
    ]
    return (tuple(parts), unicodedata.normalize("NFD", name.lower()), name.swapcase())


def letter(name: str) -> str:
    """Return the letter under which ``name`` is listed: A to Z without accents, else `OTHER`."""
    first = next(iter(_WORD.findall(_without_accents(name))), "")[:1].upper()
    return first if "A" <= first <= "Z" else OTHER


def by_letter(items: Iterable[T], name: Callable[[T], str]) -> list[tuple[str, list[T]]]:
    """Return ``items`` sorted by name and grouped by letter; those without a letter first."""
    keyed = sorted(
        ((letter(name(item)), sort_key(name(item)), item) for item in items),
        key=lambda each: (each[0] != OTHER, *each[:2]),
    )
    return [
        (first, [item for _, _, item in group])
        for first, group in groupby(keyed, key=lambda each: each[0])
    ]


def _without_accents(name: str) -> str:
    """Return ``name`` in lower case without accents."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED_OUT))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


class _MisspeltNames:
    """Finds names (in lower case, without accents) by a beginning typed with typos."""

    def __init__(self, names: Iterable[str]):
        self._starts: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for number, name in enumerate(names):
            words = name.split()
            for place in range(len(words)):
                rest = " ".join(words[place:])
                self._starts[rest[0]].append((rest, number))

    def find(self, typed: str) -> list[int]:
        """Return the indexes of the names in which ``typed``, with typos, begins the name or one of
        its words; the nearest first.

        One typo (optimal string alignment distance) is allowed from five letters on, two from eight
        on. The first letter must be right or swapped with the second.
        """
        if not _SHORTEST_TYPED <= len(typed) <= _LONGEST_TYPED:
            return []
        slips = 2 if len(typed) >= _TWO_SLIPS else 1
        found: dict[int, tuple[int, int]] = {}
        for first in dict.fromkeys(typed[:2]):
            starts = self._starts.get(first, ())
            # A name typed with a typo has as many letters as intended, or one or two
            # more or less.
            for length in range(len(typed) - slips, len(typed) + slips + 1):
                cut = [rest[:length] for rest, _ in starts]
                for _, distance, place in process.extract(
                    typed, cut, scorer=OSA.distance, score_cutoff=slips, limit=None
                ):
                    rest, number = starts[place]
                    nearness = int(distance), len(rest)  # then letters that the name is longer
                    found[number] = min(nearness, found.get(number, nearness))
        return sorted(found, key=lambda number: (*found[number], number))


@dataclass(frozen=True, slots=True)
class _IndexedName:
    """A name of an entry in the form used for comparison."""

    plain: str
    entry: Entry


class EntryNameIndex:
    """The names of a library's entries, prepared for look-ups."""

    def __init__(self, library: Library):
        self._library = library
        self._names = [
            _IndexedName(comparable(name), e) for e in library.entries for name in _printed_names(e)
        ]
        self._aliases = list(_alias_names(library))
        self._all = (*self._names, *self._aliases)
        self._misspelt = _MisspeltNames(name.plain for name in self._all)

    def suggest(
        self,
        typed: str,
        edition: str | None = None,
        game: str | None = None,
        language: str | None = None,
    ) -> list[Entry]:
        """Return at most `SUGGESTIONS` entries that the text ``typed`` may mean.

        The order: names that begin with ``typed``, names with a word that does, names that contain
        it, other names of the entry's term in any language ("minion"), names with a word that
        begins with a misspelling of it, similar names. Among equals, those in ``language`` come
        first. Of entries that look the same to a reader, only the first is returned.
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
        aliases = (n for n in self._aliases if n.plain.startswith(sought))
        ways: tuple[Callable[[], Iterable[_IndexedName]], ...] = (
            lambda: [name for _, name in ranked],
            lambda: sorted(aliases, key=lambda n: (foreign(n), len(n.plain))),
            lambda: sorted((self._all[n] for n in self._misspelt.find(sought)), key=foreign),
            lambda: _similar(sought, names) if len(sought) >= _SHORTEST_PART else (),
        )
        found: dict[tuple[str | None, ...], Entry] = {}
        for way in ways:
            if len(found) < SUGGESTIONS:
                for entry in (name.entry for name in way() if name.entry.edition in editions):
                    told_by = entry.edition, entry.title, entry.number, entry.product
                    found.setdefault(told_by, entry)
        return list(found.values())[:SUGGESTIONS]

    def entries(self, edition: str | None, kind: Kind | None, prefix: str | None) -> list[Entry]:
        """Return entries in document order whose title or number begins with ``prefix``."""
        start = comparable(prefix or "")
        begun = {n.entry.id for n in self._names if n.plain.startswith(start)} if start else None
        entries = self._library.entries_of(edition) if edition else self._library.entries
        return [
            each
            for each in entries
            if (kind is None or each.kind is kind) and (begun is None or each.id in begun)
        ]

    def rulings(
        self, card: str | None, number: str | None, product: str | None, game: str | None
    ) -> list[Entry]:
        """Return rulings and errata of a card, in every edition, in document order.

        ``card`` is compared exactly; without a result, by its words, then by similarity.
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


def name_index(snapshot: Snapshot) -> EntryNameIndex:
    """Return the index of names in a ``snapshot``, built once."""
    return snapshot.cache.get(("names",), lambda: EntryNameIndex(snapshot.library))


def _printed_names(entry: Entry) -> list[str]:
    """Return the names printed for ``entry``: "5.2 Block" gives that, "Block" and "5.2"."""
    names = [entry.title, re.sub(r"^\d[\d.]*\s+", "", entry.title)]
    if entry.kind in (Kind.RULE, Kind.SECTION):
        names.append(entry.number or "")
    return list(dict.fromkeys(filter(None, names)))


def _alias_names(library: Library) -> Iterator[_IndexedName]:
    """Yield other names, in any language, of the terms that entries are about."""
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
    """Return how well ``name`` matches the name ``sought``, 0 the best; None if it does not."""
    if name.startswith(sought):
        return 0 if name == sought else 1
    if f" {sought}" in name:
        return 2
    return (
        3 if len(sought) >= _SHORTEST_PART and sought in name and not sought[0].isdigit() else None
    )


def _similar(sought: str, names: list[_IndexedName]) -> Iterable[_IndexedName]:
    """Return the names most similar to the one ``sought``, the nearest first."""
    close = process.extract(
        sought,
        [n.plain for n in names],
        scorer=fuzz.ratio,
        score_cutoff=_LEAST_SIMILARITY,
        limit=SUGGESTIONS,
    )
    return [names[place] for _, _, place in close]


class FoldedText(NamedTuple):
    """The ``letters`` of a text in lower case without accents; ``places`` are their positions in
    the text, followed by its length.
    """

    letters: str
    places: Sequence[int]


class MarkedRun(NamedTuple):
    """A stretch of text, and whether it matches the search."""

    text: str
    mark: bool


@dataclass(frozen=True)
class FoundEntry:
    """An entry that matches the search: ``count`` times in its title and its own words; ``excerpt``
    has the first match in the words.

    ``title`` is its title split into runs; ``excerpt`` is empty if only the title matches.
    """

    entry: Entry
    title: tuple[MarkedRun, ...]
    excerpt: tuple[MarkedRun, ...]
    count: int


def fold(text: str) -> FoldedText:
    """Return ``text`` folded for comparison: "Gerät" and "GERAT" are the same, "ß" is "ss"."""
    if text.isascii():
        return FoldedText(text.lower(), range(len(text) + 1))
    letters: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for part in unicodedata.normalize("NFKD", sign.casefold()):
            if not unicodedata.combining(part) and part != _SOFT_HYPHEN:
                letters.append(part)
                places.append(place)
    return FoldedText("".join(letters), [*places, len(text)])


@lru_cache(maxsize=256)
def sought_pattern(sought: str) -> re.Pattern[str] | None:
    """Return a pattern that finds ``sought`` in folded text; None if it has no letter or digit.

    Spaces and punctuation may separate its words; "ae" also finds "ä".
    """
    words = _SOUGHT_WORDS.findall(fold(sought[:LONGEST]).letters)
    return (
        re.compile(r"[\W_]+".join(_DIGRAPH.sub(r"\1e?", word) for word in words)) if words else None
    )


def matches(text: str, sought: str) -> list[Span]:
    """Return the spans of ``text`` that match ``sought``."""
    return _spans(fold(text), sought_pattern(sought))


def listed_entry(entry: Entry) -> FoundEntry:
    """Return ``entry`` as a `FoundEntry` without a match."""
    return FoundEntry(entry, (MarkedRun(entry.title, mark=False),), (), 0)


def find_entries(
    snapshot: Snapshot, edition: str, sought: str, wanted: Callable[[Entry], bool]
) -> list[FoundEntry]:
    """Return the ``wanted`` entries of an ``edition`` that have ``sought`` in their title or their
    own words, in printed order.
    """
    library = snapshot.library
    folded = snapshot.cache.get(
        ("folded texts", edition),
        lambda: [
            (
                fold(entry.title),
                [fold(passage.display) for passage in library.passages_of.get(entry.id, ())],
            )
            for entry in library.entries_of(edition)
        ],
        most=_KEPT,
    )
    pattern = sought_pattern(sought)
    if pattern is None:
        return []
    found = []
    for entry, (title, texts) in zip(library.entries_of(edition), folded, strict=True):
        in_title = _spans(title, pattern)
        in_texts = [_spans(text, pattern) for text in texts]
        count = len(in_title) + sum(map(len, in_texts))
        if count and wanted(entry):
            runs = tuple(_cut(entry.title, 0, len(entry.title), in_title))
            found.append(FoundEntry(entry, runs, _excerpt(library, entry, in_texts), count))
    return found


def _spans(text: FoldedText, pattern: re.Pattern[str] | None) -> list[Span]:
    if pattern is None:
        return []
    return [
        Span(text.places[m.start()], text.places[m.end() - 1] + 1)
        for m in pattern.finditer(text.letters)
    ]


def _excerpt(library: Library, entry: Entry, in_texts: list[list[Span]]) -> tuple[MarkedRun, ...]:
    """Return the words around the first match in the passages of ``entry``."""
    for passage, spans in zip(library.passages_of.get(entry.id, ()), in_texts, strict=True):
        if spans:
            display = passage.display
            start, end = max(0, spans[0].start - _AROUND), min(len(display), spans[0].end + _AROUND)
            if start and (word := display.find(" ", start, spans[0].start)) >= 0:
                start = word + 1
            if end < len(display) and (word := display.rfind(" ", spans[0].end, end)) >= 0:
                end = word
            runs = list(_cut(display, start, end, spans))
            before = [MarkedRun("… ", mark=False)] if start else []
            return (*before, *runs, *([MarkedRun(" …", mark=False)] if end < len(display) else []))
    return ()


def _cut(text: str, start: int, end: int, spans: Sequence[Span]) -> Iterator[MarkedRun]:
    """Yield ``text`` from ``start`` to ``end`` as runs in one line, with ``spans`` marked."""
    at = start
    for a, b in spans:
        if a < at or b > end:
            continue
        if a > at:
            yield MarkedRun(_in_line(text[at:a]), mark=False)
        yield MarkedRun(_in_line(text[a:b]), mark=True)
        at = b
    if at < end:
        yield MarkedRun(_in_line(text[at:end]), mark=False)


def _in_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
