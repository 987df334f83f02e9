"""Old addresses: the entry that was there, and the entry or edition that replaced it."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Edition, Entry
from index.library.former_entries import FormerEntry
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class OldAddress:
    """The entry that ``was`` at an old address.

    ``now`` is its successor; if it has none, ``near`` has entries that were next to it.
    ``edition`` is its edition, or that edition's successor.
    """

    was: FormerEntry
    now: Entry | None
    near: tuple[Entry, ...]
    edition: Edition | None


def old_address(snapshot: Snapshot, id: str) -> OldAddress | None:
    """Return the entry that was at the address ``id`` and has moved or is gone; None if none is
    known.
    """
    found, library = snapshot.former(id), snapshot.library
    if found is None or "/" not in id:
        return None
    now = library.entry.get(found.now)
    if found.now and now is None:
        return None
    edition = id.partition("/")[0]
    following = library.edition.get(edition) or snapshot.following_edition(edition)
    near = tuple(library.entry[each] for each in found.near if each in library.entry)
    return OldAddress(found, now, near, following)


def leads_to(snapshot: Snapshot, id: str) -> Entry | None:
    """Return the entry to open for the old address ``id``: the successor of the entry that was
    there, or the entry with the same name in the edition's successor.
    """
    if found := old_address(snapshot, id):
        return found.now
    edition, _, slug = id.partition("/")
    following = snapshot.following_edition(edition)
    return snapshot.library.entry.get(f"{following.id}/{slug}") if following else None
