"""The words of passages that the index no longer has, so that what a link cited long ago can still
be shown and compared with what is printed now.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus.blocks import Lines

FILE = "former-words.db"  # in the folder of the indexes
MOST_BYTES = 200_000_000  # of records; the five rulebooks have some 4 MB, the oldest go first

_TABLE = """CREATE TABLE IF NOT EXISTS former (
    kept INTEGER PRIMARY KEY, passage TEXT NOT NULL, hash TEXT NOT NULL, record TEXT NOT NULL,
    UNIQUE (passage, hash))"""
_DELETE_OLDEST = """DELETE FROM former WHERE kept IN (SELECT kept FROM (
    SELECT kept, SUM(LENGTH(record)) OVER (ORDER BY kept DESC) AS bytes FROM former)
    WHERE bytes > ?)"""
_UNREADABLE = "%s cannot be read (%s); links from earlier are shown without the words they cited"
_PATIENCE = 5.0  # seconds to wait for another process that writes
_LOG = logging.getLogger("regula")


@dataclass(frozen=True, slots=True)
class FormerPassage:
    """A passage as it was in an index: ``id``, the `quotation_hash` of its words, these, and how it
    was cited.

    ``source`` names its edition with title and version, the publication of a ruling, or the card;
    ``effective`` is the day from which that holds, "" where unknown. ``title`` and ``number`` are
    those of its entry; ``page`` is the printed one, or None without pages, ``paged`` says that the
    document has them. ``authority`` is that of a ruling, else "". ``index`` had it last.
    """

    id: str
    hash: str
    text: str
    display: str
    lead_in: str
    game: str
    language: str
    source: str
    version: str
    effective: str
    title: str
    number: str
    lines: Lines
    page: int | str | None
    paged: bool
    authority: str
    index: str


def quotation_hash(display: str) -> str:
    """Return twelve hexadecimal digits that stay the same as long as what readers see of a passage
    does, to the sign, however its lines break.
    """
    words = " ".join(display.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(words).hexdigest()[:12]


class FormerWords:
    """The file of former passages in ``folder``, that of the indexes; read by any number of
    processes, written by one that builds.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES):
        self._path, self._most_bytes = folder / FILE, most_bytes

    def keep(self, passages: Iterable[FormerPassage]) -> None:
        """Add ``passages`` that are not there yet; of too many the oldest go. Raises `OSError`
        where they cannot be written.
        """
        rows = (
            (each.id, each.hash, json.dumps(asdict(each), ensure_ascii=False)) for each in passages
        )
        try:
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE)) as file, file:
                file.execute(_TABLE)
                file.executemany(
                    "INSERT OR IGNORE INTO former (passage, hash, record) VALUES (?, ?, ?)", rows
                )
                file.execute(_DELETE_OLDEST, (self._most_bytes,))
        except sqlite3.Error as fault:
            raise OSError(None, str(fault), str(self._path)) from fault

    def take(self, records: Iterable[str]) -> int:
        """Add passages as `records` gives them, and return how many cannot be read. Raises
        `OSError` as `keep` does.
        """
        found, faulty = [], 0
        for record in records:
            try:
                found.append(_former(record))
            except (ValueError, TypeError, KeyError, AttributeError):
                faulty += 1
        if found:
            self.keep(found)
        return faulty

    def records(self) -> Iterator[str]:
        """Yield the passages that are kept, oldest first, each as JSON in a line; none where the
        file cannot be read.
        """
        return self._select("ORDER BY kept")

    def find(self, passage: str, hash: str) -> FormerPassage | None:
        """Return the passage that was called ``passage`` and had these words; None where it is not
        kept, or the file cannot be read.
        """
        try:
            record = next(self._select("WHERE passage = ? AND hash = ?", passage, hash), None)
            return _former(record) if record else None
        except (ValueError, TypeError, KeyError) as fault:
            _LOG.warning(_UNREADABLE, self._path, fault)
            return None

    def _select(self, which: str, *values: str) -> Iterator[str]:
        if not self._path.exists():
            return
        # As it is, without a journal: the folder may be one that nothing can be written to.
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as file:
                for row in file.execute(f"SELECT record FROM former {which}", values):
                    yield row[0]
        except sqlite3.Error as fault:
            _LOG.warning(_UNREADABLE, self._path, fault)


def _former(record: str) -> FormerPassage:
    fields = json.loads(record)
    return FormerPassage(**{**fields, "lines": Lines(*fields["lines"])})
