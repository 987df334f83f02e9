import os
import resource
import sqlite3
from contextlib import closing
from random import Random

import pytest

from corpus.blocks import Lines
from index.library.former_entries import FormerEntries, FormerEntry
from index.library.former_file import DAMAGED, FILE, NEW, FormerFile
from index.library.former_words import FormerPassage, FormerWords

HASH = "0" * 12


def entry(id, now="kran-de/9"):
    """Return an entry that was at the address ``id``."""
    return FormerEntry(id, "Zug" * 40, "", "Kran", "de", "", now, False, (), "2031-05-17")


def passage(id):
    """Return a passage that was called ``id``."""
    lines = Lines(1, 2)
    more = ("", "kran", "de", "Kran", "1", "", "Zug", "", lines, None, False, "", "index-1")
    return FormerPassage(id, HASH, "Der Kran", "Der Kran", *more)


def overwritten(folder):
    """Have pages in the middle of a file with many records be noise."""
    FormerEntries(folder).keep([entry(f"kran-de/{n}") for n in range(300)])
    whole = bytearray((folder / FILE).read_bytes())
    whole[len(whole) // 2 : len(whole) // 2 + 9000] = Random(7).randbytes(9000)
    (folder / FILE).write_bytes(whole)


def cut(folder):
    """Have a file with many records end in the middle."""
    FormerEntries(folder).keep([entry(f"kran-de/{n}") for n in range(300)])
    with (folder / FILE).open("r+b") as file:
        file.truncate((folder / FILE).stat().st_size // 2)


def no_database(folder):
    """Have the file be something else."""
    (folder / FILE).write_bytes(b"no database" * 99)


def another_database(folder):
    """Have the file be the database of another program."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        file.execute("CREATE TABLE former (name TEXT)")
        file.execute("CREATE TABLE moved (name TEXT)")


HARMS = (overwritten, cut, no_database, another_database)


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_file_mends_itself_where_it_is_read(tmp_path, harm, caplog):
    assert callable(harm)
    harm(tmp_path)
    for n in range(300):
        FormerEntries(tmp_path).find(f"kran-de/{n}")
        FormerWords(tmp_path).find(f"kran-de/{n}#0", HASH)
    assert (tmp_path / DAMAGED).exists()
    assert [line for line in caplog.messages if "was damaged" in line]
    assert len(caplog.messages) == 1
    FormerEntries(tmp_path).keep([entry("kran-de/new")])
    assert FormerEntries(tmp_path).find("kran-de/new") == entry("kran-de/new")


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_file_mends_itself_where_it_is_written(tmp_path, harm, caplog):
    assert callable(harm)
    harm(tmp_path)
    FormerWords(tmp_path).keep([passage("kran-de/1#0")])
    assert FormerWords(tmp_path).find("kran-de/1#0", HASH) == passage("kran-de/1#0")
    assert sorted(os.listdir(tmp_path)) == [FILE, DAMAGED]
    assert "kept as former-words.db.damaged" in caplog.text


def test_a_full_disk_leaves_the_file_as_it_is(tmp_path):
    FormerEntries(tmp_path).keep([entry("kran-de/1")])
    before = (tmp_path / FILE).read_bytes()
    child = os.fork()
    if not child:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), len(before)))
            FormerEntries(tmp_path).keep([entry(f"kran-de/{n}") for n in range(900)])
        except OSError:
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert os.listdir(tmp_path) == [FILE]
    assert (tmp_path / FILE).read_bytes() == before


def test_who_reads_or_copies_the_file_has_a_whole_one_while_another_is_written(tmp_path):
    entries = FormerEntries(tmp_path)
    entries.keep([entry("kran-de/1")])
    change = FormerFile(tmp_path).change()
    entries.keep([entry("kran-de/1", "kran-de/5")], change=change)
    assert entries.find("kran-de/1") == entry("kran-de/1")
    change.discard()
    (tmp_path / NEW).write_bytes(b"left by a process that was killed")
    assert entries.find("kran-de/1") == entry("kran-de/1")
    entries.keep([entry("kran-de/2")])
    assert len(list(entries.all())) == 2
    assert os.listdir(tmp_path) == [FILE]


def test_what_a_later_version_wrote_is_read_and_not_overwritten(tmp_path):
    words, found = FormerWords(tmp_path), passage("kran-de/1#0")
    words.keep([found])
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute("UPDATE former SET record = json_set(record, '$.invented', 1)")
        file.execute("PRAGMA user_version = 99")
    assert words.find(found.id, HASH) == found
    with pytest.raises(OSError, match="newer version"):
        words.keep([passage("kran-de/2#0")])
    assert words.find(found.id, HASH) == found
