"""Resolve the index printed at the end of a rulebook to entries."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from corpus.model import IndexItem, Kind, Rulebook
from corpus.titles import key
from glossary.references.heading_lookup import HeadingLookup


@dataclass(frozen=True, slots=True)
class PrintedIndex:
    """Printed pages by entry id, index items without an entry, and glossary entries without
    item.
    """

    pages: Mapping[str, tuple[int, ...]]
    unmatched_items: tuple[IndexItem, ...] = ()
    unlisted_entries: tuple[str, ...] = ()


def resolve_printed_index(rulebook: Rulebook) -> PrintedIndex:
    """Return the printed index of ``rulebook``, resolved to entries; empty if it has none.

    If a name fits several entries, each page goes to the entry printed nearest to it, as estimated
    from unambiguous items.
    """
    if not rulebook.index_items:
        return PrintedIndex({})
    titles = HeadingLookup(rulebook)
    candidates = []
    for item in rulebook.index_items:
        best = titles.find(item.name)
        likeliest = [best.entry, *best.others] if best is not None else []
        ids = list(dict.fromkeys([*likeliest, *titles.candidates(item.name)]))
        candidates.append((item, ids))
    starts = {entry.id: entry.spans[0].start for entry in rulebook.entries}
    anchors = sorted(
        (starts[ids[0]], item.pages[0])
        for item, ids in candidates
        if len(ids) == 1 and len(item.pages) == 1
    )
    offsets, pages = [offset for offset, _ in anchors], [page for _, page in anchors]

    def distance(entry: str, page: int) -> int:
        """Return the number of pages between ``page`` and the pages around ``entry``."""
        at = bisect.bisect_left(offsets, starts[entry])
        around = pages[max(0, at - 1) : at + 1] or [page]
        return max(min(around) - page, page - max(around), 0)

    found: dict[str, set[int]] = defaultdict(set)
    for item, ids in candidates:
        for page in item.pages if ids else ():
            nearest, _ = min(((id, distance(id, page)) for id in ids), key=lambda pair: pair[1])
            found[nearest].add(page)
    named = {key(item.name) for item in rulebook.index_items}
    return PrintedIndex(
        {e.id: tuple(sorted(found[e.id])) for e in rulebook.entries if e.id in found},
        tuple(item for item, ids in candidates if not ids),
        tuple(
            e.id
            for e in rulebook.entries
            if e.kind in (Kind.TERM, Kind.REDIRECT)
            and e.id not in found
            and key(e.title) not in named
        ),
    )
