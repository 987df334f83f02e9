"""Threads beside the server: rebuild a stale index or one whose rulings changed, and encode
passages that a build left out.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

from corpus.errors import RegulaError
from corpus.workspace import RULINGS
from index.building.snapshots import Busy

LONGEST_PAUSE = 300.0  # longest wait, in seconds, before a failed load or build is tried again
WATCH_INTERVAL = 1.0  # seconds between two checks of what is published


def begin(name: str, work: Callable[[Event], None]) -> Event:
    """Call ``work`` in a daemon thread and return the event that stops it, which ``work`` is given.

    A thread does not survive a fork: call this in the process that answers.
    """
    over = Event()
    Thread(target=work, args=(over,), name=name, daemon=True).start()
    return over


# A file in the folder of the index: locked by the process that builds, and records which rulings
# were built last
_LOCK = ".rulings-built"
Stamp = tuple[tuple[str, int, int], ...]


def ruling_stamp(home: Path) -> Stamp:
    """Return name, size and time of change of every file of rulings in the workspace ``home``. The
    value differs after each change.
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
    """Check every ``interval`` seconds, in a daemon thread, whether a ruling of ``home`` was
    written, changed or removed, and rebuild. Setting the returned event stops the thread.

    ``known`` is the `ruling_stamp` that the index in the folder ``index`` was built from. ``build``
    is called once nothing has changed for an interval, and by one process only when several watch.
    If it raises, ``report`` gets the error and the build is tried again later.
    """

    def look_on(over: Event) -> None:
        done = before = known
        pause = interval
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

    return begin("ruling-watch", look_on)


def _digest(stamp: Stamp) -> str:
    return hashlib.sha256(repr(stamp).encode("utf-8", "surrogateescape")).hexdigest()


def _write(file: TextIO, text: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(text)


@contextmanager
def only_process(index: Path) -> Iterator[TextIO | None]:
    """Yield the file that records what was built last, locked against other processes. Yield None
    if another process holds it or the folder ``index`` is not writable.
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


# Seconds before the first retry, and between two checks whether the building process is done
_FIRST_PAUSE = 10.0
_OUTCOME = ".last-build"  # in the folder of the index


@dataclass(frozen=True)
class BuildOutcome:
    """How the last build ended: when (seconds since 1970), its duration in seconds, and the error,
    empty after a success.
    """

    ended: float
    seconds: float
    fault: str


@contextmanager
def build_noted(index: Path) -> Iterator[None]:
    """Record in the folder ``index`` how the build inside the block ended, for metrics. A build
    that gives way to another one is not recorded.
    """
    begun: float | None = time.monotonic()
    fault = ""
    try:
        yield
    except Busy:
        begun = None
        raise
    except BaseException as error:
        fault = str(error) or type(error).__name__
        raise
    finally:
        if begun is not None:
            _note(index, BuildOutcome(time.time(), time.monotonic() - begun, fault))


def _note(index: Path, outcome: BuildOutcome) -> None:
    new = index / f"{_OUTCOME}.{os.getpid()}"
    try:
        new.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
        new.replace(index / _OUTCOME)
    except OSError:  # the build itself reports a folder that is not writable
        with suppress(OSError):
            new.unlink()


def last_build(index: Path) -> BuildOutcome | None:
    """Return how the last build in the folder ``index`` ended; None if no record can be read."""
    try:
        found = json.loads((index / _OUTCOME).read_text(encoding="utf-8"))
        return BuildOutcome(float(found["ended"]), float(found["seconds"]), str(found["fault"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def build_while(
    due: Callable[[], bool], build: Callable[[], object], index: Path, report: Callable[[str], None]
) -> Event:
    """Call ``build`` in a daemon thread until it succeeds once, in only one of the processes that
    serve from the folder ``index``.

    The thread ends when the build is no longer ``due`` or the event is set. If ``build`` raises,
    ``report`` gets the error and the build is tried again later.
    """

    def look_on(over: Event) -> None:
        pause = _FIRST_PAUSE
        while not over.is_set() and due():
            if not os.access(index, os.W_OK):
                report(
                    f"{index}: cannot be written to; the index in use goes on serving until "
                    "another process has built a new one there"
                )
                return
            with only_process(index) as mine:
                if not mine:
                    over.wait(_FIRST_PAUSE)
                elif due():
                    try:
                        build()
                        return
                    except (RegulaError, OSError) as fault:
                        report(
                            f"{fault}; the index in use goes on serving, and a new one is tried "
                            f"again in {pause:.0f} s"
                        )
                        over.wait(pause)
                        pause = min(2 * pause, LONGEST_PAUSE)

    return begin("build-beside", look_on)


def encode_while(
    stamp: Callable[[], object],
    lacks: Callable[[], bool],
    elsewhere: Callable[[], bool],
    encode: Callable[[], object],
    interval: float,
    report: Callable[[str], None],
) -> Event:
    """Call ``encode`` in a daemon thread for each newly published index that ``lacks`` vectors.

    The thread compares ``stamp``, which changes with each publication, every ``interval`` seconds
    until the event is set. While another process encodes (``elsewhere``), this one only waits. If
    ``encode`` raises, ``report`` gets the error and the call is tried again later.
    """

    def look_on(over: Event) -> None:
        seen, pause = None, interval
        while not over.wait(pause):
            now = stamp()
            if now == seen or elsewhere():
                continue
            try:
                if lacks():
                    encode()
                seen, pause = now, interval
            except (RegulaError, OSError) as fault:
                report(f"{fault}; passages that are new are found without the general encoder yet")
                pause = min(2 * pause + 1, LONGEST_PAUSE)

    return begin("encoding-beside", look_on)
