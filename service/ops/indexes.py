"""Open, watch, replace, list and check the indexes of a service."""

from __future__ import annotations

import logging
import math
import os
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from corpus.errors import NotFound, RegulaError
from index.building.build import (
    BuildOptions,
    BuildResult,
    add_general_vectors,
    build,
    lacks_vectors,
    unencoded_texts,
)
from index.building.collection_ledger import CollectionLedger
from index.building.encoding_note import FILE as ENCODING
from index.building.fingerprints import Dependency, dependencies, differences, fits
from index.building.former_stage import former_kept
from index.building.opening import (
    OpenedIndex,
    changed_files,
    file_states,
    open_private_copy,
    open_snapshot,
)
from index.building.snapshots import SNAPSHOTS_KEPT, Damaged, Pointer, Snapshots
from index.files.durable import NoSpace, held_elsewhere
from index.memory import free_long_lived_objects, give_back_memory, long_lived_objects
from index.search import Index
from index.store.protocol import StoreUnreachable
from service.core.snapshot import IndexDescription, Snapshot
from service.editions.edition_changes import describe_new_versions
from service.ops.background import (
    LONGEST_PAUSE,
    WATCH_INTERVAL,
    Stamp,
    begin,
    build_noted,
    build_while,
    encode_while,
    watch_rulings,
)
from service.ops.settings import Locations
from service.schemas.health import IndexOut

# Seconds until the next attempt at a private copy or, if no snapshot was whole, at loading one
RETRY_SECONDS = 30.0


class NoIndex(RegulaError, RuntimeError):
    """No index can answer; the message says why."""


class NoSuchIndex(NotFound):
    """An index to roll back to does not exist; the message lists those that do."""


