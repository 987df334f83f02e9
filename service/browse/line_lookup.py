"""Where on the pages a line of a document is read: the passage that it belongs to, else the entry around it."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Entry, Passage
from index.library.library import Library
from service.answers.citations import entry_url
from service.browse.entry_view import anchor
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class LineTarget:
    """An entry and the passage in it that a line belongs to; no passage for a heading and for what is no text of the rulebook."""

    entry: Entry
    passage: Passage | None

    @property
    def url(self) -> str:
        """The address of the spot."""
        return entry_url(self.entry) + (f"#{anchor(self.passage)}" if self.passage else "")


def spots(snapshot: Snapshot, edition: str) -> dict[int, LineTarget]:
    """The spots of an ``edition`` of a ``snapshot`` by line, worked out once; lines outside all entries are not in it."""
    return snapshot.cache.get(("lines", edition), lambda: _spots(snapshot.library, edition), most=16)


def _spots(library: Library, edition: str) -> dict[int, LineTarget]:
    entries = library.entries_of(edition)
    passages = [p for entry in entries for p in library.passages_of.get(entry.id, ())]
    found: dict[int, LineTarget] = {}
    # The longest first, so that what stands within another has the last word.
    for entry in sorted(entries, key=lambda e: e.lines.first - e.lines.last):
        found.update(dict.fromkeys(range(entry.lines.first, entry.lines.last + 1), LineTarget(entry, None)))
    for passage in sorted(passages, key=lambda p: p.lines.first - p.lines.last):
        here = LineTarget(library.entry[passage.entry], passage)
        found.update(dict.fromkeys(range(passage.lines.first, passage.lines.last + 1), here))
    return found
