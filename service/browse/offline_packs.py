"""The packs by which browsers answer without a network: made once in the background, stored beside the indexes for all processes."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from corpus.model import Passage
from index.building.snapshots import MANIFEST, Damaged, Snapshots
from index.files.durable import Busy, NotWritable, locked
from index.files.program import program_hash
from index.library.library import Library
from index.model import Hit
from index.offline.pack import NoPack
from index.search import Index
from service.answers.offline import build_pack
from service.browse.entry_view import quoted_passage
from service.core.i18n import N_, TranslatableText
from service.core.jobs.background import BackgroundCache
from service.core.jobs.queue import JobQueue
from service.core.problems import Problem
from service.core.snapshot import Snapshot

FOLDER = ".offline"  # in the folder of the indexes
_FRAGMENTS = "fragments"
_SECONDS = 300.0  # for one pack; a rulebook of 3000 passages takes some ten
_IDLE = 30.0  # seconds after which the process that makes packs ends: it has an index open
_PAUSE = 60.0  # seconds after which a pack that could not be made is tried again
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PACKAGES = ("corpus", "glossary", "index", "service")
_LOG = logging.getLogger(__name__)
_PAGE = (N_("This request cannot be answered"), N_("The rulebook is being prepared for asking offline. Please try again in a few seconds."))


def pack_manifest(snapshot: Snapshot, game: str, patience: float = 0.0) -> bytes:
    """Return the manifest of the pack of ``game``, as JSON; the first call begins to make the pack.

    Raises `Problem` 503 while it is not ready within ``patience`` seconds, 404 for an unknown game or an index that browsers cannot ask.
    """
    if game not in snapshot.library.games:
        raise Problem.unknown(N_("There is no such game here; GET /v1/editions lists those there are."), "game")
    if snapshot.folder is None or snapshot.waits:
        raise Problem.unknown(N_("This index is not one that can be asked without a network."))
    folder, place = snapshot.folder, _place(snapshot.folder)
    if found := _read(place / f"{game}.json"):
        return found
    background: BackgroundCache[bytes] = snapshot.cache.get(("offline packs",), lambda: BackgroundCache(most=64, pause=_PAUSE))
    try:
        made = background.get((game,), lambda: _make(folder, game), patience)
    except NoPack as fault:
        raise Problem.unknown(
            TranslatableText(N_("This index is not one that can be asked without a network (%(reason)s)."), {"reason": str(fault)})
        ) from fault
    except (OSError, Damaged, Busy) as fault:
        raise Problem(503, N_("The pack could not be made; the log says why. Ask again in a minute."), page=_PAGE) from fault
    if made is not None and not (place / f"{game}.json").exists():  # somebody has removed it since
        background.forget((game,))
        made = None
    if made is None:
        raise Problem(503, N_("The pack is being made. Ask again in a few seconds."), page=_PAGE)
    return made


def pack_fragment(snapshot: Snapshot, sha256: str) -> bytes:
    """Return the fragment called ``sha256`` of a pack of ``snapshot``.

    Raises `Problem` 404 where no pack that was made of it has such a fragment. A damaged one is removed, and its packs made anew.
    """
    unknown = Problem.unknown(N_("No pack of the index in use has this fragment; ask for its manifest again."))
    if snapshot.folder is None or not _SHA256.fullmatch(sha256):
        raise unknown
    place = _place(snapshot.folder)
    try:
        found = (place / _FRAGMENTS / sha256).read_bytes()
    except OSError:
        found = b""
    if hashlib.sha256(found).hexdigest() == sha256:
        return found
    if spoilt := [path for path in place.glob("*.json") if sha256.encode() in (_read(path) or b"")]:
        _LOG.warning("fragment %s in %s is gone or damaged; its pack is made anew", sha256, place)
        with suppress(OSError):
            for path in spoilt:
                path.unlink()
            (place / _FRAGMENTS / sha256).unlink()
    raise unknown


def _place(folder: Path) -> Path:
    """Return the folder of the packs of the snapshot in ``folder``; another version of the program has one of its own."""
    return folder.parent / FOLDER / f"{folder.name}-{program_hash(_PACKAGES)[:12]}"


def _read(path: Path) -> bytes | None:
    """Return the manifest in ``path``; None where there is none, or it is damaged."""
    try:
        found = path.read_bytes()
        json.loads(found)
    except (OSError, ValueError):
        return None
    return found


def _make(folder: Path, game: str) -> bytes:
    """Make the pack of ``game`` where no other process has, and return its manifest."""
    place = _place(folder)
    path = place / f"{game}.json"
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(place / f"{game}.lock", _SECONDS))
        except NotWritable as fault:
            _LOG.warning("%s: packs for asking offline cannot be stored there (%s)", place.parent, fault)
            raise
        if not _read(path):
            _queue().run(_build_and_store, folder, place, game)
            _tidy(place.parent)
        found = _read(path)
    if found is None:
        raise OSError(f"{path} cannot be read")
    return found


@cache
def _queue() -> JobQueue:
    """The queue of this process: packs take longer than other jobs, which do not wait for them."""
    return JobQueue(_SECONDS, _IDLE)


os.register_at_fork(after_in_child=_queue.cache_clear)


def _build_and_store(folder: Path, place: Path, game: str) -> None:
    """Build a pack and store it in ``place``; this runs in the worker process."""
    snapshot = Snapshot(Index.load(folder), folder)
    pack = build_pack(snapshot, game, lambda passage: _shown(snapshot.library, passage))
    Snapshots(folder.parent).verify(folder.name)  # what comes of files that were altered meanwhile is shown to nobody
    pack.save(place)


def _shown(library: Library, passage: Passage) -> dict[str, object]:
    """Return how a page quotes ``passage``: its number in its entry, the heading, the entries around it, the page where it is read."""
    quoted = quoted_passage(library, Hit(passage, 0.0, ()))
    path = [[entry.id, entry.title] for entry in quoted.path]
    return {"ordinal": passage.ordinal, "heading": quoted.heading, "path": path, "page": quoted.page_entry.id}


def _tidy(packs: Path) -> None:
    """Remove the packs of snapshots that are gone."""
    for place in packs.iterdir():
        if not (packs.parent / place.name.rpartition("-")[0] / MANIFEST).exists():
            shutil.rmtree(place, ignore_errors=True)
