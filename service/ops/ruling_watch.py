"""A thread that has an index built anew where the rulings of the workspace are others than it was
built from.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

from corpus.errors import RegulaError
from corpus.workspace import RULINGS

LONGEST_PAUSE = 300.0  # seconds before a build that failed is tried again, at most
_LOCK = ".rulings-built"  # in the folder of the index: held by the process that builds, and says which rulings were built last
Stamp = tuple[tuple[str, int, int], ...]


def ruling_stamp(home: Path) -> Stamp:
    """Name, size and time of change of every file of rulings in the workspace ``home``: another one
    after each change.
    """
    found = []
    for place, folders, names in os.walk(home / RULINGS):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(place, name)
                try:
                    state = path.stat()
                except OSError:  # removed since it was listed, or a link to nowhere
                    continue
                found.append((str(path), state.st_size, state.st_mtime_ns))
    return tuple(found)


def watch_rulings(
    home: Path,
    index: Path,
    known: Stamp,
    build: Callable[[], None],
    interval: float,
    report: Callable[[str], None],
) -> Event:
    """Look every ``interval`` seconds, in a daemon thread, whether a ruling of ``home`` was
    written, changed or removed; the event ends it.

    ``known`` is the `ruling_stamp` of what the index in the folder ``index`` was built from. Once
    nothing has changed for an interval, ``build`` is called, in one of all processes that watch.
    What it raises is told by ``report``, and it is tried again later.
    """
    over = Event()
    Thread(
        target=_watch,
        args=(home, index, known, build, interval, report, over),
        name="ruling-watch",
        daemon=True,
    ).start()
    return over


def _watch(
    home: Path,
    index: Path,
    done: Stamp,
    build: Callable[[], None],
    interval: float,
    report: Callable[[str], None],
    over: Event,
) -> None:
    before, pause = done, interval
    while not over.wait(pause):
        now = ruling_stamp(home)
        quiet, before = now == before, now
        if now == done or not quiet:
            pause = interval
            continue
        with only_process(index) as built:
            if built is None:
                continue
            try:
                if built.read() != _digest(now):
                    build()
                    _write(built, _digest(now))
                done, pause = now, interval
            except (RegulaError, OSError) as fault:
                report(f"{fault}; rulings that were changed are not in answers yet")
                pause = min(2 * pause + 1, LONGEST_PAUSE)


def _digest(stamp: Stamp) -> str:
    return hashlib.sha256(repr(stamp).encode("utf-8", "surrogateescape")).hexdigest()


def _write(file: TextIO, text: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(text)


@contextmanager
def only_process(index: Path) -> Iterator[TextIO | None]:
    """The file that says what was built last, where no other process is inside; None for one that
    cannot write to the folder ``index``.
    """
    try:
        file = (index / _LOCK).open("a+", encoding="ascii")
    except OSError:
        yield None
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
            return
        file.seek(0)
        yield file
