"""Open a snapshot for answering, from a private copy or in place: verify it, load it, and run its
smoke queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.errors import RegulaError
from index.building.fingerprints import built_by_this_program
from index.building.snapshots import MANIFEST, Damaged, Snapshots
from index.files.durable import NoSpace, private_copy
from index.layers.passages import Layer
from index.library.library import Library
from index.model import Query
from index.search import Index
from index.store.protocol import StoreUnreachable

PROBES = 40  # headings that are searched in a new index
RECORDED = 8  # of these, evenly chosen, are searched again at every load

FileStates = Mapping[str, tuple[int, int, int, int]]
"""Device, inode, size and time of change of files, by name."""


class CheckFailed(RegulaError, RuntimeError):
    """An index lacks contents or does not find them; it is neither published nor loaded."""


@dataclass(frozen=True)
class OpenedIndex:
    """An opened index. If it is not read from a private copy: the reason, and the states of the
    published files that it maps.
    """

    index: Index
    no_copy_reason: str = ""
    file_states: FileStates = field(default_factory=dict)


def open_snapshot(
    snapshots: Snapshots, id: str, token: str = "", places: Sequence[Path] = ()
) -> OpenedIndex:
    """Open snapshot ``id`` from a private copy in one of ``places``, or in place if there are none
    or none has room.

    Raises what `open_private_copy` raises, except `NoSpace`.
    """
    snapshots.check_format(id)
    reason = ""
    if places:
        try:
            return OpenedIndex(open_private_copy(snapshots, id, token, places))
        except NoSpace as fault:
            reason = str(fault)
    folder = snapshots.path(id)
    states = file_states(folder, snapshots.files(id))
    snapshots.verify(id)
    return OpenedIndex(_load(snapshots, id, folder, token), reason, states)


def open_private_copy(snapshots: Snapshots, id: str, token: str, places: Sequence[Path]) -> Index:
    """Open snapshot ``id`` from a copy that nobody else can change; the copy is verified.

    Raises `Damaged`, `NoSpace`, and `StoreUnreachable` if its store does not answer.
    """
    names = [MANIFEST, *snapshots.files(id)]
    try:
        with private_copy(snapshots.path(id), names, places) as folder:
            snapshots.verify(id, folder)
            return _load(snapshots, id, folder, token)
    except FileNotFoundError as fault:
        raise Damaged(f"snapshot {id}: {fault.filename} is missing") from fault


def _load(snapshots: Snapshots, id: str, folder: Path, token: str) -> Index:
    try:
        manifest = snapshots.manifest(id)
        found = Index.load(folder, token)
        confirm_index(found, manifest, built_by_this_program(manifest))
    except StoreUnreachable:
        raise
    except Exception as fault:  # libraries may raise anything at damaged content
        reason = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise Damaged(f"snapshot {id}: cannot be used ({reason})") from fault
    return found


def file_states(folder: Path, names: Iterable[str]) -> FileStates:
    """Return the states of the files ``names`` of ``folder``, by which changes are detected;
    missing files are left out.
    """
    found = {}
    for name in names:
        with suppress(OSError):
            state = (folder / name).stat()
            found[name] = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    return found


def changed_files(before: FileStates, now: FileStates) -> list[str]:
    """Return the names of the files that were written to between two states. Removed or replaced
    files do not count: processes that have mapped them keep the old content.
    """
    return [
        name
        for name, state in now.items()
        if name in before and before[name][:2] == state[:2] and before[name] != state
    ]


def choose_probes(index: Index) -> list[dict[str, str]]:
    """Ask a new index for its own headings; return the smoke queries for every load, each with the
    entry that has to come first.

    Raises `CheckFailed` if fewer than half of the headings are found.
    """
    library = index.library
    own = [library.entry[p.entry] for p in library.searchable if p.ordinal == 0]
    probes = own[:: max(len(own) // PROBES, 1)]
    found, first = 0, []
    for entry in probes:
        hits = index.search(Query(entry.title, entry.edition, layers=(Layer.RULEBOOK,))).hits
        entries = [library.entry[hit.passage.entry] for hit in hits]
        found += any(each.id == entry.id or each.title == entry.title for each in entries)
        if entries and entries[0].id == entry.id:
            first.append({"question": entry.title, "edition": entry.edition, "entry": entry.id})
    if found * 2 < len(probes):
        raise CheckFailed(
            f"the new index finds only {found} of {len(probes)} of its own headings; it is not "
            "published"
        )
    return first[:: max(-(-len(first) // RECORDED), 1)]


def library_counts(library: Library) -> dict[str, int]:
    """Count the editions, entries and passages of a library, for the manifest of its index."""
    return {
        "editions": len(library.editions),
        "entries": len(library.entries),
        "passages": len(library.passages),
    }


def confirm_index(index: Index, manifest: Mapping[str, Any], compared: bool = True) -> None:
    """Raise `CheckFailed` if a loaded index does not contain, or does not find, what its manifest
    says.

    Half of the smoke queries must have their entry first: another processor may round differently,
    and swap hits that are equally good. If another version of the program built the index, it may
    have ranked differently: its queries are run but not ``compared``, which shows that this version
    can read it. Running them also warms up what an index prepares for its first question.
    """
    held = library_counts(index.library)
    if manifest.get("counts", held) != held:
        raise CheckFailed(f"holds {held}, its manifest says {manifest['counts']}")
    probes: Sequence[Mapping[str, str]] = manifest.get("probes", ())
    found = 0
    for probe in probes:
        query = Query(probe["question"], probe["edition"], k=1, layers=(Layer.RULEBOOK,))
        hits = index.search(query).hits
        found += bool(hits) and hits[0].passage.entry == probe["entry"]
    if compared and found * 2 < len(probes):
        raise CheckFailed(
            f"finds only {found} of {len(probes)} entries that it found when it was built"
        )
