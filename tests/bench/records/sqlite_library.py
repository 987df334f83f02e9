"""A library whose records are in an SQLite database: the same look-ups and the same objects as a library in mapped files."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, lru_cache, partial
from itertools import accumulate, count
from pathlib import Path
from typing import Any, TypeVar, overload

from corpus.model import Edition, Entry, Passage, Role
from glossary.model import Reference
from index.library.library import Library, SourceDocument
from tests.bench.records import sqlite_rows as rows

T = TypeVar("T")

FILE = "library.sqlite"
CACHED = 4_096  # objects of a kind that are cached, as many as in `index.files.records`
_MAPPED = 1 << 40  # bytes of a database that may be mapped; SQLite lowers it to its own maximum, 2 GB


class Database:
    """A database that is only read. Each thread has a connection of its own, opened at its first query."""

    def __init__(self, path: Path, mapped: bool) -> None:
        self._uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._mmap_size = _MAPPED if mapped else 0
        self._local = threading.local()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """The rows that ``sql`` selects. Raises `sqlite3.Error`."""
        try:
            connection: sqlite3.Connection = self._local.connection
        except AttributeError:
            connection = self._local.connection = sqlite3.connect(self._uri, uri=True, isolation_level=None)
            connection.execute(f"PRAGMA mmap_size = {self._mmap_size}")
        try:
            return connection.execute(sql, parameters)
        except UnicodeEncodeError:  # half of a surrogate pair, which is in no id
            return connection.execute(sql, [None] * len(parameters))


class Selection(Sequence[T]):
    """The objects that ``made`` makes of the rows of a query without a LIMIT; counted and read when it is asked for."""

    def __init__(
        self, database: Database, columns: str, rest: str, parameters: Sequence[Any], order: str, made: Callable[[Any], T]
    ) -> None:
        self._database, self._made, self._parameters = database, made, parameters
        self._count, self._select = f"SELECT count(*) FROM {rest}", f"SELECT {columns} FROM {rest} ORDER BY {order}"

    def __len__(self) -> int:
        return int(self._database.execute(self._count, self._parameters).fetchone()[0])

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        return self._all[number]

    def __iter__(self) -> Iterator[T]:
        return map(self._made, self._database.execute(self._select, self._parameters))

    @cached_property
    def _all(self) -> tuple[T, ...]:
        return tuple(self)


class NumberedRows(Sequence[T]):
    """The objects of a table by a column that numbers them from 0; the last ones are cached. Threads may share it."""

    def __init__(self, database: Database, columns: str, table: str, column: str, made: Callable[[Any], T]) -> None:
        self._database, self._made = database, made
        self._every = f"SELECT {columns} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column}"
        self._length = int(database.execute(f"SELECT count({column}) FROM {table} WHERE {column} IS NOT NULL").fetchone()[0])
        self._find = lru_cache(CACHED)(partial(_find_row, database, f"SELECT {columns} FROM {table} WHERE {column} = ?", made))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return tuple(map(self.__getitem__, range(*number.indices(self._length))))
        place = int(number) + self._length if number < 0 else int(number)
        if not 0 <= place < self._length:
            raise IndexError(number)
        return self._find(place)

    def __iter__(self) -> Iterator[T]:
        return map(self._made, self._database.execute(self._every))


class KeyedRows(Mapping[str, T]):
    """What ``made`` makes of all rows that a query finds for a key; a key without rows is not in it. The last ones are cached.

    ``one`` selects the rows of a key, ``keys`` all keys in order.
    """

    def __init__(self, database: Database, one: str, keys: str, made: Callable[[list[Any]], T]) -> None:
        self._database, self._keys = database, keys
        self._find = lru_cache(CACHED)(partial(_find_rows, database, one, made))

    def __getitem__(self, key: str) -> T:
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        return found

    def __len__(self) -> int:
        return int(self._database.execute(f"SELECT count(*) FROM ({self._keys})").fetchone()[0])

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self._database.execute(self._keys))


# Functions that do not refer to the object that caches them, so that no cycle keeps a library that is no longer used.
def _find_row(database: Database, sql: str, made: Callable[[Any], T], number: int) -> T:
    return made(database.execute(sql, (number,)).fetchone())


def _find_rows(database: Database, sql: str, made: Callable[[list[Any]], T], key: str) -> T | None:
    rows = database.execute(sql, (key,)).fetchall()
    return made(rows) if rows else None


class SqliteLibrary(Library):
    """A library that `save_sqlite` has written, read from its database in ``folder``, which is ``mapped`` into memory or read by pages."""

    _database: Database
    _fallbacks: dict[str, int | None]

    def __init__(self, folder: Path, mapped: bool = True) -> None:
        database = Database(folder / FILE, mapped)
        found = database.execute("SELECT record, file, sha256, fallback FROM edition ORDER BY number").fetchall()
        editions = tuple(Edition(**{**json.loads(record), "corrections": ()}) for record, *_ in found)
        super().__init__(
            editions=editions,
            sources={edition.id: SourceDocument(file, sha256) for edition, (_, file, sha256, _) in zip(editions, found, strict=True)},
            entries=NumberedRows(database, rows.ENTRY, "entry", "number", rows.entry),
            passages=NumberedRows(database, rows.PASSAGE, "passage", "number", rows.passage),
            references=NumberedRows(database, rows.REFERENCE, "reference", "number", rows.reference),
            pages=KeyedRows(database, "SELECT page FROM page WHERE entry = ? ORDER BY place", _ids("page"), _pages),
            concepts=KeyedRows(database, "SELECT concept FROM concept WHERE entry = ?", _ids("concept"), lambda found: str(found[0][0])),
        )
        vars(self)["_database"] = database  # the class is frozen
        vars(self)["_fallbacks"] = {edition.id: row[-1] for edition, row in zip(editions, found, strict=True)}

    @cached_property
    def entry(self) -> Mapping[str, Entry]:
        """Entries by id."""
        one, every = f"SELECT {rows.ENTRY} FROM entry WHERE id = ?", "SELECT id FROM entry ORDER BY number"
        return KeyedRows(self._database, one, every, lambda found: rows.entry(found[0]))

    @cached_property
    def passages_of(self) -> Mapping[str, Sequence[Passage]]:
        """The passages of each entry, in document order, by entry id."""
        one = f"SELECT {rows.PASSAGE} FROM passage WHERE entry = ? ORDER BY number"
        return KeyedRows(self._database, one, _ids("passage"), _each(rows.passage))

    @cached_property
    def children_of(self) -> Mapping[str, Sequence[Entry]]:
        """The entries directly inside each entry, in document order, by entry id."""
        one = f"SELECT {rows.ENTRY} FROM entry WHERE parent = ? ORDER BY number"
        return KeyedRows(self._database, one, _ids("entry", "parent"), _each(rows.entry))

    @cached_property
    def references_of(self) -> Mapping[str, Sequence[Reference]]:
        """The references printed in each entry, by entry id."""
        one = f"SELECT {rows.REFERENCE} FROM reference WHERE entry = ? ORDER BY number"
        return KeyedRows(self._database, one, _ids("reference"), _each(rows.reference))

    @cached_property
    def referring_to(self) -> Mapping[str, Sequence[Entry]]:
        """The entries that refer to each entry, each once, by entry id."""
        one = f"""SELECT {rows.ENTRY} FROM reference JOIN entry ON entry.id = reference.entry
            WHERE target = ? AND target <> entry.id GROUP BY entry.number ORDER BY min(reference.number)"""
        return KeyedRows(self._database, one, _ids("reference", "target", "target <> entry"), _each(rows.entry))

    @cached_property
    def searchable(self) -> Sequence[Passage]:
        """The passages that can settle a question: running text, no reference lists, listings or superseded wording."""
        return NumberedRows(self._database, rows.PASSAGE, "passage", "searchable", rows.passage)

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """Where the searchable passages of each edition begin among them all, and at the end their number."""
        return (0, *(bound for (bound,) in self._database.execute("SELECT bound FROM edition ORDER BY number")))

    def entries_of(self, edition: str) -> Sequence[Entry]:
        """The entries of one edition in document order; none for an edition that is not here."""
        return Selection(self._database, rows.ENTRY, "entry WHERE edition = ?", (edition,), "number", rows.entry)

    def card_entries(self, edition: str) -> Sequence[Entry]:
        """Those of the entries of an ``edition`` that are about a card."""
        return Selection(self._database, rows.ENTRY, "entry WHERE edition = ? AND card IS NOT NULL", (edition,), "number", rows.entry)

    def passages_in(self, edition: str) -> Sequence[Passage]:
        """The passages of an ``edition``, in document order."""
        rest, number = "passage WHERE edition = ?", self._number.get(edition)
        return Selection(self._database, rows.PASSAGE, rest, (number,), "number", rows.passage)

    def references_in(self, edition: str) -> Sequence[Reference]:
        """The references printed in an ``edition``, in the order of its entries."""
        rest = "entry JOIN reference ON reference.entry = entry.id WHERE entry.edition = ?"
        return Selection(self._database, rows.REFERENCE, rest, (edition,), "entry.number, reference.number", rows.reference)

    def fallback(self, edition: str) -> Passage | None:
        """The passage that says what to do where the rulebook of ``edition`` settles nothing; of a sister edition if need be."""
        number = self._fallbacks[edition]
        return None if number is None else self.passages[number]


def _ids(table: str, column: str = "entry", where: str = "TRUE") -> str:
    """Selects the ids of the entries that a ``column`` of ``table`` names, in document order."""
    return f"SELECT id FROM entry WHERE id IN (SELECT {column} FROM {table} WHERE {where}) ORDER BY number"


def _pages(found: list[Any]) -> tuple[int, ...]:
    return tuple([page for (page,) in found])


def _each(made: Callable[[Any], T]) -> Callable[[list[Any]], tuple[T, ...]]:
    return lambda found: tuple(map(made, found))


def save_sqlite(library: Library, folder: Path) -> None:
    """Write ``library`` into a database in ``folder``."""
    connection = sqlite3.connect(folder / FILE, isolation_level=None)
    try:
        connection.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {rows.TABLES}")
        connection.execute("BEGIN")
        _fill(connection, library)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
    finally:
        connection.close()


def _fill(connection: sqlite3.Connection, library: Library) -> None:
    known = {edition.id: number for number, edition in enumerate(library.editions)}
    edition_of: dict[str, int] = {}
    helping: dict[int, list[str]] = {}  # entries that may hold the fallback of an edition
    searchable = [0] * len(known)

    def entries() -> Iterator[tuple[Any, ...]]:
        for number, entry in enumerate(library.entries):
            edition_of[entry.id] = edition = known[entry.edition]
            if entry.heading == library.editions[edition].fallback:
                helping.setdefault(edition, []).append(entry.id)
            yield number, *rows.entry_row(entry)

    def passages() -> Iterator[tuple[Any, ...]]:
        places = count()
        for number, passage in enumerate(library.passages):
            edition, is_text = edition_of[passage.entry], passage.role is Role.TEXT
            searchable[edition] += is_text
            yield number, *rows.passage_row(passage), edition, next(places) if is_text else None

    _insert(connection, "entry", 14, entries())
    _insert(connection, "passage", 13, passages())
    _insert(connection, "reference", 10, ((number, *rows.reference_row(r)) for number, r in enumerate(library.references)))
    _insert(connection, "page", 3, ((id, place, page) for id, found in library.pages.items() for place, page in enumerate(found)))
    _insert(connection, "concept", 2, library.concepts.items())
    for index in rows.INDEXES:
        connection.execute(index)
    for number, (edition, bound) in enumerate(zip(library.editions, accumulate(searchable), strict=True)):
        source = library.sources[edition.id]
        record = json.dumps({**asdict(edition), "corrections": []}, ensure_ascii=False)
        fallback = _fallback(connection, library.editions, number, helping)
        _insert(connection, "edition", 6, [(number, record, source.file, source.sha256, bound, fallback)])


def _insert(connection: sqlite3.Connection, table: str, columns: int, values: Iterable[Sequence[Any]]) -> None:
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", values)


def _fallback(connection: sqlite3.Connection, editions: Sequence[Edition], number: int, helping: Mapping[int, list[str]]) -> int | None:
    """The first passage of the entry with the heading that edition ``number`` names for it, or that a sister edition names."""
    here = editions[number]
    sisters = [n for n, e in enumerate(editions) if e.game == here.game and n in helping]
    for sister in sorted(sisters, key=lambda n: (n != number, editions[n].language != here.language, editions[n].id)):
        for entry in helping[sister]:
            (found,) = connection.execute("SELECT min(number) FROM passage WHERE entry = ?", (entry,)).fetchone()
            if found is not None:
                return int(found)
    return None
