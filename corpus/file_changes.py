"""Changing files so that nothing is lost: by one process at a time, and whole or not at all,
whenever a process is killed.

`ChangeScope` is what is changed together: a workspace, or one file. Within `ChangeScope.changing`
files are staged under hidden names beside where they belong; in the end all of them are put in
place. A journal says what is under way, so that the next change, or `ChangeScope.finish`, removes
what a killed process had staged, or finishes what it had begun to put in place.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import lock_descriptor

from corpus.errors import RegulaError
from corpus.workspace import workspace

PATIENCE = 10.0  # seconds to wait for another change, which takes some hundred milliseconds
_POLL = 0.01
_COMMITTED = "committed\n"


class FileInUse(RegulaError, OSError):
    """Another process holds a lock for longer than one waits for it."""


class UnfinishedChange(RegulaError, OSError):
    """A change that was put in place in part and cannot be finished now; nothing of it is lost."""


@contextmanager
def held(lock: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file ``lock``, also against other processes; the kernel frees it when its
    holder ends, in whatever way.

    Whoever made the file, others may hold it too. Raises `FileInUse` where somebody else holds it
    for ``patience`` seconds, and `OSError`.
    """
    descriptor = _opened_lock(lock)
    try:
        end = time.monotonic() + patience
        while not lock_descriptor(descriptor, blocking=False):
            if time.monotonic() >= end:
                raise _in_use(lock)
            time.sleep(_POLL)
        yield
    finally:
        os.close(descriptor)


def _opened_lock(lock: Path) -> int:
    """The lock file, open for writing where it may be, since network file systems lock no other;
    readable for others if we made it.
    """
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except PermissionError:
        return os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    with suppress(OSError):
        if os.fstat(descriptor).st_mode & 0o044 != 0o044:
            os.fchmod(descriptor, 0o644)
    return descriptor


@dataclass(frozen=True)
class _Step:
    """``new`` goes to ``target``; what was there goes to ``old``, or is overwritten where that is
    "". Without ``new`` it goes, and no more.

    ``staged``: ``new`` was made for this change alone. ``kept``: ``old`` stays; else it is removed
    in the end. All are paths relative to the folder of the journal.
    """

    target: str
    new: str = ""
    old: str = ""
    staged: bool = True
    kept: bool = False

    def carry_out(self, folder: Path) -> None:
        """Do what is not done yet: a step that a killed process was in the midst of may be carried
        out again. Raises `OSError`.
        """
        target, new, old = folder / self.target, folder / self.new, folder / self.old
        is_new_there = bool(self.new) and os.path.lexists(new)
        if (
            self.old
            and os.path.lexists(target)
            and not os.path.lexists(old)
            and (is_new_there or not self.new)
        ):
            os.rename(target, old)
        if is_new_there:
            _move(new, target)

    def take_back(self, folder: Path) -> bool:
        """Undo what was done; whether that can be, which it cannot where a file was overwritten.
        Raises `OSError`.
        """
        target, new, old = folder / self.target, folder / self.new, folder / self.old
        if self.new and not os.path.lexists(new):
            if not self.old:
                return False
            os.rename(target, new)
        if self.old and os.path.lexists(old) and not os.path.lexists(target):
            os.rename(old, target)
        return True

    def paths(self, folder: Path) -> Iterator[Path]:
        """The paths that are written to."""
        for path in (self.target, self.new, self.old):
            if path:
                yield folder / path


