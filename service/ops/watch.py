"""Has a newly published index loaded while the old one goes on answering."""

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

    def refresh(self, answering: bool) -> bool:
        """Load what is published; whether another index answers now. Raises `ValueError` or
        `OSError` where it cannot be used.

        A process that is not ``answering`` can do without the index in use meanwhile.
        """

    def recover(self) -> bool:
        """Leave an index that was altered on the disk, and a makeshift one where there is a better;
        whether another one answers now.
        """

    def release(self) -> bool:
        """Free the index that was replaced; whether it is gone."""


class StampedSnapshots(Protocol):
    """What changes with each publication."""

    def stamp(self) -> object:
        """Something that is another after each publication, cheap to get."""


class IndexWatch:
    """Looks after ``indexes``: what is published is loaded, what was altered is left, what was
    replaced is freed.

    ``loads`` says whether this process loads what is published, ``answering`` whether it needs the
    old index until then; ``report`` gets a line for whatever cannot be used. What could not be
    loaded is tried again after ``interval`` seconds, and then after longer ones.
    """

    def __init__(
        self,
        indexes: RefreshableIndexes,
        interval: float,
        report: Callable[[str], None],
        loads: bool = True,
        answering: bool = True,
    ):
        self._indexes, self._interval, self._report = indexes, interval, report
        self._loads, self._answering = loads, answering
        self._failed: object = None  # the publication that could not be loaded
        self._fault_before = ""  # why the index in use could not be bettered
        self._pause, self._again = interval, 0.0
        self._changed, self._patience, self._next_release = (
            False,
            interval,
            0.0,
        )  # whether a replaced index may still be in memory

    def look(self) -> bool:
        """Look once; whether another index, or none, answers now."""
        if self._changed and time.monotonic() >= self._next_release:
            self._changed = (
                not self._indexes.release()
            )  # not before the requests to the old index are over
            self._patience = min(2 * self._patience, LONGEST_PAUSE)
            self._next_release = time.monotonic() + self._patience
        moved = self._recovered() or (self._loads and self._refreshed())
        if (
            moved and self._answering
        ):  # another has freed the old index; to look for garbage later would unshare what its workers share
            self._changed, self._patience, self._next_release = True, self._interval, 0.0
        return moved

    def _recovered(self) -> bool:
        try:
            return self._indexes.recover()
        except Exception as fault:
            if str(fault) != self._fault_before:
                self._report(str(fault))
            self._fault_before = str(fault)
            return False

    def _refreshed(self) -> bool:
        stamp = self._indexes.snapshots.stamp()
        if stamp == self._failed and time.monotonic() < self._again:
            return False
        try:
            moved = self._indexes.refresh(self._answering)
        except Exception as fault:
            if (
                self._indexes.snapshots.stamp() == stamp
            ):  # else another one was published meanwhile, and this one perhaps removed
                if stamp != self._failed:
                    self._report(f"{fault}; the index in use goes on serving")
                    self._pause = self._interval
                self._failed, self._pause = stamp, min(2 * self._pause, LONGEST_PAUSE)
                self._again = time.monotonic() + self._pause
            return False
        self._failed = None
        return moved


def watch(looks: IndexWatch, interval: float) -> Event:
    """Have ``looks`` look every ``interval`` seconds, in a daemon thread; the event ends it.

    A thread does not survive a fork: call this in the process that answers.
    """
    over = Event()

    def look_on() -> None:
        while not over.wait(interval):
            looks.look()

    Thread(target=look_on, name="index-watch", daemon=True).start()
    return over
