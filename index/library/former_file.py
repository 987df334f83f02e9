"""The file of records from earlier indexes, beside the indexes. It is never changed in place: a new
file replaces it, so that readers and copies always get a complete one. A damaged file is repaired
automatically.
"""

from __future__ import annotations

import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from corpus.file_changes import sync_file
from index.files.durable import Busy, locked, replace_synced

FILE = "former-words.db"  # in the folder of the indexes
NEW = f".{FILE}"  # its replacement while it is written
DAMAGED = f"{FILE}.damaged"  # the last damaged file
WORDS, ENTRIES = "former", "moved"  # tables, each with a column of records in JSON

_FORMAT = 1  # of the tables; 0 is that of the first versions, which may have no entries
_COLUMNS = {WORDS: ("kept", "passage", "hash", "record"), ENTRIES: ("id", "kept", "record")}
_TABLES = f"""
CREATE TABLE IF NOT EXISTS {WORDS} (kept INTEGER PRIMARY KEY, passage TEXT NOT NULL,
    hash TEXT NOT NULL, record TEXT NOT NULL, UNIQUE (passage, hash));
CREATE TABLE IF NOT EXISTS {ENTRIES} (id TEXT PRIMARY KEY, kept INTEGER, record TEXT);
PRAGMA user_version = {_FORMAT};
"""
_DAMAGE = {  # SQLite errors for a damaged file, or for one that is no database
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_ERROR,
}
_PATIENCE = 5.0  # seconds to wait for a process of an earlier version, which writes to the file
_LOG = logging.getLogger("regula")

T = TypeVar("T")


