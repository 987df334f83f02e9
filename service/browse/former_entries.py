"""Old addresses: what follows the entry or the edition that was there, and what has changed."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Edition, Entry
from index.library.former_entries import FormerEntry
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class OldAddress:
    """The entry that ``was`` at an address: ``now`` is what follows it, None where it is gone, then
    ``near`` are entries that were around it, and ``edition`` the one that follows its own.
    """

    was: FormerEntry
    now: Entry | None
    near: tuple[Entry, ...]
    edition: Edition | None


def old_address(snapshot: Snapshot, id: str) -> OldAddress | None:
    """Return what was at the address ``id`` before and is elsewhere now, or gone; None where
    nothing is known of it.
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
    """Return the entry that an address ``id`` leads to where no entry has it: what follows the one
    that was there, else the one called so in the edition that follows its own.
    """
    if found := old_address(snapshot, id):
        return found.now
    edition, _, slug = id.partition("/")
    following = snapshot.following_edition(edition)
    return snapshot.library.entry.get(f"{following.id}/{slug}") if following else None
