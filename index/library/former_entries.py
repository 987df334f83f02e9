"""The entries that the index no longer has at their old addresses, and their successors, so that
old addresses redirect.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from pydantic import TypeAdapter

from index.library.former_file import ENTRIES, FormerChange, FormerRecords

MOST = 50_000  # entries; the oldest are removed first

_DELETE_OLDEST = (
    "DELETE FROM moved WHERE id IN (SELECT id FROM moved ORDER BY kept DESC LIMIT -1 OFFSET ?)"
)


def document_address(sha256: str) -> str:
    """Return the address under which former entries keep the document with this hash."""
    return f"documents/{sha256}"


@dataclass(frozen=True, slots=True)
class FormerEntry:
    """An entry, an edition or a document that used to be at an address.

    Attributes:
        id: The old address.
        title, number: As they were there.
        source: The edition or document that it was in.
        mark: A hash of its words.
        now: The id of its successor, "" if it is gone; an edition succeeds a document.
        reworded: Whether its words have changed.
        near: If it is gone, the entries that were around it, by their present ids.
        day: When another index replaced it (ISO 8601).
    """

    id: str
    title: str
    number: str
    source: str
    language: str
    mark: str
    now: str
    reworded: bool
    near: tuple[str, ...]
    day: str


class FormerEntries(FormerRecords[FormerEntry]):
    """The former entries in ``folder``, the folder of the indexes; they share one file with the
    former words. If it is lost or damaged, old addresses lead nowhere.
    """

    table, parsed = ENTRIES, TypeAdapter(FormerEntry)

    def find(self, id: str) -> FormerEntry | None:
        """Return the former entry at the address ``id``, or None if there is no record of it."""
        return next(self._readable(self._file.records(ENTRIES, "WHERE id = ?", id)), None)

    def all(self) -> Iterator[FormerEntry]:
        """Yield all readable records, oldest first."""
        return self._readable(self.records())

    def _add(self, found: Iterable[FormerEntry], change: FormerChange | None) -> None:
        self.keep(found, change=change)

    def keep(
        self,
        entries: Iterable[FormerEntry],
        returned: Collection[str] = (),
        change: FormerChange | None = None,
    ) -> None:
        """Replace the records at the addresses of ``entries``, and delete those at ``returned``; as
        part of ``change`` if there is one. Raises `OSError` if the file cannot be written.
        """
        with self._file.changing(change) as file:
            (last,) = file.execute("SELECT COALESCE(MAX(kept), 0) FROM moved").fetchone()
            rows = (
                (each.id, last + n, json.dumps(asdict(each), ensure_ascii=False))
                for n, each in enumerate(entries, 1)
            )
            file.executemany("INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", rows)
            file.executemany("DELETE FROM moved WHERE id = ?", ((id,) for id in returned))
            file.execute(_DELETE_OLDEST, (MOST,))

    def publish(
        self,
        followers: Mapping[str, tuple[str, bool]],
        lost: Mapping[str, FormerEntry],
        marks: Mapping[str, str],
        change: FormerChange | None = None,
    ) -> None:
        """Carry the records over to a new index and add the entries that it has ``lost``, by id.

        ``followers`` are the successors of the previous index's entries, and whether they are
        reworded; ``marks`` are hashes of the words of entries that only the new index has. The rest
        is as in `keep`.
        """
        kept, returned = dict(lost), []
        for each in self.all():
            if each.id in lost:
                continue
            if each.now in followers:
                now, reworded = followers[each.now]
                near = lost[each.now].near if each.now in lost and not now else each.near
                each = replace(each, now=now, reworded=each.reworded or reworded, near=near)
            if each.now == each.id or marks.get(each.id) == each.mark:
                returned.append(each.id)
            else:
                kept[each.id] = each
        if kept or returned:
            self.keep(kept.values(), returned, change)
