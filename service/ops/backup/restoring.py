"""Restore a backup: check all of it first, then put all files in place in one step that a kill
cannot leave half done.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from corpus.errors import RegulaError, WrongUse
from corpus.file_changes import ChangeScope, FileInUse, UnfinishedChange, held
from corpus.workspace import FOLDERS
from index.building.former_stage import former_kept
from index.building.opening import open_snapshot
from index.building.snapshots import Busy, Damaged, Pointer, Snapshots
from index.files.durable import sync_tree
from index.library.former_entries import FormerEntries
from index.library.former_words import FormerWords
from index.store.protocol import StoreUnreachable
from service.ops.backup.archive import (
    FORMER_ENTRIES,
    FORMER_WORDS,
    INDEX,
    WORKSPACE,
    Backup,
    BackupError,
)
from service.ops.backup.backing_up import workspace_parts

_STAGED = ".restored"  # in the workspace: unpacked files that are not in place yet
# Start of the name of the folder that keeps the previous files until the next restore
_ASIDE = ".before-restore-"
_LOCK = ".restoring"
_README = "README.md"
_PATIENCE = 600.0  # seconds to wait for a build that is under way
_MARGIN = 50_000_000  # bytes that must stay free afterwards


class NotEmpty(WrongUse):
    """A workspace that already has files."""


def occupied(home: Path, apart: tuple[Path, ...]) -> list[str]:
    """Return the names of those parts of the workspace ``home`` that have files, except the README;
    ``apart`` is as for `workspace_parts`.
    """
    parts = (part for part in workspace_parts(home, apart) if part.name != _README)
    return [
        part.name
        for part in parts
        if not part.is_dir() or any(path.is_file() for path in part.rglob("[!.]*"))
    ]


def restore_workspace(
    backup: Backup, home: Path, apart: tuple[Path, ...], replace: bool
) -> Path | None:
    """Replace the workspace ``home`` by the one in ``backup``. Return the folder that keeps the
    previous files, None if there were none.

    If this is killed, the workspace has either all old files or all restored ones: the next command
    finishes a switch that was begun. Raises `NotEmpty` if ``home`` has files and ``replace`` is
    false, `BackupError`, and `UnfinishedChange`.
    """
    with _alone(home):
        ChangeScope.of_workspace(home).finish()
        there = occupied(home, apart)
        if there and not replace:
            raise NotEmpty(
                f"{home}: has files already (in {', '.join(there)}); --replace puts them aside, "
                f"into a folder {_ASIDE}…"
            )
        _check_room(
            home,
            sum(backup.manifest.files[name].size for name in backup.manifest.within(WORKSPACE)),
        )
        _tidy(home)
        staged = home / _STAGED
        try:
            backup.extract(backup.manifest.within(WORKSPACE), staged)
            new = staged / WORKSPACE
            for name in FOLDERS:
                (new / name).mkdir(parents=True, exist_ok=True)
            if (home / _README).exists() and not (new / _README).exists():
                shutil.copyfile(home / _README, new / _README)
            _give_to_owner(staged, home)
            sync_tree(new)
            aside = _switch(home, new, apart, bool(there))
        except UnfinishedChange:  # which needs what was unpacked
            raise
        except BaseException:
            _tidy(home)
            raise
        return aside


def _switch(home: Path, new: Path, apart: tuple[Path, ...], kept: bool) -> Path | None:
    """Replace the parts of the workspace ``home`` by those in the folder ``new``. If the old parts
    are to be ``kept``, they are moved into a folder, which is returned.
    """
    aside = home / f"{_ASIDE}{datetime.now(UTC):%Y%m%d-%H%M%S.%f}"
    with ChangeScope.of_workspace(home).changing(switches=True) as changes:
        if kept:
            aside.mkdir()
        coming = {path.name: path for path in sorted(new.iterdir())}
        there = {path.name: path for path in workspace_parts(home, apart)}
        for name in sorted({*coming, *there}):
            if name in coming:
                changes.move(coming[name], home / name, kept=aside / name if kept else None)
            elif kept:
                changes.set_aside(there[name], aside / name)
            else:
                changes.remove(there[name])
    _tidy(home)
    return aside if kept else None


def _tidy(home: Path) -> None:
    """Remove unpacked files that were not put in place, and all but the latest folder of previous
    files.
    """
    shutil.rmtree(home / _STAGED, ignore_errors=True)
    for old in sorted(path for path in home.glob(f"{_ASIDE}*") if any(path.iterdir()))[:-1]:
        shutil.rmtree(old, ignore_errors=True)
    for empty in (path for path in home.glob(f"{_ASIDE}*") if not any(path.iterdir())):
        empty.rmdir()


def restore_index(backup: Backup, folder: Path, place: Path, report: Callable[[str], None]) -> str:
    """Publish the index in ``backup`` in ``folder`` and return its id; "" if this version of the
    program cannot read it. Targets of old links are added to those known there.

    ``place`` is a folder to unpack the index in. ``report`` gets a line for anything that is not
    restored. Raises `BackupError`.
    """
    id = backup.manifest.index
    names = backup.manifest.within(INDEX)
    if id and names:
        id = _restore_index(backup, names, folder, place, report)
    # After the index, because these files say where entries are in the index of the backup.
    former: tuple[tuple[str, FormerWords | FormerEntries], ...] = (
        (FORMER_WORDS, FormerWords(folder)),
        (FORMER_ENTRIES, FormerEntries(folder)),
    )
    for name, kept in former:
        if name in backup.manifest.files:
            _restore_former(backup.read(name), folder, kept, report)
    return id if names else ""


def _restore_index(
    backup: Backup, names: list[str], folder: Path, place: Path, report: Callable[[str], None]
) -> str:
    id = backup.manifest.index
    if id[0] == "." or "/" in id:
        raise BackupError(f"{id!r} is no name of an index; it was not restored")
    _check_room(place, 2 * sum(backup.manifest.files[name].size for name in names))
    staged = place / _STAGED
    shutil.rmtree(staged, ignore_errors=True)
    try:
        backup.extract(names, staged)
        (staged / INDEX).rename(staged / id)
        return _publish(Snapshots(folder), Snapshots(staged), id, report)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _restore_former(
    content: bytes,
    folder: Path,
    kept: FormerWords | FormerEntries,
    report: Callable[[str], None],
) -> None:
    def waiting() -> None:
        report("a build is under way; waiting for it")

    try:
        with Snapshots(folder).locked(_PATIENCE, waiting):
            faulty = kept.take(filter(None, content.decode("utf-8", "replace").split("\n")))
    except (OSError, Busy) as fault:
        report(
            f"what links of earlier indexes lead to could not be restored ({fault}); such links "
            "will not show the words they cited, or lead nowhere"
        )
        return
    if faulty:
        report(
            f"{faulty} former passages or entries cannot be read by this version; links to them "
            "will not show their words, or lead nowhere"
        )


def _publish(
    snapshots: Snapshots, unpacked: Snapshots, id: str, report: Callable[[str], None]
) -> str:
    try:
        open_snapshot(unpacked, id)
    except (Damaged, StoreUnreachable) as fault:
        report(
            f"the index in the backup cannot be read by this version ({fault}); the next start or "
            "'regula build' makes one"
        )
        return ""
    try:
        with (
            snapshots.building(
                _PATIENCE, lambda: report("a build is under way; waiting for it")
            ) as building,
            former_kept(snapshots, snapshots.current(), unpacked.path(id), report),
        ):
            if not _is_whole(snapshots, id):
                shutil.copytree(unpacked.path(id), building, dirs_exist_ok=True)
                snapshots.publish(building, id)
            elif snapshots.pointer() != Pointer(id):  # a service may be reading it
                snapshots.pin(id, pinned=False)
    except Busy as fault:
        report(f"{fault}; the index in the backup was not published")
        return ""
    return id


def _is_whole(snapshots: Snapshots, id: str) -> bool:
    try:
        snapshots.verify(id)
    except Damaged:
        return False
    return True


def check_target(backup: Backup, name: str, target: Path) -> None:
    """Raise `NotEmpty` if ``target`` exists and is not empty, and `BackupError` if ``backup`` has
    no file ``name``.
    """
    if name not in backup.manifest.files:
        raise BackupError(f"there are no {Path(name).stem} in the backup; nothing was restored")
    if target.exists() and target.stat().st_size:
        raise NotEmpty(
            f"{target}: is there already, and is kept; name another file for the {Path(name).stem}"
        )


def restore_file(backup: Backup, name: str, target: Path) -> None:
    """Write the file ``name`` of ``backup``, the settings or the keys, to ``target``. Raises as
    `check_target`, and `BackupError`.
    """
    try:
        with ChangeScope.of_file(target, mode=0o600, keeps_owner=True).changing() as changes:
            check_target(backup, name, target)
            changes.write(target, backup.read(name))
    except RegulaError:
        raise
    except OSError as fault:
        raise BackupError(f"{target}: cannot be written ({fault.strerror})") from fault


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keep other processes from restoring into ``home``. Raises `BackupError` if one does,
    or ``home`` is not writable.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        with held(home / _LOCK, 0.0):
            yield
    except FileInUse as fault:
        raise BackupError(
            f"{home}: another process is restoring a backup, or changing it; nothing was restored"
        ) from fault
    except RegulaError:
        raise
    except OSError as fault:
        where = fault.filename if isinstance(fault.filename, str) else home
        raise BackupError(
            f"{where}: cannot be written or replaced ({fault.strerror}); all is as it was"
        ) from fault


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if size + _MARGIN > free:
        raise BackupError(
            f"{folder}: {size / 1e6:,.0f} MB are needed and {free / 1e6:,.0f} MB are free; nothing "
            "was restored"
        )


def _give_to_owner(staged: Path, home: Path) -> None:
    """Give files that root unpacks to the owner of the workspace, who could not edit them
    otherwise.
    """
    if os.geteuid() == 0:
        owner = home.stat()
        for place, _, files in os.walk(staged):
            for path in (place, *(os.path.join(place, name) for name in files)):
                os.chown(path, owner.st_uid, owner.st_gid)