class FileChanges:
    """What one process changes within `ChangeScope.changing`: nothing of it is seen before the end,
    then all of it.
    """

    def __init__(self, journal: Path, mode: int, keeps_owner: bool):
        self._journal = journal
        self._mode = mode
        self._keeps_owner = keeps_owner
        self._steps: list[_Step] = []
        self._new_folders: dict[
            Path, Path
        ] = {}  # by the topmost folder that is not there yet, where it is staged

    def write(
        self, path: Path, content: bytes, check: Callable[[Path], object] | None = None
    ) -> None:
        """Stage ``content`` for the file ``path``, which keeps its owner and permissions; of a
        link, for the file that it leads to.

        ``check`` is given the staged file, and raises whatever keeps it from being put in place.
        Raises `OSError`.
        """
        real = Path(os.path.realpath(path))
        if real.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        staged = self._staged(real)
        _write_new(staged, content, real if real.exists() else None, self._mode, self._keeps_owner)
        if check is not None:
            check(staged)

    def remove(self, path: Path) -> None:
        """Have the file or folder ``path`` removed."""
        self._add(path, old=path.with_name(_hidden_name()))

    def move(self, source: Path, target: Path, kept: Path | None = None) -> None:
        """Have the file or folder ``source`` moved to ``target``, and what is there to ``kept``,
        where nothing may be, else removed.

        ``source`` has to be on the disk already, on the same file system.
        """
        self._add(
            target,
            new=source,
            old=kept or target.with_name(_hidden_name()),
            staged=False,
            kept=kept is not None,
        )

    def set_aside(self, path: Path, kept: Path) -> None:
        """Have the file or folder ``path`` moved to ``kept``, where nothing may be."""
        self._add(path, old=kept, kept=True)

    def _staged(self, path: Path) -> Path:
        """Where the file ``path`` is staged. A folder that is not there yet is staged whole, so
        that it never lies there empty.
        """
        top = path
        while not top.parent.exists():
            top = top.parent
        if top == path:
            new = path.with_name(_hidden_name())
            self._add(path, new=new)
            return new
        if top not in self._new_folders:
            self._new_folders[top] = top.with_name(_hidden_name())
            self._add(top, new=self._new_folders[top])
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
        names = [
            os.path.relpath(_real(path), self._journal.parent) if path else ""
            for path in (target, new, old)
        ]
        self._steps.append(_Step(names[0], names[1], names[2], staged, kept))
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(self._steps[-1])) + "\n")

    def commit(self) -> None:
        """Put all in place. Raises `OSError` where nothing was, and `UnfinishedChange`."""
        for staged in self._new_folders.values():
            for place, _, _ in os.walk(staged):
                _sync(Path(place))
        if len(self._steps) > 1 or any(
            step.old for step in self._steps
        ):  # else one renaming is all that is done
            for folder in {
                path.parent for step in self._steps for path in step.paths(self._journal.parent)
            }:
                _sync(folder)
            self._say_committed()
        _put_in_place(self._steps, self._journal)

    def _say_committed(self) -> None:
        try:
            with self._journal.open("a", encoding="utf-8") as file:
                file.write(_COMMITTED)
                file.flush()
                os.fsync(file.fileno())
            _sync(self._journal.parent)
        except OSError:
            self._journal.unlink()
            raise

    def abandon(self) -> None:
        """Remove what was staged, unless it is to be put in place; what cannot be removed now is by
        the next change.
        """
        with suppress(OSError):
            if not _is_committed(self._journal):
                _discard(self._steps, self._journal)


@dataclass(frozen=True)
class ChangeScope:
    """Files that one process at a time changes: it holds ``lock``, and ``journal`` says what it is
    about to do.

    New files get the permissions ``mode``, less the umask. With ``keeps_owner``, a file whose owner
    and group cannot be kept is not changed. Whoever only appends to files holds ``appends``, and
    waits for nobody but `changing` that ``switches``.
    """

    lock: Path
    journal: Path
    appends: Path | None = None
    mode: int = 0o666
    keeps_owner: bool = False

    @classmethod
    def of_workspace(cls, home: Path) -> ChangeScope:
        """All that is in the workspace ``home``."""
        folder = Path(os.path.realpath(home))
        return cls(folder / ".lock", folder / ".unfinished", folder / ".appending")

    @classmethod
    def of_file(cls, file: Path, mode: int = 0o666, keeps_owner: bool = False) -> ChangeScope:
        """One ``file`` alone; of a link, the file that it leads to."""
        real = Path(os.path.realpath(file))
        return cls(
            real.with_name(f"{real.name}.lock"),
            real.with_name(f".{real.name}.unfinished"),
            None,
            mode,
            keeps_owner,
        )

    @classmethod
    def around(cls, file: Path) -> ChangeScope:
        """The workspace in use where ``file`` is in it, else the file alone."""
        home = workspace()
        return (
            cls.of_workspace(home)
            if home is not None and file.is_relative_to(home)
            else cls.of_file(file)
        )

    @contextmanager
    def changing(self, patience: float = PATIENCE, switches: bool = False) -> Iterator[FileChanges]:
        """Change files while nobody else does: all in the end of the block, and none where it
        raises something.

        ``switches``: whoever only appends to files is kept from it while they are put in place.
        Raises `FileInUse` where another process changes some for ``patience`` seconds,
        `UnfinishedChange`, and `OSError` where something cannot be written.
        """
        self.lock.parent.mkdir(parents=True, exist_ok=True)
        with held(self.lock, patience):
            self._recover()
            changes = FileChanges(self.journal, self.mode, self.keeps_owner)
            try:
                yield changes
                with held(self.appends) if switches and self.appends else nullcontext():
                    changes.commit()
            except BaseException:
                changes.abandon()
                raise

    @contextmanager
    def appending(self, patience: float = PATIENCE) -> Iterator[None]:
        """Append to files while nobody else does, and no change is unfinished. Raises `FileInUse`,
        `UnfinishedChange`, `OSError`.
        """
        assert self.appends is not None
        end = time.monotonic() + patience
        while True:
            self.finish(patience)
            with held(self.appends, end - time.monotonic()):
                if not _is_committed(self.journal):
                    yield
                    return
            if time.monotonic() >= end:
                raise _in_use(self.lock)

    def finish(self, patience: float = PATIENCE) -> None:
        """Finish a change that a killed process had begun to put in place, and remove what one had
        staged; one under way is waited for.

        Raises `FileInUse` and `UnfinishedChange` where something is put in place in part and stays
        so.
        """
        if not _is_committed(self.journal):
            if self.journal.exists():
                with suppress(OSError), held(self.lock, 0.0):
                    self._recover()
            return
        try:
            with held(self.lock, patience):
                self._recover()
        except (FileInUse, UnfinishedChange):
            raise
        except OSError as fault:
            raise _unfinished(self.journal, fault) from fault

    def _recover(self) -> None:
        """Finish or take back what a killed process left; the lock is held. Raises
        `UnfinishedChange`, `OSError`.
        """
        if not self.journal.exists():
            return
        steps = _read(self.journal)
        if not _is_committed(self.journal):
            _discard(steps, self.journal)
            return
        try:
            with held(self.appends) if self.appends else nullcontext():
                _put_in_place(steps, self.journal)
        except RegulaError:
            raise
        except OSError:  # and all was taken back
            _discard(steps, self.journal)


