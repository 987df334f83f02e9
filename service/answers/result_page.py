"""Which hits of a result stand on the page of it that was asked for, and with what numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from index.model import Hit, LayerHit, SearchResult
from service.schemas.fields import MOST_BEFORE


class NumberedHit(NamedTuple):
    """A hit, its ``rank`` from 1 among all, and its ``place`` among those of rulebooks; of another
    layer, that of the last one before.
    """

    rank: int
    place: int
    hit: Hit


def numbered(hits: Sequence[Hit]) -> list[NumberedHit]:
    """Return ``hits`` of all layers with their numbers, in their order."""
    found = []
    place = 0
    for rank, hit in enumerate(hits, 1):
        place += not isinstance(hit, LayerHit)
        found.append(NumberedHit(rank, place, hit))
    return found


def page_of(result: SearchResult) -> list[NumberedHit]:
    """Return the hits of ``result`` behind the offset of its query: rulings and texts of cards are
    all on the first page.
    """
    offset = result.query.offset
    if not offset:
        return numbered(result.ranked)
    before = len(result.beside)
    return [
        NumberedHit(before + place, place, hit)
        for place, hit in enumerate(result.hits[offset:], offset + 1)
    ]


def next_offset(result: SearchResult) -> int | None:
    """Return the offset of the passages behind those of ``result``, None where there are no more,
    or none that may be asked for.
    """
    return result.query.depth if result.more and result.query.depth <= MOST_BEFORE else None