class IndexManager:
    """Loads the published snapshot and keeps it until `refresh` finds another one published.

    A snapshot is whole if `open` can verify it. ``report`` gets lines for the operator; ``keep`` is
    the number of snapshots on the disk. Published files are memory-mapped, since they never change.

    On file systems that cannot promise that, ``private`` maps an unlinked copy instead, so that
    nothing on the disk can alter the index or end the process. Without room for a copy, the
    published files are used until there is.
    """

    def __init__(
        self,
        locations: Locations,
        report: Callable[[str], None] = lambda _: None,
        keep: int = SNAPSHOTS_KEPT,
        private: bool = False,
    ):
        self._locations = locations
        self._report = report
        self._private = private
        self._opened: OpenedIndex | None = None
        self._snapshot: Snapshot | None = None  # made from `_opened`
        self._replaced: weakref.ref[Index] | None = None
        self._seen: object = None
        self._again = math.inf  # when `recover` tries again
        self._serving = False  # whether to report why an index is stale
        self.snapshots = Snapshots(locations.index, keep, report)

    def current(self) -> Snapshot | None:
        """Return the loaded snapshot; None before `ready`, and if no snapshot is whole any
        more.
        """
        return self._snapshot

    def description(self, id: str) -> IndexDescription | None:
        """Describe snapshot ``id``; None if it is gone or cannot be read."""
        try:
            encoder = self.snapshots.manifest(id).get("encoder")
            documents = (self.snapshots.path(id) / "documents").iterdir()
            return IndexDescription(
                str(encoder or ""), {path.name: path.stat().st_size for path in documents}
            )
        except (OSError, Damaged):
            return None

    def _fits(self) -> bool:
        """Return whether the published index was built from these rulebooks and settings; without
        rulebooks, any index fits.
        """
        here = self._locations
        if here.serves_only:
            return self.snapshots.current() is not None
        return fits(self.snapshots, here.rulebooks, here.encoder, here.store, here.general)

    def id_if_it_stays(self) -> str | None:
        """Return the id of the published index if it can be verified and either fits, or was
        rolled back to or pulled; else None.
        """
        id = self.snapshots.current()
        try:
            if id is None or not (self._pinned() or self._fits()):
                return None
            self.snapshots.verify(id)
        except Damaged as fault:
            self._report(str(fault))
            return None
        return id

    def build(
        self, wait: float = 0.0, fresh: bool = False, encode_later: bool = False
    ) -> BuildResult:
        """Build and publish, and report what changed since the published index. Raises what
        `index.building.build.build` raises.

        Waits up to ``wait`` seconds for another build. With ``fresh``, the encoder is trained anew,
        whatever the published index has. Passages for the slow general encoder are encoded after
        that, and the index is published again; with ``encode_later``, this is left to
        `encode_left`.
        """
        before = self.snapshots.current()
        here = self._locations
        if here.serves_only:
            raise NoIndex(
                f"{here.index}: no rulebooks are here to build an index of; 'regula index pull' "
                "takes one from where it is built"
            )
        # Every build fills a database, so two would take longer than waiting.
        options = replace(self._options(), fresh=fresh, wait=wait, later=not here.store)
        with build_noted(here.index):
            built = build(here.rulebooks, self.snapshots, options, self._report)
        for line in built.left_out:
            self._report(line)
        if before is not None:
            for line in describe_new_versions(self.snapshots, before, built.id):
                self._report(line)
        id = None if encode_later else self.encode_left()
        return replace(built, id=id) if id else built

    def encode_left(self) -> str | None:
        """Encode the passages that a build left for the general encoder, and publish the index
        again. Return its id, None if nothing was left. Raises as `build`.
        """
        return add_general_vectors(
            self._locations.rulebooks, self.snapshots, self._options(), self._report
        )

    def encode_beside(self, encode: Callable[[], object], interval: float) -> Event:
        """Check every ``interval`` seconds, in a thread of the calling process, whether a build has
        left passages for the general encoder, and call ``encode`` for them.
        """

        def lacks() -> bool:
            here = self._locations
            return bool(lacks_vectors(here.rulebooks, self.snapshots, self._options()))

        def elsewhere() -> bool:
            return held_elsewhere(self.snapshots.folder / ENCODING)

        return encode_while(self.snapshots.stamp, lacks, elsewhere, encode, interval, self._report)

    def _options(self) -> BuildOptions:
        here = self._locations
        return BuildOptions(
            encoder=here.encoder, store=here.store, token=here.store_token, general=here.general
        )

    def rollback(self, id: str | None = None, wait: float = 0.0) -> str:
        """Verify and publish snapshot ``id``, by default the last whole one before the published
        one. Return its id.

        It is pinned: it serves until the next `build`, whether it fits the rulebooks or not. Raises
        `NoSuchIndex`, `Damaged` for an ``id`` that is not whole, and what `Snapshots.locked`
        raises.
        """
        with self.snapshots.locked(
            wait, lambda: self._report("a build is under way; waiting for it")
        ):
            here, now = self.snapshots.all(), self.snapshots.current()
            if id is not None and id not in here:
                raise NoSuchIndex(f"no index {id!r} here; there are: {', '.join(here) or 'none'}")
            for candidate in [id] if id else self.snapshots.rollback_candidates():
                try:
                    self.open(candidate)
                except Damaged as fault:
                    if id:
                        raise
                    self._report(f"{fault}; trying an older one")
                    continue
                place = self.snapshots.path(candidate)
                with former_kept(self.snapshots, now, place, self._report):
                    self.snapshots.pin(candidate)
                CollectionLedger(self.snapshots, self._locations.store_token).reconcile(
                    self._report
                )
                return candidate
        wanted = f"no older index than {now}" if now else "no index"
        raise NoSuchIndex(
            f"{self._locations.index}: {wanted} that is whole; 'regula indexes' lists those there "
            "are"
        )

    def ready(self, build: Callable[[float], object] | None = None) -> Snapshot:
        """Return the index to answer with: the published one if it fits the rulebooks or is
        pinned, else a newly built one.

        It is built by `build`, or by the given ``build``, which is called with the seconds to wait.
        If building fails, the reason is reported and the last whole snapshot serves. If none is
        whole, one is built, or awaited if another process is building it. Raises `NoIndex` if
        there is none in the end.
        """
        self.snapshots.tidy()
        tried = False
        try:
            if not self._pinned() and not self._fits():
                tried = True
                (build or self.build)(0.0 if self.snapshots.all() else math.inf)
        except (RegulaError, OSError) as fault:
            if not self.snapshots.all():
                raise NoIndex(str(fault)) from fault
            self._report(f"{fault}; the last good index serves")
        except Exception:
            if not self.snapshots.all():
                raise
            logging.getLogger(__name__).exception(
                "a fault of the program ended the build; the last good index serves"
            )
        try:
            return self.load()
        except NoIndex as none:
            if tried:
                raise
            self._report(f"{none}; it is done now")
        return self._built(build or self.build)

    def ready_to_serve(self, build: Callable[[float], object] | None) -> Snapshot:
        """Return the index to serve from: any that can be read, whether it fits or not, so that an
        upgrade causes no outage.

        If there is none, ``build`` is called with the seconds to wait for another build; if
        ``build`` is None, this waits until somebody else publishes one. Raises `NoIndex`, and
        `StoreUnreachable` if the store of the published index does not answer.
        """
        self._serving = True
        self.snapshots.tidy()
        pinned = self._pinned()
        try:
            loaded = self.load()
        except (NoIndex, StoreUnreachable) as none:
            if isinstance(none, StoreUnreachable) and self._fits():
                raise
            if self.snapshots.all():
                self._report(f"{none}; it is done now" if build else str(none))
            loaded = self._built(build) if build else self._awaited()
        if loaded.stale and not pinned:
            self._report(
                f"index {loaded.id} serves although it does not fit any more "
                f"({', '.join(loaded.stale)}); "
                + (
                    "a new one is built beside it"
                    if build
                    else "a new one has to be built and published"
                )
            )
        return loaded

    def _built(self, build: Callable[[float], object]) -> Snapshot:
        try:
            build(math.inf)
        except (RegulaError, OSError) as fault:
            raise NoIndex(str(fault)) from fault
        return self.load()

    def _awaited(self) -> Snapshot:
        """Wait until an index is published and return it."""
        self._report(f"waiting for an index to be published in {self._locations.index}")
        seen = self.snapshots.stamp()
        while True:
            time.sleep(WATCH_INTERVAL)
            if seen != (seen := self.snapshots.stamp()):
                try:
                    return self.load()
                except NoIndex as none:
                    self._report(str(none))

    def build_beside(self, build: Callable[[], object]) -> Event:
        """Start a thread in the calling process that calls ``build`` if the present index does not
        fit.

        Only one of the processes that serve from the folder builds, and only as long as nothing
        else is published there: an operator who rolls back wants that index, and a service of
        another version may have its own.
        """
        now, published = self.current(), self.snapshots.current()

        def due() -> bool:
            pointer = self.snapshots.pointer()
            return pointer is not None and pointer.id == published and not pointer.stays

        return build_while(
            due if now is not None and now.stale else lambda: False,
            build,
            self.snapshots.folder,
            self._report,
        )

    def _pinned(self) -> bool:
        pointer = self.snapshots.pointer()
        if pointer is None or not pointer.stays:
            return False
        how = "was rolled back to and" if pointer.pinned else "was pulled and"
        self._report(
            f"index {pointer.id} {how} serves, whatever the rulebooks are now, until the next "
            "'regula build'"
        )
        return True

    def load(self) -> Snapshot:
        """Return the published snapshot, or the newest whole one. Raises `NoIndex` if there is
        none, and as `open`.
        """
        return self._load(self._report)

    def _load(self, report: Callable[[str], None]) -> Snapshot:
        self._seen = self.snapshots.stamp()
        pointer = self.snapshots.pointer()
        for id in self._candidates(pointer):
            try:
                opened = self._open(id)
            except Damaged as fault:
                report(f"{fault}; trying an older one")
                continue
            if pointer and id != pointer.id:
                self._report(
                    f"index {id} serves instead of {pointer.id}; 'regula build' publishes a new one"
                )
            return self._use(opened)
        raise NoIndex(f"{self._locations.index}: no index that can be used; run 'regula build'")

    def _candidates(self, pointer: Pointer | None) -> Iterator[str]:
        named = [pointer.id, *self.snapshots.rollback_candidates()] if pointer else []
        yield from dict.fromkeys([*named, *self.snapshots.all()])

    def open(self, id: str) -> Index:
        """Open snapshot ``id`` and verify it: files by their hashes, contents by their counts,
        answers by smoke queries.

        Raises `Damaged`, and `StoreUnreachable` if its store does not answer.
        """
        return self._open(id).index

    def _open(self, id: str) -> OpenedIndex:
        with long_lived_objects():
            return open_snapshot(self.snapshots, id, self._locations.store_token, self._copies())

    def _copies(self) -> list[Path]:
        """Return the folders that a private copy may be made in, the best first."""
        if not self._private:
            return []
        try:
            return [self.snapshots.folder, Path(tempfile.gettempdir())]
        except FileNotFoundError:  # no writable temporary folder
            return [self.snapshots.folder]

    def _use(self, opened: OpenedIndex) -> Snapshot:
        """Answer from ``opened`` from now on."""
        id = opened.index.id
        snapshot = Snapshot(
            opened.index,
            self.snapshots.path(id),
            self._differences(id) if self._serving else (),
            unencoded_texts(self.snapshots, id),
        )
        self._replace(opened, snapshot)
        self._again = time.monotonic() + RETRY_SECONDS if opened.no_copy_reason else math.inf
        if opened.no_copy_reason:
            self._report(
                f"index {snapshot.id} is read where it was published and must not be touched "
                f"there: {opened.no_copy_reason}"
            )
        return snapshot

    def _differences(self, id: str) -> tuple[str, ...]:
        """Return which dependencies of index ``id`` (rulebooks, program, settings) have changed;
        none if it is built elsewhere.
        """
        here, pointer = self._locations, self.snapshots.pointer()
        if here.serves_only or (pointer is not None and pointer.pulled):
            return ()
        try:
            return differences(
                self.snapshots.manifest(id),
                dependencies(here.rulebooks, here.encoder, here.store, here.general),
            )
        except OSError:  # the folder of the rulebooks is gone or not readable
            return (Dependency.RULEBOOKS.value,)

    def _use_none(self) -> None:
        """Unload the index."""
        self._replace(None, None)
        self._again = time.monotonic() + RETRY_SECONDS

    def _replace(self, opened: OpenedIndex | None, snapshot: Snapshot | None) -> None:
        self._replaced = weakref.ref(self._opened.index) if self._opened else None
        self._opened, self._snapshot = opened, snapshot

    def refresh(self, answering: bool = True) -> bool:
        """Load the published index if it is not the one in use, which answers until then. Return
        whether the index changed.

        A process that is not ``answering`` frees the old index first, so that the new one takes its
        place in memory, and loads the old one again if the new one is unusable. Raises `Damaged` if
        it is. The index in use is then kept, and also if the file ``current`` names no index.
        """
        stamp = self.snapshots.stamp()
        if stamp == self._seen:
            return False
        pointer, now = self.snapshots.pointer(), self.current()
        fresh = pointer is not None and not pointer.fault and (now is None or now.id != pointer.id)
        if pointer is not None and fresh:
            if answering or now is None:
                self._use(self._open(pointer.id))
            else:
                self._exchange(now.id, pointer.id)
            self._report(f"index {pointer.id} was published and serves now")
        self._seen = stamp
        return fresh

    def _exchange(self, old: str, new: str) -> None:
        """Free index ``old`` and load ``new``, or ``old`` again if ``new`` is unusable. Raises
        `Damaged`.
        """
        self.snapshots.verify(new)
        self._replace(None, None)
        self.release()
        try:
            self._use(self._open(new))
        except BaseException:
            self._use(self._open(old))
            raise
        finally:
            give_back_memory()

    def recover(self) -> bool:
        """Drop an index whose mapped files were altered, and try from time to time to improve the
        state. Return whether the index changed or is gone.

        An improvement is a private copy, or any whole index if none is loaded.
        """
        return self._left() or self._improved()

    def _left(self) -> bool:
        now = self._opened
        if now is None or not now.file_states:
            return False
        id = now.index.id
        marks = file_states(self.snapshots.path(id), now.file_states)
        if not (names := changed_files(now.file_states, marks)):
            return False
        try:
            self.snapshots.verify(id, names=names)
        except Damaged as fault:
            # At once: the kernel ends a process that reads a missing part of a mapped file
            self._use_none()
            self._report(f"{fault}; it is not used any more")
            try:
                self.load()
            except NoIndex as none:
                self._report(str(none))
            return True
        self._opened = replace(now, file_states=marks)
        return False

    def _improved(self) -> bool:
        if time.monotonic() < self._again:
            return False
        self._again = time.monotonic() + RETRY_SECONDS
        now = self.current()
        try:
            if now is None:
                self._load(lambda _: None)
            else:
                with long_lived_objects():
                    index = open_private_copy(
                        self.snapshots, now.id, self._locations.store_token, self._copies()
                    )
                self._use(OpenedIndex(index))
                self._report(f"index {now.id} is read from a private copy again")
        except (NoIndex, NoSpace, Damaged):
            return False
        return True

    def release(self) -> bool:
        """Free the index that `refresh` replaced. Return whether it is gone, which it is not while
        a request still reads from it.
        """
        free_long_lived_objects()
        return self._replaced is None or self._replaced() is None

    def watch(self, interval: float = WATCH_INTERVAL, loads: bool = True) -> Event:
        """Call `recover` every ``interval`` seconds and, if this process ``loads`` published
        indexes, `refresh`.

        This runs in a thread of the calling process, which ends when the event is set.
        """
        looks = self.looks(interval, loads)

        def look_on(over: Event) -> None:
            while not over.wait(interval):
                looks.look()

        return begin("index-watch", look_on)

    def looks(
        self, interval: float = WATCH_INTERVAL, loads: bool = True, answering: bool = True
    ) -> IndexWatch:
        """Return an object that does the work of `watch` one step at a time; ``answering`` says if
        this process answers or only starts processes that do.
        """
        return IndexWatch(self, interval, self._report, loads, answering)

    def watch_rulings(
        self, home: Path, known: Stamp, build: Callable[[], None], interval: float = WATCH_INTERVAL
    ) -> Event:
        """Start a thread in the calling process that calls ``build`` when the rulings of ``home``
        differ from the ``known`` ones.

        An index that was rolled back to goes on serving whatever changes.
        """

        def build_unless_pinned() -> None:
            pointer = self.snapshots.pointer()
            if pointer is None or not pointer.stays:
                build()

        return watch_rulings(
            home, self.snapshots.folder, known, build_unless_pinned, interval, self._report
        )


