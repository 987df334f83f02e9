"""The packs by which browsers answer without a network: made once in the background, stored beside the indexes for all processes."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from contextlib import suppress
from pathlib import Path

from corpus.model import Passage
from index.building.snapshots import MANIFEST, Snapshots
from index.files.program import program_hash
from index.library.library import Library
from index.model import Hit
from index.offline.pack import NoPack
from index.search import Index
from service.answers.offline import build_pack
from service.browse.entry_view import quoted_passage
from service.core.contents import SnapshotContents
from service.core.i18n import N_, TranslatableText
from service.core.jobs.stored_works import Preparing, Work, forget, is_stored, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot

FOLDER = ".offline"  # in the folder of the indexes
_FRAGMENTS = "fragments"
_PATIENCE = 0.2  # seconds that a request waits for a pack that is being made
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PACKAGES = ("corpus", "glossary", "index", "service")
_LOG = logging.getLogger(__name__)
_PAGE = (N_("This request cannot be answered"), N_("The rulebook is being prepared for asking offline. Please try again in a few seconds."))


def pack_work(snapshot: SnapshotContents, game: str) -> Work[bytes]:
    """Return the work of making the pack of ``game``: its fragments are stored beside the indexes, its result is its manifest, as JSON."""
    return Work(("pack", snapshot.id, game), _build_and_store, (game,), slow=True)


def pack_manifest(snapshot: Snapshot, game: str) -> bytes:
    """Return the manifest of the pack of ``game``, as JSON; the first call begins to make the pack.

    Raises `Problem` 503 while it is not ready, 404 for an unknown game or an index that browsers cannot ask.
    """
    if game not in snapshot.library.games:
        raise Problem.unknown(N_("There is no such game here; GET /v1/editions lists those there are."), "game")
    if not can_be_packed(snapshot):
        raise Problem.unknown(N_("This index is not one that can be asked without a network."))
    try:
        return stored(snapshot, pack_work(snapshot, game), patience=_PATIENCE)
    except NoPack as fault:
        raise Problem.unknown(
            TranslatableText(N_("This index is not one that can be asked without a network (%(reason)s)."), {"reason": str(fault)})
        ) from fault
    except Preparing as fault:
        raise Problem(503, N_("The pack is being made. Ask again in a few seconds."), page=_PAGE) from fault
    except (OSError, Problem) as fault:
        raise Problem(503, N_("The pack could not be made; the log says why. Ask again in a minute."), page=_PAGE) from fault


def can_be_packed(snapshot: Snapshot) -> bool:
    """Return whether browsers can be given the passages of ``snapshot``: not where they are searched on another machine."""
    return snapshot.folder is not None and not snapshot.waits


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
    for game in snapshot.library.games:
        work = pack_work(snapshot, game)
        if is_stored(snapshot.folder, work) and sha256.encode() in stored(snapshot, work):
            _LOG.warning("fragment %s in %s is gone or damaged; the pack of %s is made anew", sha256, place, game)
            forget(snapshot.folder, work)
            with suppress(OSError):
                (place / _FRAGMENTS / sha256).unlink()
    raise unknown


def _place(folder: Path) -> Path:
    """Return the folder of the packs of the snapshot in ``folder``; another version of the program has one of its own."""
    return folder.parent / FOLDER / f"{folder.name}-{program_hash(_PACKAGES)[:12]}"


def _build_and_store(contents: SnapshotContents, game: str) -> bytes:
    """Build a pack, store it, and return its manifest; this runs in a helper process."""
    folder = contents.folder
    assert folder is not None
    place = _place(folder)
    snapshot = Snapshot(Index.load(folder), folder)
    pack = build_pack(snapshot, game, lambda passage: _shown(snapshot.library, passage))
    Snapshots(folder.parent).verify(folder.name)  # what comes of files that were altered meanwhile is shown to nobody
    pack.save(place)
    _tidy(place.parent)
    return pack.manifest_bytes


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
