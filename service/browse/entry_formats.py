"""The formats that the entries of a rulebook hold in alone: what each is marked with, and which of them a filter lets through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
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

    ``names`` are the formats in print order with the number of entries that have rules of them, ``general`` is the number of those with
    rules that hold in every format. By entry id, ``only`` is the format that all of an entry and what is in it holds in, and there are all
    formats that have rules in its own words (``own``), in all that is in it (``inside``), and that all of it is of (``whole``);
    `GENERAL` is among the first two for rules that hold in every format.
    """

    names: Mapping[str, int]
    general: int
    only: Mapping[str, str]
    own: Mapping[str, frozenset[str]]
    inside: Mapping[str, frozenset[str]]
    whole: Mapping[str, frozenset[str]]

    def leads_to(self, entry: Entry, wanted: str) -> bool:
        """Whether ``entry`` or what is in it has rules of the format ``wanted``, a name or `GENERAL`."""
        return wanted in self.inside.get(entry.id, _GENERAL)

    def has(self, entry: Entry, wanted: str) -> bool:
        """Whether ``entry`` itself has rules of the format ``wanted``, a name or `GENERAL`, or all in it is of that; "" is any."""
        return not wanted or wanted in self.own.get(entry.id, _GENERAL) or wanted in self.whole.get(entry.id, ())

    def outermost(self, entries: Iterable[Entry], wanted: str) -> list[Entry]:
        """Return those of ``entries`` that have rules of ``wanted``, without those inside an entry that is all of it."""
        return [e for e in entries if self.has(e, wanted) and wanted not in self.whole.get(e.parent or "", ())]


_GENERAL = frozenset([GENERAL])
_NONE = EditionFormats({}, 0, {}, {}, {}, {})


def edition_formats(snapshot: Snapshot, edition: str) -> EditionFormats:
    """Return the formats of an ``edition``, worked out once; without any where all its rules are general ones."""
    library = snapshot.library
    if edition not in library.formats.editions:
        return _NONE
    return snapshot.cache.get(("formats", edition), lambda: build_formats(library, edition), most=len(library.editions))


def build_formats(library: Library, edition: str) -> EditionFormats:
    """Return the formats of an ``edition`` of ``library``."""
    chains: dict[str, set[_Chain]] = {}
    own: dict[str, frozenset[str]] = {}
    names: dict[str, None] = {}
    for entry in library.entries_of(edition):
        found = {_chain(library, passage) for passage in library.passages_of.get(entry.id, ())}
        names.update(dict.fromkeys(name for chain in found for name in reversed(chain)))
        if found:
            own[entry.id] = _names(found)
        for around in library.path(entry):
            chains.setdefault(around.id, set()).update(found)
    counts = Counter(name for found in own.values() for name in found)
    return EditionFormats(
        names={name: counts[name] for name in names},
        general=counts[GENERAL],
        only={id: common for id, found in chains.items() if (common := _common(found))},
        own=own,
        inside={id: _names(found) for id, found in chains.items() if found},
        whole={id: frozenset.intersection(*map(frozenset, found)) for id, found in chains.items() if found},
    )


def _names(chains: set[_Chain]) -> frozenset[str]:
    return frozenset(name for chain in chains for name in chain or (GENERAL,))


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
