"""The entries that the index no longer has where they were, and those that follow them, so that old
addresses lead on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from pydantic import TypeAdapter

from index.library.former_file import ENTRIES, FormerChange, FormerRecords

MOST = 50_000  # entries; the oldest go first

_DELETE_OLDEST = (
    "DELETE FROM moved WHERE id IN (SELECT id FROM moved ORDER BY kept DESC LIMIT -1 OFFSET ?)"
)


def document_address(sha256: str) -> str:
    """Return what the document with this hash is called among former entries."""
    return f"documents/{sha256}"


@dataclass(frozen=True, slots=True)
class FormerEntry:
    """An entry, an edition or a document that was at the address ``id``, with its ``title`` and
    ``number`` and the ``source`` that it was in. An edition follows a document.

    ``now`` is the id of what follows it, "" where it is gone; then ``near`` are entries that were
    around it, as they are called now. ``reworded`` says that its words have changed, ``mark`` is a
    hash of them. ``day`` is when it was published so (ISO 8601).
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
    """The former entries in ``folder``, that of the indexes; in one file with the former words.
    Where it is lost or damaged, old addresses lead nowhere.
    """

    table, parsed = ENTRIES, TypeAdapter(FormerEntry)

    def find(self, id: str) -> FormerEntry | None:
        """Return what was at the address ``id``; None where nothing is known of it."""
        return next(self._readable(self._file.records(ENTRIES, "WHERE id = ?", id)), None)

    def all(self) -> Iterator[FormerEntry]:
        """Yield all that can be read, oldest first."""
        return self._readable(self.records())

    def _add(self, found: Iterable[FormerEntry], change: FormerChange | None) -> None:
        self.keep(found, change=change)

    def keep(
        self,
        entries: Iterable[FormerEntry],
        returned: Collection[str] = (),
        change: FormerChange | None = None,
    ) -> None:
        """Replace what is known of the addresses of ``entries``; of those ``returned`` nothing is
        to be known. It is part of ``change`` if there is one. Raises `OSError` where the file
        cannot be written.
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
        """Carry what is known on to a new index and add what it has ``lost``, by id.

        ``followers`` are what the entries of the index before became, and whether in other words;
        ``marks`` are hashes of the words of entries that only the new index has. Else as `keep`.
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
