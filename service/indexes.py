"""The index that answers: the published snapshot, built first where none fits, the last good one where it is damaged."""

from __future__ import annotations

from collections.abc import Callable

from corpus.model import Rulebook
from index import library
from index.build import Built, build, fits
from index.search import Index
from index.snapshots import Damaged, Snapshots
from index.versions import opened
from service.renewing import renewed
from service.settings import Places
from service.snapshot import Description

_FAULTS = (OSError, ValueError, KeyError, RuntimeError)


class NoIndex(RuntimeError):
    """There is no index that could answer; the message says why."""


class Indexes:
    """Loads the published snapshot once and keeps it."""

    def __init__(self, settings: Places, say: Callable[[str], None] = lambda _: None):
        self._settings = settings
        self._say = say
        self._loaded: Index | None = None
        self.snapshots = Snapshots(settings.index)

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

    def build(self) -> Built:
        """Build and publish, and say what changed since the published one; what `index.build.build` raises is raised."""
        before = self.snapshots.current()
        built = build(self._settings.rulebooks, self.snapshots, self._settings.encoder, self._say)
        for line in built.left_out:
            self._say(line)
        if before is not None:
            for line in renewed(self.snapshots, before, built.id):
                self._say(line)
        return built

    def ready(self) -> Index:
        """The index to answer with: the published one where it fits the rulebooks, else a newly built one.

        Where building fails, the last good snapshot serves and the reason is said. Raises `NoIndex` where there is none.
        """
        try:
            if not fits(self.snapshots, self._settings.rulebooks, self._settings.encoder):
                self.build()
        except _FAULTS as fault:
            if not self.snapshots.all():
                raise NoIndex(str(fault)) from fault
            self._say(f"{fault}; the last good index serves")
        return self.load()

    def load(self) -> Index:
        """The published snapshot, or the newest one that is whole. Raises `NoIndex` where there is none."""
        current = self.snapshots.current()
        for id in dict.fromkeys([*([current] if current else []), *self.snapshots.all()]):
            try:
                self.snapshots.verify(id)
                self._loaded = Index.load(self.snapshots.path(id))
                return self._loaded
            except (Damaged, *_FAULTS) as fault:
                self._say(f"{fault}; trying an older one")
        raise NoIndex(f"{self._settings.index}: no index that can be used; run 'regula build'")
