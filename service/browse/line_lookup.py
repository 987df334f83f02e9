"""From a line of a document to the page where it is read: its passage, else the entry around it."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Entry, Passage
from index.library.library import Library
from service.answers.citations import entry_url
from service.browse.entry_view import passage_url
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class LineTarget:
    """The entry and the passage that a line belongs to; a heading and what is no text of the rulebook have no passage."""

    entry: Entry
    passage: Passage | None

    @property
    def url(self) -> str:
        """The address of the passage, or of the entry where there is none."""
        return passage_url(self.entry, self.passage) if self.passage else entry_url(self.entry)


def line_targets(snapshot: Snapshot, edition: str) -> dict[int, LineTarget]:
    """Return what each line of an ``edition`` of ``snapshot`` belongs to, worked out once; lines outside all entries are missing."""
    return snapshot.cache.get(("lines", edition), lambda: _line_targets(snapshot.library, edition), most=16)


def _line_targets(library: Library, edition: str) -> dict[int, LineTarget]:
    entries = library.entries_of(edition)
    passages = [p for entry in entries for p in library.passages_of.get(entry.id, ())]
    found: dict[int, LineTarget] = {}
    # The longest come first and are overwritten by what stands within them.
    for entry in sorted(entries, key=lambda e: e.lines.first - e.lines.last):
        found.update(dict.fromkeys(range(entry.lines.first, entry.lines.last + 1), LineTarget(entry, None)))
    for passage in sorted(passages, key=lambda p: p.lines.first - p.lines.last):
        target = LineTarget(library.entry[passage.entry], passage)
        found.update(dict.fromkeys(range(passage.lines.first, passage.lines.last + 1), target))
    return found
