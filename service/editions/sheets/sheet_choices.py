"""The passages that a ruling sheet can be made of: those of the answer, or those of the entry that it was opened from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.model import Entry, Passage
from index.building.former_stage import QUOTABLE
from index.library.library import Library
from index.model import Hit, SearchResult
from service.core.snapshot import Snapshot
from service.editions.sheets.sheet_view import SheetQuotation, SheetView, quoted_hit

MOST_CHOICES = 20
_SHOWN = 120  # characters of a passage that tell it from the others


@dataclass(frozen=True)
class SheetChoice:
    """A passage that can be put on a sheet: its ``id``, what tells it from others, and whether it is ``chosen``."""

    id: str
    quotation: SheetQuotation
    beginning: str
    chosen: bool


def sheet_choices(snapshot: Snapshot, view: SheetView, found: SearchResult | None, language: str) -> list[SheetChoice]:
    """Return the passages that ``view`` shows and those that it could, ``found`` for its question, else beside its first passage."""
    shown = [item.history.now for item in view.items if item.history.now]
    hits = {hit.passage.id: hit for hit in shown}
    chosen = list(hits)
    for hit in _beside(snapshot.library, shown) if found is None else _ranked(found):
        hits.setdefault(hit.passage.id, hit)
    choices = []
    for id, hit in list(hits.items())[:MOST_CHOICES]:
        words = " ".join(hit.passage.display.split())
        beginning = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rsplit(' ', 1)[0]} …"
        choices.append(SheetChoice(id, quoted_hit(snapshot, hit, language), beginning, id in chosen))
    return choices


def first_quotable(library: Library, entry: Entry) -> Passage | None:
    """Return the first passage of ``entry``, or of the entries inside it, that can be cited; None where there is none."""
    return next((hit.passage for hit in _in_entry(library, entry)), None)


def _ranked(found: SearchResult) -> list[Hit]:
    fallback = [Hit(found.fallback, 0.0, ())] if found.fallback and not found.answered else []
    return [*(hit for part in found.parts for hit in part.ranked), *found.ranked, *fallback]


def _beside(library: Library, shown: Sequence[Hit]) -> Iterator[Hit]:
    """Yield the passages of the entry of the first of ``shown`` that is of a rulebook, and of those inside it."""
    entry = next((library.entry[hit.passage.entry] for hit in shown if hit.passage.entry in library.entry), None)
    return _in_entry(library, entry) if entry else iter(())


def _in_entry(library: Library, entry: Entry) -> Iterator[Hit]:
    yield from (Hit(p, 0.0, ()) for p in library.passages_of.get(entry.id, ()) if p.role in QUOTABLE)
    for child in library.children_of.get(entry.id, ()):
        yield from _in_entry(library, child)