class _Damaged(sqlite3.DatabaseError):
    """The error found by a check of the file."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


class FormerFile:
    """The file of former records in ``folder``, the folder of the indexes."""

    def __init__(self, folder: Path):
        self.folder, self.path = folder, folder / FILE

    def records(self, table: str, which: str = "", *values: str) -> Iterator[str]:
        """Yield the records of the rows of ``table`` that the SQL ``which`` selects with
        ``values``.

        There are none if the file cannot be read, which is logged; a damaged one is repaired if
        that is possible at once.
        """
        began = False
        for _ in range(2):
            try:
                for record in self._read(table, which, values):
                    began = True
                    yield record
                return
            except UnicodeEncodeError:  # an address that cannot have been stored
                return
            except (sqlite3.Error, OSError) as fault:
                if began or not _is_damage(fault) or not self._mended():
                    _warn_once(self.path, str(fault), self._stamp())
                    return

    def change(self) -> FormerChange:
        """Return a change of the file, which is visible to others once published. The folder has to
        be `locked`.
        """
        return FormerChange(self)

    @contextmanager
    def changing(self, change: FormerChange | None = None) -> Iterator[sqlite3.Connection]:
        """Yield a connection to write to: the whole block is part of ``change``, or else a change
        of its own.

        If the block raises an error, nothing is changed. Raises `OSError` if the file cannot be
        written.
        """
        own = change or self.change()
        try:
            try:
                with own.connection as connection:
                    yield connection
            except sqlite3.Error as fault:
                raise OSError(None, str(fault), str(self.path)) from fault
            if change is None:
                own.publish()
        finally:
            if change is None:
                own.discard()

    def copied(self) -> sqlite3.Connection:
        """Return a copy of the file, repaired if need be. The folder has to be `locked`."""
        new = self.folder / NEW
        new.unlink(missing_ok=True)
        if self.path.exists():
            try:
                self._copy(new)
                return _opened(new)
            except sqlite3.Error as fault:
                if not _is_damage(fault):
                    raise
                self._mend(fault)
                new.unlink(missing_ok=True)
                self._copy(new)
        return _opened(new)

    def _copy(self, new: Path) -> None:
        with closing(self._open("mode=rw")) as file:
            (format,) = file.execute("PRAGMA user_version").fetchone()
            if format > _FORMAT:
                raise OSError(None, "a newer version of Regula has written it", str(self.path))
            (said,) = file.execute("PRAGMA quick_check(1)").fetchone()
            if said != "ok":
                raise _Damaged(said)
            file.execute("VACUUM INTO ?", (str(new),))

    def _mend(self, fault: sqlite3.Error) -> None:
        """Move the file aside, and write its readable records to a new one."""
        aside = self.folder / DAMAGED
        new = self.folder / NEW
        new.unlink(missing_ok=True)
        found = 0
        with closing(_opened(new)) as file:
            for table, columns in _COLUMNS.items():
                named, marks = ", ".join(columns), ", ".join("?" * len(columns))
                with suppress(sqlite3.Error), closing(self._open("mode=ro&immutable=1")) as damaged:
                    damaged.execute("PRAGMA writable_schema = ON")  # a file that was cut is read
                    for row in damaged.execute(f"SELECT {named} FROM {table}"):
                        file.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
                        found += 1
            file.commit()
        replace_synced(self.path, aside)
        self.path.with_name(f"{FILE}-journal").unlink(missing_ok=True)
        sync_file(new)
        replace_synced(new, self.path)
        _LOG.warning(
            "%s was damaged (%s): it is kept as %s, and a new one has the %d records of old links "
            "that could be read",
            self.path,
            fault,
            aside.name,
            found,
        )

    def _mended(self) -> bool:
        """Return whether the file has just been repaired, by this process or another."""
        try:
            with locked(self.folder / ".lock"):
                self.copied().close()
                (self.folder / NEW).unlink()
            return True
        except (sqlite3.Error, OSError, Busy):
            return False

    def _read(self, table: str, which: str, values: tuple[str, ...]) -> Iterator[str]:
        if not self.path.exists():
            return
        # SQLite takes back what an older version, which wrote in place, left unfinished.
        halved = self.path.with_name(f"{FILE}-journal").exists()
        with closing(self._open("mode=rw" if halved else "mode=ro&immutable=1")) as file:
            named = "SELECT 1 FROM sqlite_master WHERE name = ?"
            if file.execute(named, (table,)).fetchone():
                for row in file.execute(f"SELECT record FROM {table} {which}", values):
                    yield row[0]

    def _open(self, how: str) -> sqlite3.Connection:
        address = f"{self.path.absolute().as_uri()}?{how}"
        file = sqlite3.connect(address, uri=True, timeout=_PATIENCE)
        file.text_factory = _decoded
        return file

    def _stamp(self) -> object:
        with suppress(OSError):
            found = self.path.stat()
            return found.st_ino, found.st_mtime_ns
        return None


class FormerRecords(ABC, Generic[T]):
    """The records in a ``table`` of the file in ``folder``, the folder of the indexes, each a JSON
    object with the fields of ``parsed``; fields that a later version has added are ignored.
    """

    table: str
    parsed: TypeAdapter[T]

    def __init__(self, folder: Path):
        self._file = FormerFile(folder)

    def records(self) -> Iterator[str]:
        """Yield all records as lines of JSON, oldest first; none if the file cannot be read."""
        return self._file.records(self.table, "ORDER BY kept")

    def take(self, records: Iterable[str], change: FormerChange | None = None) -> int:
        """Store ``records`` as `records` yields them, and return how many cannot be read. Raises
        `OSError` if they cannot be written.
        """
        given = list(records)
        found = list(self._readable(given))
        if found:
            self._add(found, change)
        return len(given) - len(found)

    def _readable(self, records: Iterable[str]) -> Iterator[T]:
        for record in records:
            with suppress(ValueError):
                yield self.parsed.validate_json(record)

    @abstractmethod
    def _add(self, found: Iterable[T], change: FormerChange | None) -> None:
        """Add the records ``found``, as part of ``change`` if there is one."""


class FormerChange:
    """A change of ``file``, made in a copy; `publish` replaces the file by it, `discard` drops
    it.
    """

    def __init__(self, file: FormerFile):
        self._file, self.folder = file, file.folder

    @cached_property
    def connection(self) -> sqlite3.Connection:
        """The connection to write to. Raises `sqlite3.Error` and `OSError` if it cannot be
        opened.
        """
        return self._file.copied()

    def publish(self) -> None:
        """Put the changed file in place, if anything was changed. Raises `OSError`."""
        if "connection" in self.__dict__:
            self.connection.close()
            del self.connection
            new = self._file.folder / NEW
            sync_file(new)
            replace_synced(new, self._file.path)

    def discard(self) -> None:
        """Drop the change, unless it was published."""
        if "connection" in self.__dict__:
            self.connection.close()
            del self.connection
            with suppress(OSError):
                (self._file.folder / NEW).unlink()


def _opened(new: Path) -> sqlite3.Connection:
    """Open ``new``, which no other process has, and check that its tables are as they should be."""
    file = sqlite3.connect(new)
    try:
        file.text_factory = _decoded
        file.execute("PRAGMA journal_mode = MEMORY")
        file.executescript(_TABLES)
        for table, columns in _COLUMNS.items():
            file.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT 0")
    except BaseException:
        file.close()
        raise
    return file


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _is_damage(fault: Exception) -> bool:
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


@lru_cache(maxsize=100)  # otherwise every request to an old address would fill the log
def _warn_once(path: Path, fault: str, stamp: object) -> None:
    _LOG.warning(
        "%s cannot be read (%s); old links lead nowhere, and do not show the words they cited",
        path,
        fault,
    )
