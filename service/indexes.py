"""The index that answers: the published snapshot, built first where none fits, the last good one where it is damaged."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator
from threading import Event

from corpus.errors import NotFound, RegulaError
from corpus.model import Rulebook
from index.building.build import Built, build, fits
from index.building.ledger import Ledger
from index.building.probes import confirm
from index.building.snapshots import KEPT, Damaged, Pointer, Snapshots
from index.building.versions import opened
from index.library import library
from index.memory import release
from index.search import Index
from index.store.store import Unreachable
from service.renewing import renewed
from service.settings import Places
from service.snapshot import Description
from service.watching import INTERVAL, watch

_FAULTS = (OSError, ValueError, KeyError, RuntimeError)


class NoIndex(RegulaError, RuntimeError):
    """There is no index that could answer; the message says why."""


class NoSuchIndex(NotFound):
    """An index to roll back to that is not there; the message says which there are."""


class Indexes:
    """Loads the published snapshot and keeps it until `refresh` finds another one published.

    ``say`` is told in one line what an operator should know; ``kept`` is the number of snapshots on the disk.
    """

    def __init__(self, places: Places, say: Callable[[str], None] = lambda _: None, kept: int = KEPT):
        self._places = places
        self._say = say
        self._loaded: Index | None = None
        self._replaced: weakref.ref[Index] | None = None
        self._seen: object = None
        self.snapshots = Snapshots(places.index, kept)

    def current(self) -> Index | None:
        """The loaded index, None before `ready`."""
        return self._loaded

    def description(self, id: str) -> Description | None:
        """What snapshot ``id`` says of itself; None where it is gone or cannot be read."""
        try:
            encoder = self.snapshots.manifest(id).get("encoder")
            documents = (self.snapshots.path(id) / "documents").iterdir()
            return Description(str(encoder or ""), {path.name: path.stat().st_size for path in documents})
        except (OSError, Damaged):
            return None

    def rulebooks(self, snapshot: str) -> list[Rulebook]:
        """The rulebooks of a snapshot, read again from its documents. Raises `OSError`, `ValueError` or `KeyError` where it is damaged."""
        return [book for document in library.documents(self.snapshots.path(snapshot)) if (book := opened(document))]

    def build(self, wait: float = 0.0, fresh: bool = False) -> Built:
        """Build and publish, and say what changed since the published one; what `index.building.build.build` raises is raised.

        Another build is waited for ``wait`` seconds. ``fresh``: the encoder is trained anew, whatever the published index has.
        """
        before = self.snapshots.current()
        here = self._places
        built = build(here.rulebooks, self.snapshots, here.encoder, self._say, wait, fresh, here.store, here.store_token)
        for line in built.left_out:
            self._say(line)
        if before is not None:
            for line in renewed(self.snapshots, before, built.id):
                self._say(line)
        return built

    def rollback(self, id: str | None = None, wait: float = 0.0) -> str:
        """Publish snapshot ``id``, else the last whole one before the published one, once it is verified; its id.

        It is pinned: it serves until the next `build`, whether it fits the rulebooks or not. Raises `NoSuchIndex`, `Damaged` for
        an ``id`` that is not whole, and what `Snapshots.held` raises.
        """
        with self.snapshots.held(wait, lambda: self._say("a build is under way; waiting for it")):
            here, now = self.snapshots.all(), self.snapshots.current()
            if id is not None and id not in here:
                raise NoSuchIndex(f"no index {id!r} here; there are: {', '.join(here) or 'none'}")
            for candidate in [id] if id else self.snapshots.before():
                try:
                    self.open(candidate)
                except Damaged as fault:
                    if id:
                        raise
                    self._say(f"{fault}; trying an older one")
                    continue
                self.snapshots.pin(candidate)
                Ledger(self.snapshots, self._places.store_token).settle(self._say)
                return candidate
        raise NoSuchIndex(f"{self._places.index}: no older index than {now} that is whole; 'regula indexes' lists those there are")

    def ready(self, build: Callable[[float], object] | None = None) -> Index:
        """The index to answer with: the published one where it fits the rulebooks or was rolled back to, else a newly built one.

        It is built by `build`, or by another ``build`` that is given, which is told as well how many seconds to wait. Where building
        fails, the last good snapshot serves and the reason is said; where there is none, another process that builds the first one
        is waited for. Raises `NoIndex` where there is none in the end.
        """
        self.snapshots.tidy()
        if self._pinned():
            return self.load()
        try:
            if not fits(self.snapshots, self._places.rulebooks, self._places.encoder, self._places.store):
                (build or self.build)(0.0 if self.snapshots.all() else math.inf)
        except _FAULTS as fault:
            if not self.snapshots.all():
                raise NoIndex(str(fault)) from fault
            self._say(f"{fault}; the last good index serves")
        return self.load()

    def _pinned(self) -> bool:
        pointer = self.snapshots.pointer()
        if pointer is None or not pointer.pinned:
            return False
        self._say(f"index {pointer.id} was rolled back to and serves, whatever the rulebooks are now, until the next 'regula build'")
        return True

    def load(self) -> Index:
        """The published snapshot, or the newest one that is whole. Raises `NoIndex` where there is none, `Unreachable` as `open`."""
        self._seen = self.snapshots.stamp()
        pointer = self.snapshots.pointer()
        for id in self._candidates(pointer):
            try:
                self._loaded = self.open(id)
            except Damaged as fault:
                self._say(f"{fault}; trying an older one")
                continue
            if pointer and id != pointer.id:
                self._say(f"index {id} serves instead of {pointer.id}; 'regula build' publishes a new one")
            return self._loaded
        raise NoIndex(f"{self._places.index}: no index that can be used; run 'regula build'")

    def _candidates(self, pointer: Pointer | None) -> Iterator[str]:
        named = [pointer.id, *self.snapshots.before()] if pointer else []
        yield from dict.fromkeys([*named, *self.snapshots.all()])

    def open(self, id: str) -> Index:
        """Snapshot ``id``, verified: files against their hashes, what was read against its counts, probe questions.

        Raises `Damaged`, and `Unreachable` where its store does not answer.
        """
        self.snapshots.verify(id)
        try:
            found = Index.load(self.snapshots.path(id), self._places.store_token)
            confirm(found, self.snapshots.manifest(id))
        except Unreachable:
            raise
        except Exception as fault:  # what a library raises at content that it cannot read is anybody's guess
            reason = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
            raise Damaged(f"snapshot {id}: cannot be used ({reason})") from fault
        return found

    def refresh(self) -> bool:
        """Load what is published where that is not the index in use, which answers until then; whether another one answers now.

        Raises `Damaged` where it cannot be used; the one in use is kept.
        """
        stamp = self.snapshots.stamp()
        if stamp is None or stamp == self._seen:
            return False
        published = self.snapshots.current()
        fresh = published is not None and (self._loaded is None or self._loaded.id != published)
        if published is not None and fresh:
            replaced, self._loaded = self._loaded, self.open(published)
            self._replaced = weakref.ref(replaced) if replaced else None
        self._seen = stamp
        return fresh

    def release(self) -> bool:
        """Free the index that `refresh` replaced; whether it is gone, which it is not while something still reads from it."""
        release()
        return self._replaced is None or self._replaced() is None

    def watch(self, interval: float = INTERVAL) -> Event:
        """Begin to `refresh` every ``interval`` seconds, in a thread of the process that calls; it ends when the event is set."""
        return watch(self, interval, self._say)
