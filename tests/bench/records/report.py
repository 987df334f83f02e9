"""What was measured of each way to store records, as tables."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from tests.bench.records.lookups import ASKED, MANY, USUAL
from tests.bench.records.measure import Answered, Memory, Read, Written
from tests.bench.tables import Table

_WRITTEN = {"seconds": ("seconds to write", 2), "megabytes": ("MB on the disk", 1)}
_MEMORY = {
    "opened": ("MB more resident when it is open", 1),
    "used": ("MB more resident after 1,000 questions", 1),
    "own": ("MB of these that no other process can share", 1),
}
_READ = {
    "open_milliseconds": ("ms to open", 1),
    "first": ("µs for the look-ups of a question, newly opened", 0),
    "again": ("µs for the same questions again", 0),
    "uncached": ("µs for the same with empty caches", 0),
    "many": ("µs for a question for 50 passages, empty caches", 0),
    "threaded": ("µs for the look-ups of a question, 8 threads together, wall clock", 0),
    "name": ("µs to find an entry by its id, empty caches", 1),
    "scan": ("seconds to make every record into an object", 2),
}
_LOOKED_UP = {
    "searchable": "passages by number",
    "entry": "entries by id, for citations, paths of headings and targets of references",
    "references_of": "references of an entry",
    "pages": "printed pages of an entry",
    "passages": "fallbacks of an edition",
}
_ANSWERED = {
    "median": "one thread, median, the processor's time",
    "p99": "one thread, p99, the processor's time",
    "threads_median": "8 threads, median, wall clock",
    "threads_p99": "8 threads, p99, wall clock",
    "each": "8 threads, wall clock of all by their number",
    "processor": "8 threads, the processor's time of that",
}


def costs(title: str, written: Mapping[str, Written], memory: Mapping[str, Memory], read: Mapping[str, Read]) -> Table:
    """A column for each storage, a row for each thing measured."""
    rows = []
    for measured, described in ((written, _WRITTEN), (memory, _MEMORY), (read, _READ)):
        for field, (name, digits) in described.items():
            rows.append((name, *(f"{getattr(each, field):,.{digits}f}" for each in measured.values())))
    return Table(title, ("", *written), tuple(rows))


def whole(answered: Mapping[str, Answered]) -> Table:
    """Milliseconds of whole questions, with what they are more than in the first column."""
    rows = []
    for field, name in _ANSWERED.items():
        first, *others = [getattr(a, field) for a in answered.values()]
        rows.append((name, f"{first:.2f}", *(f"{other:.2f} ({100 * (other / first - 1):+.0f} %)" for other in others)))
    return Table("A whole question, search and JSON of the answer, in milliseconds", ("", *answered), tuple(rows))


def counted(usual: Mapping[str, int], many: Mapping[str, int]) -> Table:
    """How many look-ups a question does, by what is looked up."""
    rows = [(name, *(f"{found[key] / ASKED:.1f}" for found in (usual, many))) for key, name in _LOOKED_UP.items()]
    return Table("Look-ups of a question", ("", f"{USUAL} passages", f"{MANY} passages"), tuple(rows))


def page(tables: Sequence[Table], when: datetime, passages: int) -> str:
    """A page with what was decided."""
    head = _HEAD.format(when=when, cores=os.cpu_count(), sqlite=sqlite3.sqlite_version)
    parts = [
        "# Records: mapped files or SQLite",
        head,
        _DECISION,
        *(table.markdown() for table in tables),
        _METHOD.format(asked=ASKED, passages=passages),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


_HEAD = """Measured on {when:%Y-%m-%d} by `python -m tests.bench.records`, which also writes this page, on {cores} cores that other programs
used too, with SQLite {sqlite}: the records of an index (entries, passages, references, printed pages, concepts) as the program stores
them, in mapped files (`index/files`, `index/library`), and the same in an SQLite database (`tests/bench/records/sqlite_library.py`)."""

_DECISION = """## Decided: the files stay

Time alone would allow SQLite. In four runs a whole question to the five rulebooks took from 9 % less to 3 % more on one thread with the
records in SQLite, no more than two runs differ by. Once objects are cached, its look-ups take 38 instead of 124 µs; that is due to caches
by id, though, and not to SQLite: with the same caches (“more cached”) those in the files take 41 µs.
With empty caches SQLite takes 7 to 8 % longer for the look-ups of a question to the rulebooks, and 30 to 47 % longer for those to the
made-up library: 0.1 to 0.2 ms of a question that takes 5 to 8 ms at such a size ([growth](growth.md)). With eight threads the runs
differed more from each other than SQLite from the files. Mapped, SQLite needs 7 to 8 % more memory for the records than the files; not
mapped, it keeps most of a large library out of memory, and look-ups take longest. It makes every record into an object in two thirds to
three quarters of the time, opens a small library more quickly, and a large one more slowly.

Three things speak for the files:

- **SQLite saves few lines.** It would replace about 500: `records.py`, `serialization.py`, `relations.py`, two thirds of
  `name_tables.py` and half of `library.py`. The database in this benchmark has 410, and lacks some of what loading checks today. The
  other 800 lines of `index/files` and `index/library` are needed for vectors, postings, ranking and publishing, whatever stores the
  records. And libraries that are only in memory, while an index is built and in tests, would have to become databases too; else
  `relations.py` and the classes around it stay, and SQLite adds some 200 lines.
- **It would break a promise.** What answers is a private copy whose names are removed at once, so that nothing on the disk can alter it
  ([indexes](indexes.md)). SQLite opens files by name: each thread needs a connection of its own, and one that is opened after the names
  are gone fails (a test shows it). Nor may a connection be used in a process that was forked after it was opened
  ([how to corrupt a database](https://www.sqlite.org/howtocorrupt.html)), as the workers of `regula serve --production` are. The copy
  would have to keep its names.
- **It has cases of its own.** Text with half of a surrogate pair, which an escape in a document can leave, cannot be stored as text. A
  database whose last bytes are cut off can be opened without a word, where the files are refused.

To be looked at again when records are changed in place, when they are searched by more than their keys, or when there are no private
copies any more."""

_METHOD = """## How it was measured

The look-ups are those that {asked:,} questions did when they were put to the index of the rulebooks, each to one document, and answered as
JSON: all that searching and answering read was recorded. For the made-up library of {passages:,} passages (rulebooks as in
[growth](growth.md), with sections, references, pages and concepts) they are those of answers with passages from anywhere in it.

The database has a table for each kind of record and an index for every look-up. It is opened read-only and immutable, with a connection
for each thread. “Mapped” is with `mmap_size` above the size of the file, “not mapped” without, by way of SQLite's own page cache. A test
checks that all give the same objects. All cache the last 4,096 objects of a kind: the database by the key that is looked up, the
program by number, so that it looks up the number of an id each time. “More cached” is the program with caches by key as well.

Times on one thread are the processor's; of five rounds the least for each question counts, at the median of all questions. With eight
threads they are by the wall clock, in the best of five rounds. Memory is that of a process that does nothing but the look-ups."""
