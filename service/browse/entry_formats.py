"""The formats that the entries of a rulebook hold in alone: what each is marked with, and which of them a filter lets through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from corpus.model import Entry, Passage
from index.library.library import Library
from index.library.special_formats import SpecialFormat
from service.core.snapshot import Snapshot

GENERAL = "general"  # what a filter calls the rules that hold in every format

_Chain = tuple[str, ...]  # names of a format and of those it is a part of, innermost first; empty for a general rule


@dataclass(frozen=True)
class EditionFormats:
    """The formats of an edition.

    ``names`` are the formats in print order with the number of entries that have rules of them, ``only`` is by entry id the format that
    all of an entry and what is in it holds in, ``inside`` by entry id all formats that it and what is in it have rules of, `GENERAL`
    among them for rules that hold in every format.
    """

    names: Mapping[str, int]
    general: int
    only: Mapping[str, str]
    inside: Mapping[str, frozenset[str]]

    def lets_through(self, entry: Entry, wanted: str) -> bool:
        """Whether ``entry`` or what is in it has rules of the format ``wanted``, a name or `GENERAL`; "" lets everything through."""
        return not wanted or wanted in self.inside.get(entry.id, frozenset([GENERAL]))


_NONE = EditionFormats({}, 0, {}, {})


def edition_formats(snapshot: Snapshot, edition: str) -> EditionFormats:
    """Return the formats of an ``edition``, worked out once; without any where all its rules are general ones."""
    library = snapshot.library
    if edition not in library.formats.editions:
        return _NONE
    return snapshot.cache.get(("formats", edition), lambda: build_formats(library, edition), most=len(library.editions))


def build_formats(library: Library, edition: str) -> EditionFormats:
    """Return the formats of an ``edition`` of ``library``."""
    chains: dict[str, set[_Chain]] = {}
    names: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for entry in library.entries_of(edition):
        own = {_chain(library, passage) for passage in library.passages_of.get(entry.id, ())}
        names.update(dict.fromkeys(name for chain in own for name in reversed(chain)))
        counts.update({name for chain in own for name in chain or (GENERAL,)})
        for around in library.path(entry):
            chains.setdefault(around.id, set()).update(own)
    only = {id: common for id, found in chains.items() if (common := _common(found))}
    inside = {id: frozenset(name for chain in found for name in chain or (GENERAL,)) for id, found in chains.items() if found}
    return EditionFormats({name: counts[name] for name in names}, counts[GENERAL], only, inside)


def _chain(library: Library, passage: Passage) -> _Chain:
    found: SpecialFormat | None = library.format_of(passage)
    names: dict[str, None] = {}
    while found is not None:
        names[found.name] = None
        found = library.formats.formats[found.around] if found.around >= 0 else None
    return tuple(names)


def _common(chains: set[_Chain]) -> str:
    """Return the innermost format that all of ``chains`` are of, "" where there is none."""
    if not chains:
        return ""
    first, *others = chains
    return next((name for name in first if all(name in other for other in others)), "")
