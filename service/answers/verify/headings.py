"""Headings as passages: a quotation may be one, or a list of several as a table of contents has
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from corpus.model import Lines, Passage, Role
from index.library.library import Library

HEADING = -1  # ordinal of a heading in its entry


def heading_passages(library: Library) -> Iterator[Passage]:
    """Yield the heading of every entry as a passage: as printed, and for display its title."""
    for entry in library.entries:
        if any(character.isalnum() for character in entry.heading):
            yield Passage(
                id=f"{entry.id}#heading",
                entry=entry.id,
                ordinal=HEADING,
                role=Role.LISTING,
                depth=0,
                spans=entry.heading_spans,
                lines=Lines(entry.lines.first, entry.lines.first),
                text=entry.heading,
                display=entry.title,
            )


def following_headings(library: Library) -> Mapping[str, frozenset[str]]:
    """Return the entries whose headings may stand behind that of each entry in a list: the next
    one, and the next with the same parent.
    """
    following: dict[str, set[str]] = {}
    for edition in library.editions:
        last_of: dict[str | None, str] = {}
        before: str | None = None
        for entry in library.entries_of(edition.id):
            for last in (before, last_of.get(entry.parent)):
                if last is not None:
                    following.setdefault(last, set()).add(entry.id)
            before = last_of[entry.parent] = entry.id
    return {entry: frozenset(others) for entry, others in following.items()}
