"""Opens a snapshot for answering: verifies it, loads it and asks its probe questions; from a
private copy, or in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from index.building.fingerprints import built_by_this_program
from index.building.probes import confirm_index
from index.building.snapshots import MANIFEST, Damaged, Snapshots
from index.files.private_copies import NoSpace, private_copy
from index.search import Index
from index.store.protocol import StoreUnreachable

FileStates = Mapping[
    str, tuple[int, int, int, int]
]  # device, inode, size and time of change of files, by name


@dataclass(frozen=True)
class OpenedIndex:
    """An index; where it is not read from a private copy, the reason, and the states of the
    published files that it maps.
    """

    index: Index
    no_copy_reason: str = ""
    file_states: FileStates = field(default_factory=dict)


def open_snapshot(
    snapshots: Snapshots, id: str, token: str = "", places: Sequence[Path] = ()
) -> OpenedIndex:
    """Open snapshot ``id`` from a private copy in one of ``places``; where none has room, or none
    is given, in place.

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
    """Open snapshot ``id`` from a copy that nobody else can change; the copy is verified: hashes of
    files, counts, probe questions.

    Raises `Damaged`, `NoSpace`, and `StoreUnreachable` where its store does not answer.
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
    except (
        Exception
    ) as fault:  # what a library raises at content that it cannot read is anybody's guess
        reason = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise Damaged(f"snapshot {id}: cannot be used ({reason})") from fault
    return found


def file_states(folder: Path, names: Iterable[str]) -> FileStates:
    """The states of the files ``names`` of ``folder``, by which a change shows; missing files are
    left out.
    """
    found = {}
    for name in names:
        with suppress(OSError):
            state = (folder / name).stat()
            found[name] = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    return found


def changed_files(before: FileStates, now: FileStates) -> list[str]:
    """The names of the files written to between two states. A file that was removed or replaced
    lives on for who has mapped it.
    """
    return [
        name
        for name, state in now.items()
        if name in before and before[name][:2] == state[:2] and before[name] != state
    ]
