"""Changes files without loss: by one process at a time, and completely or not at all, even if the
process is killed.

A `ChangeScope` is a set of files that are changed together: a workspace, or one file. Within
`ChangeScope.changing`, files are staged under hidden names beside their targets; at the end, all of
them are put in place. A journal records the steps. If a process was killed, the next change (or
`ChangeScope.finish`) removes its staged files, or puts the rest in place if it had begun to.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus.errors import RegulaError
from corpus.workspace import workspace

PATIENCE = 10.0  # seconds to wait for another change, which takes some hundred milliseconds
_POLL = 0.01
_COMMITTED = "committed\n"


class FileInUse(RegulaError, OSError):
    """Another process held a lock for longer than this process was willing to wait."""

    def __init__(self, lock: Path):
        super().__init__(
            f"{lock.parent}: another process is changing it; try again when that has ended"
        )


class UnfinishedChange(RegulaError, OSError):
    """A change that is only partly in place and cannot be finished now; no data is lost."""

    def __init__(self, journal: Path, fault: OSError):
        where = fault.filename if isinstance(fault.filename, str) else journal.parent
        super().__init__(
            f"{where}: a change in {journal.parent} was interrupted and cannot be finished "
            f"({fault.strerror}); run any command on it as somebody who may write there"
        )


def try_lock(descriptor: int) -> bool:
    """Lock an open file or folder and return True, or return False if another process has locked
    it; closing it unlocks it.

    Raises `OSError` on file systems without locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def held(lock: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file ``lock`` during the block, also against other processes; the kernel
    releases it however the process ends.

    Other users can lock the file too. Raises `FileInUse` if it stays locked for ``patience``
    seconds, and `OSError`.
    """
    try:
        # Open for writing if permitted: network file systems require it for a lock.
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except PermissionError:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            if os.fstat(descriptor).st_mode & 0o044 != 0o044:
                os.fchmod(descriptor, 0o644)
        end = time.monotonic() + patience
        while not try_lock(descriptor):
            if time.monotonic() >= end:
                raise FileInUse(lock)
            time.sleep(_POLL)
        yield
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class _Step:
    """A step of a change: ``target`` is moved to ``old`` (if given), and ``new`` is moved to
    ``target``; without ``new``, the target is only removed.

    ``staged``: ``new`` was written for this change. ``kept``: ``old`` remains at the end; otherwise
    it is deleted. All paths are relative to the folder of the journal.
    """

    target: str
    new: str = ""
    old: str = ""
    staged: bool = True
    kept: bool = False

    def carry_out(self, folder: Path) -> None:
        # Does only what is not done yet: a killed process may have done a part.
        target, new, old = folder / self.target, folder / self.new, folder / self.old
        is_new_there = bool(self.new) and os.path.lexists(new)
        pending = is_new_there or not self.new
        if self.old and pending and os.path.lexists(target) and not os.path.lexists(old):
            os.rename(target, old)
        if is_new_there:
            _move(new, target)

    def take_back(self, folder: Path) -> bool:
        # False if a file was overwritten.
        target, new, old = folder / self.target, folder / self.new, folder / self.old
        if self.new and not os.path.lexists(new):
            if not self.old:
                return False
            os.rename(target, new)
        if self.old and os.path.lexists(old) and not os.path.lexists(target):
            os.rename(old, target)
        return True


class FileChanges:
    """The changes staged in a `ChangeScope.changing` block, which become visible together."""

    def __init__(self, scope: ChangeScope):
        self._scope = scope
        self._journal = scope.journal
        self._folder = scope.journal.parent
        self._steps: list[_Step] = []
        # The staged folder for each topmost folder that does not exist yet.
        self._new_folders: dict[Path, Path] = {}

    @classmethod
    def left(cls, scope: ChangeScope) -> FileChanges:
        """Return the changes that a killed process left in the journal of ``scope``, without an
        incomplete last line.
        """
        changes = cls(scope)
        for line in scope.journal.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError):
                changes._steps.append(_Step(**json.loads(line)))
        return changes

    def write(
        self, path: Path, content: bytes, check: Callable[[Path], object] | None = None
    ) -> None:
        """Stage ``content`` for the file ``path``, which keeps its owner and permissions; for a
        link, stage it for the link's target.

        ``check`` is called with the staged file and raises an error if it must not be put in place.
        Raises `OSError`.
        """
        real = Path(os.path.realpath(path))
        if real.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        staged, before = self._staged(real), real.stat() if real.exists() else None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(staged, flags, 0o600 if before else self._scope.mode)
        with os.fdopen(descriptor, "wb") as file:
            if before:
                try:
                    os.fchown(descriptor, before.st_uid, before.st_gid)
                except PermissionError:
                    if self._scope.keeps_owner:
                        raise
                    with suppress(PermissionError):
                        os.fchown(descriptor, -1, before.st_gid)
                shutil.copystat(real, staged)  # permissions, and lists of them
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if check is not None:
            check(staged)

    def remove(self, path: Path) -> None:
        """Stage the removal of the file or folder ``path``."""
        self._add(path, old=_hidden(path))

    def move(self, source: Path, target: Path, kept: Path | None = None) -> None:
        """Stage the move of the file or folder ``source`` to ``target``; an existing target is
        moved to ``kept``, which must not exist, or removed.

        ``source`` must already be flushed to the disk, on the same file system.
        """
        self._add(target, source, kept or _hidden(target), staged=False, kept=kept is not None)

    def set_aside(self, path: Path, kept: Path) -> None:
        """Stage the move of the file or folder ``path`` to ``kept``, which must not exist."""
        self._add(path, old=kept, kept=True)

    def _staged(self, path: Path) -> Path:
        # A new folder is staged as a whole, so that it is never visible while empty.
        top = path
        while not top.parent.exists():
            top = top.parent
        if top == path:
            new = _hidden(path)
            self._add(path, new)
            return new
        if top not in self._new_folders:
            self._new_folders[top] = _hidden(top)
            self._add(top, self._new_folders[top])
        staged = self._new_folders[top] / path.relative_to(top)
        staged.parent.mkdir(parents=True, exist_ok=True)
        return staged

    def _add(
        self,
        target: Path,
        new: Path | None = None,
        old: Path | None = None,
        staged: bool = True,
        kept: bool = False,
    ) -> None:
        def relative(path: Path | None) -> str:
            if path is None:
                return ""
            # Links in its parent folders are followed.
            real = Path(os.path.realpath(path.parent), path.name)
            return os.path.relpath(real, self._folder)

        step = _Step(relative(target), relative(new), relative(old), staged, kept)
        self._steps.append(step)
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(step)) + "\n")

    def _folders(self) -> list[Path]:
        paths = (path for step in self._steps for path in (step.target, step.new, step.old) if path)
        return sorted({(self._folder / path).parent for path in paths})

    def commit(self) -> None:
        """Put all changes in place. Raises `OSError` if nothing was put in place,
        `UnfinishedChange` if only a part was.
        """
        for staged in self._new_folders.values():
            for place, _, _ in os.walk(staged):
                sync_file(Path(place))
        if len(self._steps) > 1 or any(step.old for step in self._steps):
            # Otherwise a single rename does everything.
            for folder in self._folders():
                sync_file(folder)
            try:
                with self._journal.open("a", encoding="utf-8") as file:
                    file.write(_COMMITTED)
                    file.flush()
                    os.fsync(file.fileno())
                sync_file(self._folder)
            except OSError:
                self._journal.unlink()
                raise
        self.put_in_place()

    def put_in_place(self) -> None:
        """Carry out all steps. Raises `OSError` if nothing has changed, `UnfinishedChange` if only
        a part was carried out.
        """
        try:
            for step in self._steps:
                step.carry_out(self._folder)
            for place in self._folders():
                sync_file(place)
        except OSError as fault:
            if self._is_taken_back():
                raise
            raise UnfinishedChange(self._journal, fault) from fault
        for step in self._steps:
            if step.old and not step.kept:
                _remove(self._folder / step.old)
        try:
            self._journal.unlink(missing_ok=True)
        except OSError as fault:
            raise UnfinishedChange(self._journal, fault) from fault

    def _is_taken_back(self) -> bool:
        try:
            if not all(step.take_back(self._folder) for step in reversed(self._steps)):
                return False
            self._journal.unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def discard(self) -> None:
        """Remove the staged files and the journal."""
        for step in self._steps:
            if step.new and step.staged:
                _remove(self._folder / step.new)
        self._journal.unlink(missing_ok=True)


@dataclass(frozen=True)
class ChangeScope:
    """Files that only one process changes at a time: it holds ``lock``, and records its steps in
    ``journal``.

    New files get the permissions ``mode``, less the umask. With ``keeps_owner``, a file whose owner
    and group cannot be kept is not changed. A process that only appends to files holds ``appends``
    instead; it waits only for a `changing` block with ``switches``.
    """

    lock: Path
    journal: Path
    appends: Path | None = None
    mode: int = 0o666
    keeps_owner: bool = False

    @classmethod
    def of_workspace(cls, home: Path) -> ChangeScope:
        """Return the scope of everything in the workspace ``home``."""
        folder = Path(os.path.realpath(home))
        return cls(folder / ".lock", folder / ".unfinished", folder / ".appending")

    @classmethod
    def of_file(cls, file: Path, mode: int = 0o666, keeps_owner: bool = False) -> ChangeScope:
        """Return the scope of one ``file``, or of its target if it is a link."""
        real = Path(os.path.realpath(file))
        lock, journal = f"{real.name}.lock", f".{real.name}.unfinished"
        return cls(real.with_name(lock), real.with_name(journal), None, mode, keeps_owner)

    @classmethod
    def around(cls, file: Path) -> ChangeScope:
        """Return the scope of the current workspace if ``file`` is in it, or else of ``file``."""
        home = workspace()
        inside = home is not None and file.is_relative_to(home)
        return cls.of_workspace(home) if home and inside else cls.of_file(file)

    @contextmanager
    def changing(self, patience: float = PATIENCE, switches: bool = False) -> Iterator[FileChanges]:
        """Change files while no other process does; all changes are put in place at the end of the
        block, or none if it raises an exception.

        With ``switches``, processes that only append to files have to wait meanwhile. Raises
        `FileInUse` if another process changes files for ``patience`` seconds, `UnfinishedChange`,
        and `OSError` if a file cannot be written.
        """
        self.lock.parent.mkdir(parents=True, exist_ok=True)
        with held(self.lock, patience):
            self._recover()
            changes = FileChanges(self)
            try:
                yield changes
                with held(self.appends) if switches and self.appends else nullcontext():
                    changes.commit()
            except BaseException:
                # The next change finishes a committed one and removes files that are left.
                with suppress(OSError):
                    if not self._is_committed():
                        changes.discard()
                raise

    @contextmanager
    def appending(self, patience: float = PATIENCE) -> Iterator[None]:
        """Append to files in the block while no other process changes or appends to them, after
        finishing an interrupted change.

        Raises `FileInUse`, `UnfinishedChange`, `OSError`.
        """
        assert self.appends is not None
        end = time.monotonic() + patience
        while True:
            self.finish(patience)
            with held(self.appends, end - time.monotonic()):
                if not self._is_committed():
                    yield
                    return
            if time.monotonic() >= end:
                raise FileInUse(self.lock)

    def finish(self, patience: float = PATIENCE) -> None:
        """Finish a change that a killed process had begun to put in place, or remove the files that
        it had only staged; wait for a change in progress.

        Raises `FileInUse` and `UnfinishedChange` if a change remains partly in place.
        """
        if not self._is_committed():
            if self.journal.exists():
                with suppress(OSError), held(self.lock, 0.0):
                    self._recover()
            return
        try:
            with held(self.lock, patience):
                self._recover()
        except RegulaError:
            raise
        except OSError as fault:
            raise UnfinishedChange(self.journal, fault) from fault

    def _is_committed(self) -> bool:
        try:
            return self.journal.read_text(encoding="utf-8").endswith(f"\n{_COMMITTED}")
        except FileNotFoundError:
            return False

    def _recover(self) -> None:
        # Finish or undo the change of a killed process; the lock is held.
        if not self.journal.exists():
            return
        changes = FileChanges.left(self)
        try:
            if self._is_committed():
                with held(self.appends) if self.appends else nullcontext():
                    changes.put_in_place()
                return
        except RegulaError:
            raise
        except OSError:  # and everything was undone
            pass
        changes.discard()


def _move(source: Path, target: Path) -> None:
    # File by file if the target folder has been created meanwhile.
    try:
        os.replace(source, target)
    except OSError as fault:
        if fault.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not source.is_dir():
            raise
        for path in source.iterdir():
            _move(path, target / path.name)
        source.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def sync_file(path: Path) -> None:
    """Flush the file or folder ``path`` to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _hidden(path: Path) -> Path:
    return path.with_name(f".{secrets.token_hex(8)}.new")
