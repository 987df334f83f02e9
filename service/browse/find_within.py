"""Words found within texts, whatever their case, umlauts and accents: the spans to mark, and the
entries of a rulebook that have them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from corpus.model import Entry, Span
from index.library.library import Library
from service.core.snapshot import Snapshot

LONGEST = 100  # characters of what is sought
_AROUND = 70  # characters of an excerpt before and behind the first match
_KEPT = 4  # editions whose folded texts are kept

_WORDS = re.compile(r"[^\W_]+")
_DIGRAPH = re.compile(r"([aou])e")  # how umlauts are typed without their keys
_SOFT_HYPHEN = "\u00ad"


class FoldedText(NamedTuple):
    """The ``letters`` of a text in small letters without accents; ``places`` are their positions in
    it, the end behind the last.
    """

    letters: str
    places: Sequence[int]


class MarkedRun(NamedTuple):
    """A stretch of text, and whether it is what was sought."""

    text: str
    mark: bool


@dataclass(frozen=True)
class FoundEntry:
    """An entry that has what is sought: ``count`` times in its title and its own words, the first
    of them in ``excerpt``.

    ``title`` is its title in runs; ``excerpt`` is empty where only the title has it.
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
    """Return the pattern of ``sought`` in folded letters, None where it has no letter or figure.

    Its words have to follow each other, whatever stands between them; "ae" also finds "ä".
    """
    words = _WORDS.findall(fold(sought[:LONGEST]).letters)
    return (
        re.compile(r"[\W_]+".join(_DIGRAPH.sub(r"\1e?", word) for word in words)) if words else None
    )


def matches(text: str, sought: str) -> list[Span]:
    """Return the spans of ``text`` that are what is ``sought``."""
    return _spans(fold(text), sought_pattern(sought))


def listed_entry(entry: Entry) -> FoundEntry:
    """Return ``entry`` as one in which nothing was sought."""
    return FoundEntry(entry, (MarkedRun(entry.title, mark=False),), (), 0)


def find_entries(
    snapshot: Snapshot, edition: str, sought: str, wanted: Callable[[Entry], bool]
) -> list[FoundEntry]:
    """Return the ``wanted`` entries of an ``edition`` that have what is ``sought`` in their title
    or their own words, in print order.
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
    """Yield ``text`` from ``start`` to ``end`` in runs, in one line each, those of ``spans``
    marked.
    """
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
