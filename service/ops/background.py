"""Threads beside serving: build anew for changed rulings or a stale index, encode what is left."""

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

LONGEST_PAUSE = 300.0  # seconds before an index or a build that failed is tried again, at most
WATCH_INTERVAL = 1.0  # seconds between two looks at what is published


def begin(name: str, work: Callable[[Event], None]) -> Event:
    """Call ``work`` in a daemon thread, and return the event that it is given, which ends it.

    A thread does not survive a fork: call this in the process that answers.
    """
    over = Event()
    Thread(target=work, args=(over,), name=name, daemon=True).start()
    return over


# In the folder of the index: held by the process that builds, and says which rulings were built
# last
_LOCK = ".rulings-built"
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
    """Yield the file that says what was built last, where no other process is inside; None for one
    that cannot write to the folder ``index``.
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


# Seconds before it is tried again, and before another process looks whether the one that builds
# still does
_FIRST_PAUSE = 10.0
_OUTCOME = ".last-build"  # in the folder of the index


@dataclass(frozen=True)
class BuildOutcome:
    """How the last build ended: when (seconds since 1970), after how many seconds, and what went
    wrong, empty where nothing did.
    """

    ended: float
    seconds: float
    fault: str


@contextmanager
def build_noted(index: Path) -> Iterator[None]:
    """Keep in the folder ``index`` how the build inside ended, for metrics; not of one that gives
    way to another build.
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
    except OSError:  # whoever cannot write there is told so by the build
        with suppress(OSError):
            new.unlink()


def last_build(index: Path) -> BuildOutcome | None:
    """Return how the last build in the folder ``index`` ended; None where that is not known."""
    try:
        found = json.loads((index / _OUTCOME).read_text(encoding="utf-8"))
        return BuildOutcome(float(found["ended"]), float(found["seconds"]), str(found["fault"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def build_while(
    due: Callable[[], bool], build: Callable[[], object], index: Path, report: Callable[[str], None]
) -> Event:
    """Call ``build`` in a daemon thread, in one of all processes that serve from the folder
    ``index``, until it has once succeeded.

    It ends where it is no longer ``due``, or when the event is set. What ``build`` raises is told
    by ``report``, and it is tried again later.
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
    """Call ``encode`` in a daemon thread after each publication, which changes ``stamp``, of an
    index that ``lacks`` vectors; it looks every ``interval`` seconds, until the event is set.

    As long as another process encodes, ``elsewhere``, this one only looks on. What is raised is
    told by ``report``, and it is tried again later.
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
