"""Make results that visitors are known to ask for in advance, after an index is published, in a
process of low priority.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Event

from corpus.errors import RegulaError
from corpus.file_changes import held
from service.core.jobs.queue import JobQueue
from service.core.jobs.stored_files import FOLDER, ROOM, content_key, stored_bytes
from service.core.jobs.stored_works import is_stored, make_in
from service.core.snapshot import IndexSource, Snapshot
from service.editions.exports.formats import NothingToExport
from service.editions.known_requests import progress, works_of
from service.ops.background import begin

INTERVAL = 1.0  # seconds between two checks for another index
_LIMIT = 600.0  # seconds that one result may take: it runs behind everything else on the machine
_IDLE = 5.0  # seconds after which the idle process ends, since it has an index open
_NICE = 19
# First and longest wait, in seconds, before a failed or unstored result is tried again
_AGAIN = 60.0
_LONGEST = 3600.0
_SHARE = 0.8  # largest part of the room for results that is filled in advance
_LOG = logging.getLogger(__name__)


def prepare_in_background(
    indexes: IndexSource, interval: float = INTERVAL, stale: bool = True
) -> Event:
    """Start a daemon thread that prepares each index that ``indexes`` answers from; setting the
    returned event ends it.

    Without ``stale``, an index that does not fit is not prepared, because another one is being
    built. Of several processes one prepares an index; when it ends, another takes over. A thread
    does not survive a fork: call this in the process that answers.
    """

    def look_on(over: Event) -> None:
        def is_over(snapshot: Snapshot) -> bool:
            return over.is_set() or indexes.current() is not snapshot

        queue = JobQueue(_LIMIT, _IDLE, _NICE)
        done, tries = "", 0
        pause = interval
        while not over.wait(pause):
            pause = interval
            snapshot = indexes.current()
            if (
                snapshot is None
                or snapshot.folder is None
                or snapshot.id == done
                or (snapshot.stale and not stale)
            ):
                continue
            with _alone(snapshot.folder) as first:
                if not first:
                    continue
                if prepare(snapshot, queue, partial(is_over, snapshot)):
                    done, tries = snapshot.id, 0
                else:
                    pause, tries = min(_AGAIN * 2**tries, _LONGEST), tries + 1

    return begin("preparing", look_on)


def prepare(snapshot: Snapshot, queue: JobQueue, ended: Callable[[], bool] = lambda: False) -> bool:
    """Have ``queue`` make all results for ``snapshot`` that are not stored yet. Return whether
    nothing is left to try.

    It stops when ``ended`` returns true, when nothing can be stored, and when most of the room for
    results is filled, since requested results need some too. A result that fails is logged and
    skipped.
    """
    folder = snapshot.folder
    assert folder is not None
    failed = False
    for work in works_of(snapshot):
        if ended():
            return False
        if is_stored(folder, work):
            continue
        if stored_bytes(folder) > _SHARE * ROOM:
            _LOG.info(
                "index %s is prepared as far as there is room; the rest is made when it is asked "
                "for",
                snapshot.id,
            )
            return True
        try:
            make_in(queue, folder, work)
        except NothingToExport:  # reported to whoever asks for it
            continue
        except Exception as fault:
            _LOG.warning("%s could not be prepared: %s", " ".join(filter(None, work.name)), fault)
            failed = True
            continue
        if not is_stored(folder, work):
            return False
    found = progress(snapshot)
    _LOG.info(
        "index %s is prepared: %d of %d results are stored", snapshot.id, found.done, found.total
    )
    return not failed


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Lock the preparation of the snapshot in ``folder``, or of one with the same content, against
    other processes. Yield whether the lock was free.
    """
    place = folder.parent / FOLDER / content_key(folder)
    with ExitStack() as stack:
        try:
            place.mkdir(parents=True, exist_ok=True)
            stack.enter_context(held(place / ".preparing", 0.0))
        except (RegulaError, OSError):
            yield False
            return
        yield True