class IndexWatch:
    """Looks after ``indexes``: loads published ones, drops altered ones and frees replaced ones.

    ``loads`` says whether this process loads published indexes, ``answering`` whether it needs the
    old index meanwhile. ``report`` gets a line for each unusable index. A failed load is tried
    again after ``interval`` seconds, then after longer ones.
    """

    def __init__(
        self,
        indexes: IndexManager,
        interval: float,
        report: Callable[[str], None],
        loads: bool = True,
        answering: bool = True,
    ):
        self._indexes, self._interval, self._report = indexes, interval, report
        self._loads, self._answering = loads, answering
        self._failed: object = None  # the publication that could not be loaded
        self._fault_before = ""  # the last error of `recover`
        self._pause, self._again = interval, 0.0
        self._changed, self._patience, self._next_release = (
            False,
            interval,
            0.0,
        )  # whether a replaced index may still be in memory

    def look(self) -> bool:
        """Check once, and return whether the index changed or is gone."""
        if self._changed and time.monotonic() >= self._next_release:
            self._changed = (
                not self._indexes.release()
            )  # not before the requests to the old index are over
            self._patience = min(2 * self._patience, LONGEST_PAUSE)
            self._next_release = time.monotonic() + self._patience
        moved = self._recovered() or (self._loads and self._refreshed())
        # A process that only starts others has freed the old index already; a later garbage
        # collection would unshare the memory of its workers.
        if moved and self._answering:
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
            ):  # otherwise another one was published, and this one perhaps removed
                if stamp != self._failed:
                    self._report(f"{fault}; the index in use goes on serving")
                    self._pause = self._interval
                self._failed, self._pause = stamp, min(2 * self._pause, LONGEST_PAUSE)
                self._again = time.monotonic() + self._pause
            return False
        self._failed = None
        return moved


