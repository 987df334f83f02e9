"""Entries of other editions of a game that are about the same concept, above all those in another language."""

from __future__ import annotations

from corpus.model import Entry, Kind
from index.library.library import Library
from service.core.snapshot import Snapshot


def in_other_languages(snapshot: Snapshot, entry: Entry) -> list[Entry]:
    """Return the entries with the concept of ``entry`` in rulebooks of other languages, one of each edition, in order of the editions.

    A subsection without a concept is looked up as its term.
    """
    library = snapshot.library
    if entry.id not in library.concepts and entry.kind is Kind.SUBSECTION and entry.parent:
        entry = library.entry[entry.parent]
    same_concept = entries_by_concept(snapshot).get(library.concepts.get(entry.id, ""), ())
    language = library.edition[entry.edition].language
    found: dict[str, Entry] = {}
    for other in sorted(same_concept, key=lambda e: e.kind is not entry.kind):  # a ruling leads to the ruling, not to the card's erratum
        if library.edition[other.edition].language != language:
            found.setdefault(other.edition, other)
    return [found[e.id] for e in library.editions if e.id in found]


def entries_by_concept(snapshot: Snapshot) -> dict[str, tuple[Entry, ...]]:
    """Return the entries of ``snapshot`` by the id of their concept, grouped once."""
    return snapshot.cache.get(("entries by concept",), lambda: _by_concept(snapshot.library))


def _by_concept(library: Library) -> dict[str, tuple[Entry, ...]]:
    groups: dict[str, list[Entry]] = {}
    for entry in library.entries:
        if concept := library.concepts.get(entry.id):
            groups.setdefault(concept, []).append(entry)
    return {concept: tuple(entries) for concept, entries in groups.items()}
