"""The index printed at the end of a rulebook, tied to its entries: on which printed pages each of
them stands.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from corpus.model import IndexItem, Kind, Rulebook
from corpus.titles import key
from glossary.references.heading_lookup import HeadingLookup

_GLOSSARY = (Kind.TERM, Kind.REDIRECT)


@dataclass(frozen=True, slots=True)
class PrintedIndex:
    """Printed pages by entry id, items that name no entry, and glossary entries that no item
    names.
    """

    pages: Mapping[str, tuple[int, ...]]
    unmatched_items: tuple[IndexItem, ...] = ()
    unlisted_entries: tuple[str, ...] = ()


def resolve_printed_index(rulebook: Rulebook) -> PrintedIndex:
    """The printed index of ``rulebook`` tied to its entries; empty where it has none.

    Where one name fits several entries, each page goes to the one that stands where that page is
    printed.
    """
    if not rulebook.index_items:
        return PrintedIndex({})
    titles = HeadingLookup(rulebook)
    candidates = [(item, _candidates(titles, item.name)) for item in rulebook.index_items]
    places = _PageNumbers(rulebook, candidates)
    found: dict[str, set[int]] = defaultdict(set)
    for item, ids in candidates:
        for page in item.pages:
            if ids:
                found[min(ids, key=lambda entry: places.distance(entry, page))].add(page)
    named = {key(item.name) for item in rulebook.index_items}
    return PrintedIndex(
        {
            entry.id: tuple(sorted(found[entry.id]))
            for entry in rulebook.entries
            if entry.id in found
        },
        tuple(item for item, ids in candidates if not ids),
        tuple(
            e.id
            for e in rulebook.entries
            if e.kind in _GLOSSARY and e.id not in found and key(e.title) not in named
        ),
    )


def _candidates(titles: HeadingLookup, name: str) -> list[str]:
    """Entries that the item ``name`` can mean, the likeliest first."""
    best = titles.find(name)
    first = [best.entry, *best.others] if best is not None else []
    return list(dict.fromkeys([*first, *titles.candidates(name)]))


class _PageNumbers:
    """The printed pages of places in the document, learned from the items that can mean one entry
    only.
    """

    def __init__(self, rulebook: Rulebook, candidates: list[tuple[IndexItem, list[str]]]):
        self._starts = {entry.id: entry.spans[0].start for entry in rulebook.entries}
        anchors = sorted(
            (self._starts[ids[0]], item.pages[0])
            for item, ids in candidates
            if len(ids) == 1 and len(item.pages) == 1
        )
        self._offsets = [offset for offset, _ in anchors]
        self._pages = [page for _, page in anchors]

    def distance(self, entry: str, page: int) -> int:
        """How many pages lie between ``page`` and the pages printed around ``entry``."""
        at = bisect.bisect_left(self._offsets, self._starts[entry])
        around = self._pages[max(0, at - 1) : at + 1] or [page]
        return max(min(around) - page, page - max(around), 0)