def inventory(
    snapshots: Snapshots, opened: Callable[[str], object] | None = None
) -> list[IndexOut]:
    """List the snapshots on the disk, newest first. Each is verified with ``opened``, which raises
    `Damaged`.
    """
    return [_row(snapshots, id, opened) for id in snapshots.all()]


def _row(snapshots: Snapshots, id: str, opened: Callable[[str], object] | None) -> IndexOut:
    pointer = snapshots.pointer()
    manifest: dict[str, Any] = {}
    fault = None
    try:
        manifest = snapshots.manifest(id)
        snapshots.files(id)
        if opened:
            opened(id)
    except Damaged as found:
        fault = str(found)
    counts = manifest.get("counts")
    counts = counts if isinstance(counts, dict) else {}
    built, encoder = manifest.get("built"), manifest.get("encoder")
    current = pointer is not None and pointer.id == id
    return IndexOut(
        id=id,
        built=built if isinstance(built, str) else None,
        editions=_number(counts.get("editions")),
        passages=_number(counts.get("passages")),
        encoder=encoder if isinstance(encoder, str) else "",
        bytes=_bytes(snapshots.path(id)),
        current=current,
        pinned=current and pointer is not None and pointer.pinned,
        pulled=current and pointer is not None and pointer.pulled,
        whole=False if fault else True if opened else None,
        fault=fault,
    )


def _number(found: object) -> int | None:
    return found if isinstance(found, int) else None


def _bytes(folder: Path) -> int:
    """Return the size of all files in ``folder``, except those that are removed meanwhile."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.stat(os.path.join(place, name)).st_size
    return found


def as_table(rows: Sequence[IndexOut]) -> str:
    """Return the rows as a table for a terminal, the published snapshot marked with ``*``."""
    if not rows:
        return "no index yet; 'regula build' makes the first"
    return "\n".join(map(_line, rows))


def _line(row: IndexOut) -> str:
    state = {None: "", True: ", whole", False: f", damaged: {row.fault}"}[row.whole]
    pinned = (
        ", rolled back to: serves until the next build"
        if row.pinned
        else ", pulled from where it was built"
        if row.pulled
        else ""
    )
    return (f"{'*' if row.current else ' '} {row.id}  built {row.built}, {row.editions} editions, "
            f"{row.passages} passages, "
            f"encoder {row.encoder or 'built-in'}, {row.bytes / 1e6:,.0f} "
            f"MB{pinned}{state}")  # fmt: skip
