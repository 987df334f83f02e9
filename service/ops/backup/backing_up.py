"""Back up a workspace that is in use: files that change meanwhile are read again, so that the
backup shows one moment.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from corpus.errors import WrongUse
from corpus.file_changes import ChangeScope, held, try_lock
from corpus.workspace import INDEX as INDEX_FOLDER
from corpus.workspace import RULEBOOKS
from index.building.snapshots import MANIFEST as INDEX_MANIFEST
from index.building.snapshots import Damaged, Snapshots
from index.library.former_entries import FormerEntries
from index.library.former_words import FormerWords
from service.ops.backup.archive import (
    FORMER_ENTRIES,
    FORMER_WORDS,
    INDEX,
    KEYS,
    SETTINGS,
    WORKSPACE,
    BackupError,
    BackupWriter,
    Manifest,
    is_backup,
    pieces,
)
from service.ops.feedback.store import FOLDER as FEEDBACK

# Times that everything is read until nothing changes meanwhile. From the second time on, changes
# made through Regula have to wait
_ATTEMPTS = 4
_PATIENCE = 60.0  # seconds to wait for a change that is under way
_UNFINISHED = ".{}.regula-backup"  # name of a backup that is being written
_OWN = (
    "regula.toml",
    "keys.toml",
    "keys.toml.lock",
)  # in the workspace but not backed up with it: they hold secrets, or say who may ask

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class BackupContents:
    """The content of a backup: the workspace ``home``, and what else to include.

    Attributes:
        index: the folder of indexes.
        keys: the file of API keys.
        settings: a settings file without secrets.
        left_out: names of the settings that are missing in it.
        apart: paths inside ``home`` that do not belong to the workspace.
    """

    home: Path
    index: Path
    with_index: bool = False
    keys: Path | None = None
    settings: str = ""
    left_out: tuple[str, ...] = ()
    apart: tuple[Path, ...] = ()


class _Changed(Exception):
    """Something changed while it was read."""


def back_up(file: Path, contents: BackupContents, report: Callable[[str], None]) -> Manifest:
    """Write a backup to ``file`` and return its manifest. An existing backup is replaced once the
    new one is complete.

    ``report`` gets a line for each thing that was left out. Raises `BackupError`, and `WrongUse`
    if ``file`` exists and is no backup.
    """
    if file.is_dir() or (file.exists() and file.stat().st_size and not is_backup(file)):
        raise WrongUse(f"{file}: is there and is no backup; name another file")
    scope = ChangeScope.of_workspace(contents.home)
    scope.finish()
    try:
        with _written(file) as new:
            for attempt in range(_ATTEMPTS):
                with (
                    held(scope.lock, _PATIENCE)
                    if attempt and os.access(contents.home, os.W_OK)
                    else nullcontext()
                ):
                    new.seek(0)
                    new.truncate()
                    with suppress(_Changed):
                        return _write(new, contents, report)
            raise BackupError(
                f"{contents.home}: changed each time that it was read; nothing was written, try "
                "again later"
            )
    except OSError as fault:
        where = fault.filename if isinstance(fault.filename, str) else file
        raise BackupError(
            f"{where}: cannot be read or written ({fault.strerror}); nothing was written"
        ) from fault


def workspace_parts(home: Path, apart: tuple[Path, ...]) -> list[Path]:
    """Return the folders and files directly in ``home`` that are part of the workspace, in order.

    Hidden files, indexes, settings, keys and the paths in ``apart`` are not part of it.
    """
    others = {os.path.realpath(path) for path in (home / INDEX_FOLDER, *apart)}
    found = sorted(home.iterdir()) if home.is_dir() else []
    return [
        path
        for path in found
        if path.name[0] != "." and path.name not in _OWN and os.path.realpath(path) not in others
    ]


def _write(new: BinaryIO, contents: BackupContents, report: Callable[[str], None]) -> Manifest:
    """Write the archive. Raises `_Changed` if a file changed meanwhile."""
    lines: list[str] = []
    files = dict(_workspace_files(contents, lines.append))
    stamps = {name: _stamp(path) for name, path in files.items()}
    with BackupWriter(new) as writer:
        try:
            for name, path in files.items():
                with path.open("rb") as opened:
                    if _stamp_of(os.fstat(opened.fileno())) != stamps[name] and not _only_grows(
                        name
                    ):
                        raise _Changed
                    writer.add(
                        f"{WORKSPACE}/{name}",
                        pieces(opened, _whole_lines(opened) if _only_grows(name) else None),
                    )
            if contents.with_index:
                _add_index(writer, contents)
        except FileNotFoundError as fault:
            raise _Changed from fault
        if contents.settings:
            writer.add(SETTINGS, [contents.settings.encode()])
            writer.manifest.left_out = list(contents.left_out)
        if contents.keys is not None and contents.keys.exists():
            writer.add(KEYS, [contents.keys.read_bytes()])
        for name, former in (
            (FORMER_WORDS, FormerWords(contents.index).records()),
            (FORMER_ENTRIES, FormerEntries(contents.index).records()),
        ):
            if (first := next(former, None)) is not None:
                writer.add(name, (f"{record}\n".encode() for record in chain([first], former)))
        now = {name: _stamp(path) for name, path in _workspace_files(contents, lambda _: None)}
        if any(
            now.get(name) != stamps.get(name) for name in {*now, *stamps} if not _only_grows(name)
        ):
            raise _Changed
    for line in lines:
        report(line)
    return writer.manifest


def _workspace_files(
    contents: BackupContents, report: Callable[[str], None]
) -> Iterator[tuple[str, Path]]:
    """Return the files of the workspace by their names in it. ``report`` gets a line for each file
    that is left out.
    """
    for part in workspace_parts(contents.home, contents.apart):
        yield from _files(
            part, part.name, contents.home, (os.path.realpath(contents.home),), report
        )


def _files(
    path: Path, name: str, home: Path, around: tuple[str, ...], report: Callable[[str], None]
) -> Iterator[tuple[str, Path]]:
    """Yield the file ``path``, or all files in the folder. Links are followed where Regula follows
    them, but never in a circle.
    """
    real = os.path.realpath(path)
    mode = path.stat().st_mode if path.exists() else 0
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    if shown != name:
        report(f"{shown}: its name is not UTF-8; left out")
    elif (
        "/" in name
        and path.is_symlink()
        and name.startswith(f"{RULEBOOKS}/")
        and not Path(real).is_relative_to(os.path.realpath(home / RULEBOOKS))
    ):
        report(f"{name}: a link that leads out of the folder; left out")
    elif stat.S_ISDIR(mode) and real not in around:
        for inner in sorted(path.iterdir()):
            if inner.name[0] != ".":
                yield from _files(inner, f"{name}/{inner.name}", home, (*around, real), report)
    elif stat.S_ISREG(mode) and is_backup(path):
        report(f"{name}: a backup; left out")
    elif stat.S_ISREG(mode):
        yield name, path
    else:
        report(f"{name}: no plain file; left out")


def _only_grows(name: str) -> bool:
    """Return whether a running service keeps appending to the file ``name`` of the workspace."""
    return name.startswith(f"{FEEDBACK}/") and name.endswith(".jsonl")


def _whole_lines(file: BinaryIO) -> int:
    """Return how many bytes of ``file`` are complete lines, and rewind it to its beginning."""
    end = 0
    place = 0
    for piece in pieces(file):
        place += len(piece)
        if b"\n" in piece:
            end = place - len(piece) + piece.rindex(b"\n") + 1
    file.seek(0)
    return end


def _stamp(path: Path) -> Stamp | None:
    """Return a value that differs after each change of the file ``path``; None if it is gone."""
    try:
        return _stamp_of(path.stat())
    except OSError:
        return None


def _stamp_of(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _add_index(writer: BackupWriter, contents: BackupContents) -> None:
    """Add the published index. Raises `BackupError` if none is complete and stored in files, and
    `FileNotFoundError`.
    """
    snapshots = Snapshots(contents.index)
    id = snapshots.current()
    if id is None:
        raise BackupError(
            f"{contents.index}: there is no index to back up yet; leave --with-index out, or run "
            "'regula build'"
        )
    try:
        manifest, names = snapshots.manifest(id), snapshots.files(id)
        if manifest.get("store"):
            raise BackupError(
                "passages are in a database, which no backup has; leave --with-index out: a build "
                "fills it anew"
            )
        hashes = manifest["files"]
        assert isinstance(hashes, dict)
        for name in (INDEX_MANIFEST, *names):
            with (snapshots.path(id) / name).open("rb") as opened:
                found = writer.add(f"{INDEX}/{name}", pieces(opened))
            if name != INDEX_MANIFEST and found != hashes[name]:
                raise Damaged(f"index {id}: {name} is not the file that was built")
    except Damaged as fault:
        if not snapshots.path(id).exists():  # a build has removed it meanwhile
            raise _Changed from fault
        raise BackupError(
            f"{fault}; leave --with-index out, or run 'regula build' first"
        ) from fault
    writer.manifest.index = id


@contextmanager
def _written(file: Path) -> Iterator[BinaryIO]:
    """Yield a new file. It replaces ``file`` at the end of the block, and is removed if the block
    raises something.

    Unfinished backups that killed processes left in the folder are removed. Raises `BackupError`
    if another process is writing this backup.
    """
    for left in file.parent.glob(_UNFINISHED.format("*")):
        with suppress(OSError, BackupError), _locked(left):
            left.unlink()
    new = file.with_name(_UNFINISHED.format(file.name))
    with _locked(new) as opened:
        try:
            if file.exists():
                os.fchmod(opened.fileno(), stat.S_IMODE(file.stat().st_mode))
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
            os.replace(new, file)
        except BaseException:
            with suppress(OSError):
                new.unlink()
            raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """Yield the file ``path``, accessible to its owner alone and locked against other processes.
    Raises `BackupError` if another process holds the lock.
    """
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b") as opened:
        if not try_lock(opened.fileno()):
            raise BackupError(
                f"{path.with_name(path.name[1:].removesuffix('.regula-backup'))}: another process "
                "is writing this backup"
            )
        if (
            _stamp(path) is None or os.fstat(opened.fileno()).st_ino != path.stat().st_ino
        ):  # another process has removed or renamed it
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path))
        yield opened
