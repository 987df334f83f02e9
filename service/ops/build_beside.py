"""A build beside the index that serves meanwhile: which process begins it, when it is tried again,
and what is kept of its outcome.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread

from corpus.errors import RegulaError
from index.building.snapshots import Busy
from service.ops.ruling_watch import only_process

LONGEST_PAUSE = 300.0  # seconds before a build that failed is tried again, at most
_FIRST_PAUSE = 10.0  # seconds before it is tried again, and before another process looks whether the one that builds still does
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
    over = Event()
    Thread(
        target=_build_while,
        args=(due, build, index, report, over),
        name="build-beside",
        daemon=True,
    ).start()
    return over


def _build_while(
    due: Callable[[], bool],
    build: Callable[[], object],
    index: Path,
    report: Callable[[str], None],
    over: Event,
) -> None:
    pause = _FIRST_PAUSE
    while not over.is_set() and due():
        if not os.access(index, os.W_OK):
            report(
                f"{index}: cannot be written to; the index in use goes on serving until another process has built a new one there"
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
                        f"{fault}; the index in use goes on serving, and a new one is tried again in {pause:.0f} s"
                    )
                    over.wait(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
