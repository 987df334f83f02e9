"""A thread that has a newly published index loaded while the old one goes on answering."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Protocol

WATCH_INTERVAL = 1.0  # seconds between two looks at what is published
LONGEST_PAUSE = 300.0  # seconds before an index that could not be loaded is tried again, at most


class RefreshableIndexes(Protocol):
    """Indexes that can look whether another one was published."""

    @property
    def snapshots(self) -> StampedSnapshots:
        """What is published."""

    def refresh(self) -> bool:
        """Load what is published; whether another index answers now. Raises `ValueError` or `OSError` where it cannot be used."""

    def recover(self) -> bool:
        """Leave an index that was altered on the disk, and a makeshift one where there is a better; whether another one answers now."""

    def release(self) -> bool:
        """Free the index that was replaced; whether it is gone."""


class StampedSnapshots(Protocol):
    """What changes with each publication."""

    def stamp(self) -> object:
        """Something that is another after each publication, cheap to get."""


def watch(indexes: RefreshableIndexes, interval: float, report: Callable[[str], None]) -> Event:
    """Look every ``interval`` seconds, in a daemon thread, whether another index was published; the event ends it.

    A thread does not survive a fork: call this in the process that answers.
    """
    over = Event()
    Thread(target=_watch, args=(indexes, interval, report, over), name="index-watch", daemon=True).start()
    return over


def _watch(indexes: RefreshableIndexes, interval: float, report: Callable[[str], None], over: Event) -> None:
    failed: object = None  # the publication that could not be loaded
    fault_before = ""  # why the index in use could not be bettered
    pause, again = interval, 0.0
    changed, patience, next_release = False, interval, 0.0  # whether a replaced index may still be in memory
    while not over.wait(interval):
        if changed and time.monotonic() >= next_release:
            changed = not indexes.release()  # not before the requests to the old index are over
            patience = min(2 * patience, LONGEST_PAUSE)
            next_release = time.monotonic() + patience
        moved = False
        try:
            moved = indexes.recover()
        except Exception as fault:
            if str(fault) != fault_before:
                report(str(fault))
            fault_before = str(fault)
        stamp = indexes.snapshots.stamp()
        if stamp != failed or time.monotonic() >= again:
            try:
                moved |= indexes.refresh()
            except Exception as fault:
                if indexes.snapshots.stamp() == stamp:  # else another one was published meanwhile, and this one perhaps removed
                    if stamp != failed:
                        report(f"{fault}; the index in use goes on serving")
                        pause = interval
                    failed, pause = stamp, min(2 * pause, LONGEST_PAUSE)
                    again = time.monotonic() + pause
            else:
                failed = None
        if moved:
            changed, patience, next_release = True, interval, 0.0
