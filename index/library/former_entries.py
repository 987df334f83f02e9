"""The entries that the index no longer has where they were, and those that follow them, so that old
addresses lead on.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from index.library.former_words import FILE

MOST = 50_000  # entries; the oldest go first

_TABLE = "CREATE TABLE IF NOT EXISTS moved (id TEXT PRIMARY KEY, kept INTEGER, record TEXT)"
_DELETE_OLDEST = (
    "DELETE FROM moved WHERE id IN (SELECT id FROM moved ORDER BY kept DESC LIMIT -1 OFFSET ?)"
)
_PATIENCE = 5.0  # seconds to wait for another process that writes
_LOG = logging.getLogger("regula")


@dataclass(frozen=True, slots=True)
class FormerEntry:
    """An entry, or an edition, that was at the address ``id``, with its ``title`` and ``number``
    and the ``source`` that it was in.

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


class FormerEntries:
    """The former entries in ``folder``, that of the indexes; in one file with the former words.
    Where it is lost or damaged, old addresses lead nowhere.
    """

    def __init__(self, folder: Path):
        self._path = folder / FILE

    def find(self, id: str) -> FormerEntry | None:
        """Return what was at the address ``id``; None where nothing is known of it."""
        return next(self._select("WHERE id = ?", id), None)

    def all(self) -> Iterator[FormerEntry]:
        """Yield all, oldest first."""
        return self._select("ORDER BY kept")

    def _select(self, which: str, *values: str) -> Iterator[FormerEntry]:
        if not self._path.exists():
            return
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as file:
                named = file.execute("SELECT 1 FROM sqlite_master WHERE name = 'moved'")
                if named.fetchone():
                    for (record,) in file.execute(f"SELECT record FROM moved {which}", values):
                        yield parse_former_entry(record)
        except (sqlite3.Error, ValueError, TypeError, KeyError) as fault:
            _LOG.warning("%s cannot be read (%s); old addresses lead nowhere", self._path, fault)

    def keep(self, entries: Iterable[FormerEntry], returned: Collection[str] = ()) -> None:
        """Replace what is known of the addresses of ``entries``; of those ``returned`` nothing is
        to be known. Raises `OSError` where the file cannot be written.
        """
        try:
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE)) as file, file:
                file.execute(_TABLE)
                (last,) = file.execute("SELECT COALESCE(MAX(kept), 0) FROM moved").fetchone()
                rows = (
                    (each.id, last + n, json.dumps(asdict(each), ensure_ascii=False))
                    for n, each in enumerate(entries, 1)
                )
                file.executemany("INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", rows)
                file.executemany("DELETE FROM moved WHERE id = ?", ((id,) for id in returned))
                file.execute(_DELETE_OLDEST, (MOST,))
        except sqlite3.Error as fault:
            raise OSError(None, str(fault), str(self._path)) from fault

    def publish(
        self,
        followers: Mapping[str, tuple[str, bool]],
        lost: Mapping[str, FormerEntry],
        marks: Mapping[str, str],
    ) -> None:
        """Carry what is known on to a new index and add what it has ``lost``, by id.

        ``followers`` are what the entries of the index before became, and whether in other words;
        ``marks`` are hashes of the words of entries that only the new index has. Raises `OSError`.
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
            self.keep(kept.values(), returned)


def parse_former_entry(record: str) -> FormerEntry:
    """Return the entry of a JSON ``record``. Raises `ValueError`, `TypeError`, `KeyError`."""
    fields = json.loads(record)
    return FormerEntry(**{**fields, "near": tuple(fields["near"])})