def _read(journal: Path) -> list[_Step]:
    """The steps of the ``journal``, without a line that was cut off."""
    steps = []
    for line in journal.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError, TypeError):
            steps.append(_Step(**json.loads(line)))
    return steps


def _is_committed(journal: Path) -> bool:
    try:
        return journal.read_text(encoding="utf-8").endswith(f"\n{_COMMITTED}")
    except FileNotFoundError:
        return False


def _put_in_place(steps: list[_Step], journal: Path) -> None:
    """Carry out all ``steps``. Raises `OSError` where none is and all is as it was, and
    `UnfinishedChange`.
    """
    folder = journal.parent
    try:
        for step in steps:
            step.carry_out(folder)
        for place in sorted({path.parent for step in steps for path in step.paths(folder)}):
            _sync(place)
    except OSError as fault:
        if _taken_back(steps, journal):
            raise
        raise _unfinished(journal, fault) from fault
    for step in steps:
        if step.old and not step.kept:
            _remove(folder / step.old)
    try:
        journal.unlink(missing_ok=True)
    except OSError as fault:
        raise _unfinished(journal, fault) from fault


def _taken_back(steps: list[_Step], journal: Path) -> bool:
    """Undo what was done of ``steps``; whether nothing of them is done any more."""
    try:
        if not all(step.take_back(journal.parent) for step in reversed(steps)):
            return False
        journal.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _discard(steps: list[_Step], journal: Path) -> None:
    for step in steps:
        if step.new and step.staged:
            _remove(journal.parent / step.new)
    journal.unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    """Move a file or folder; into a folder that has come to be there meanwhile, file by file.
    Raises `OSError`.
    """
    try:
        os.replace(source, target)
    except OSError as fault:
        if fault.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not source.is_dir():
            raise
        for path in source.iterdir():
            _move(path, target / path.name)
        source.rmdir()


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there and may be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _real(path: Path) -> Path:
    """``path`` without links on the way to it."""
    return Path(os.path.realpath(path.parent), path.name)


def _sync(path: Path) -> None:
    """Return when the folder ``path`` is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _in_use(lock: Path) -> FileInUse:
    return FileInUse(
        f"{lock.parent}: another process is changing it; try again when that has ended"
    )


def _unfinished(journal: Path, fault: OSError) -> UnfinishedChange:
    where = fault.filename if isinstance(fault.filename, str) else journal.parent
    return UnfinishedChange(
        f"{where}: a change in {journal.parent} was interrupted and cannot be finished ({fault.strerror}); "
        "run any command on it as somebody who may write there"
    )


def _hidden_name() -> str:
    return f".{secrets.token_hex(8)}.new"


def _write_new(new: Path, content: bytes, like: Path | None, mode: int, keeps_owner: bool) -> None:
    """Write the file ``new``, which must not be there, with owner and permissions of ``like``; it
    is on the disk then. Raises `OSError`.
    """
    descriptor = os.open(
        new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if like else mode
    )
    with os.fdopen(descriptor, "wb") as file:
        if like is not None:
            _give_owner(descriptor, like.stat(), keeps_owner)
            shutil.copystat(like, new)  # permissions, and lists of them
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _give_owner(descriptor: int, before: os.stat_result, must: bool) -> None:
    """Give a new file the owner and group of the one in its place. Raises `PermissionError` where
    that ``must`` be and may not.
    """
    try:
        os.fchown(descriptor, before.st_uid, before.st_gid)
    except PermissionError:
        if must:
            raise
        with suppress(PermissionError):
            os.fchown(descriptor, -1, before.st_gid)
