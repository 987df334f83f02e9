"""The edition that two translations were made from, beside their comparison: which of its passages each row renders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from corpus.model import Entry, Passage
from glossary.comparison.edition_comparison import AlignedPassages, EditionComparison, EntryPair

_Sources = Mapping[str, tuple[Passage, ...]]  # the passages of the source that a passage corresponds to, by its id


def with_source(comparison: EditionComparison, left: EditionComparison, right: EditionComparison) -> EditionComparison:
    """Return ``comparison`` with the passages of the source edition in its rows, and its entries in its pairs.

    ``left`` and ``right`` compare the left and the right edition of ``comparison`` with the source, which is their right edition. A passage
    of the source stands in the rows that most sides are assigned it in: where one row has it for both sides, in no row that has it for
    one. Where the two sides of a row are assigned different passages, it has both, and its ``source_agreed`` is False.
    """
    source = left.right
    sides = _passages(left), _passages(right)
    votes = {id(row): _votes(row, sides) for pair in comparison.pairs for row in pair.rows}
    most: Counter[str] = Counter()
    for counts in votes.values():
        for passage, count in counts.items():
            most[passage] = max(most[passage], count)
    known = {p.id: p for side in sides for passages in side.values() for p in passages}
    entries = _entries(left), _entries(right)

    def facing(row: AlignedPassages) -> AlignedPassages:
        named = [name for name, count in votes[id(row)].items() if count == most[name]]
        agreed = bool(named) and all(votes[id(row)][name] == len(sides) for name in named)
        return replace(row, source=tuple(sorted((known[name] for name in named), key=lambda p: p.spans)), source_agreed=agreed)

    pairs = [replace(pair, rows=tuple(map(facing, pair.rows)), source=_facing_entries(pair, entries)) for pair in comparison.pairs]
    return replace(comparison, pairs=tuple(pairs), source=source, source_sides=(left, right))


def _votes(row: AlignedPassages, sides: tuple[_Sources, _Sources]) -> Counter[str]:
    """Return how many sides of ``row`` are assigned each passage of the source."""
    return Counter(
        name
        for passages, sources in zip((row.left, row.right), sides, strict=True)
        for name in {p.id for passage in passages for p in sources.get(passage.id, ())}
    )


def _passages(comparison: EditionComparison) -> _Sources:
    """Return the passages on the right of ``comparison`` that face each passage on its left, by the id of that."""
    return {passage.id: row.right for pair in comparison.pairs for row in pair.rows for passage in row.left}


def _entries(comparison: EditionComparison) -> Mapping[str, tuple[Entry, ...]]:
    return {entry.id: pair.right for pair in comparison.pairs for entry in pair.left}


def _facing_entries(pair: EntryPair, sides: Iterable[Mapping[str, tuple[Entry, ...]]]) -> tuple[Entry, ...]:
    """Return the entries of the source that entries of either side of ``pair`` correspond to, in the order of the document."""
    found = {e.id: e for side, own in zip(sides, (pair.left, pair.right), strict=True) for entry in own for e in side.get(entry.id, ())}
    return tuple(sorted(found.values(), key=lambda entry: entry.lines.first))
