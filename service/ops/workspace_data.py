"""A data file of the workspace that several may change at once: commands, pages, and an editor on the desk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from corpus.data_files import DataFileError
from corpus.errors import RegulaError
from corpus.rulings.confirmations import CONFIRMED
from corpus.rulings.loading import HOUSE, read_rulings
from corpus.rulings.source_files import SourceFile
from corpus.workspace import CONCEPTS, PHRASINGS, RULINGS
from glossary.concepts.loading import read_concepts
from glossary.phrasings import read_phrasings
from index.files.durable import replace_synced
from service.ops.workspace_files import NotKept

_PATIENCE = 10.0  # seconds to wait for another change, which takes some hundred milliseconds
_POLL = 0.02


class InUse(RegulaError):
    """Another process does the same work just now."""


class WorkspaceDataFile:
    """A YAML file of the workspace. It is replaced in one step by a text that ``check`` can read, and else stays as it is."""

    def __init__(self, path: Path, check: Callable[[Path], object]):
        self.path = path
        self._check = check

    @classmethod
    def of_phrasings(cls, home: Path, edition: str) -> WorkspaceDataFile:
        """The phrasings of ``edition`` in the workspace ``home``."""
        return cls(home / PHRASINGS / f"{edition}.yaml", read_phrasings)

    @classmethod
    def of_concepts(cls, home: Path, game: str) -> WorkspaceDataFile:
        """The concepts of ``game`` in the workspace ``home``."""
        return cls(home / CONCEPTS / f"{game}.yaml", read_concepts)

    @classmethod
    def of_house_rulings(cls, home: Path, game: str) -> WorkspaceDataFile:
        """The rulings of the house on ``game`` in the workspace ``home``."""
        return cls(home / RULINGS / game / HOUSE, partial(_check_rulings, game=game, name=HOUSE))

    @classmethod
    def of_confirmations(cls, home: Path, game: str) -> WorkspaceDataFile:
        """What rulings on ``game`` rest on as it was when they were confirmed, in the workspace ``home``."""
        return cls(home / RULINGS / game / CONFIRMED, partial(_check_rulings, game=game, name=CONFIRMED))

    def read(self) -> str:
        """Return what is in it, line ends as they are; "" where there is no file. Raises `NotKept` where it cannot be read."""
        try:
            return self.path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as fault:
            raise NotKept(f"{self.path}: cannot be read ({fault}); nothing was written") from fault

    def change(self, changed: Callable[[str], str]) -> str:
        """Replace the text of the file by what ``changed`` makes of it, while nobody else does, and return that.

        Raises `NotKept` where it cannot be written or would be faulty, and whatever ``changed`` raises; the file is then as it was.
        """
        try:
            with self._locked("writing", _PATIENCE):
                before = self.read()
                after = changed(before)
                if after != before:
                    self._replace(after)
                return after
        except Timeout as fault:
            raise NotKept(f"{self.path}: somebody else is writing it; it is as it was") from fault
        except PermissionError as fault:
            raise NotKept(f"{self.path}: cannot be written ({fault.strerror}); it is as it was") from fault

    @contextmanager
    def claimed(self, work: str) -> Iterator[None]:
        """Let no other process do the same ``work`` on this file. Raises `InUse` where one does."""
        try:
            with self._locked(work, 0.0):
                yield
        except Timeout as fault:
            raise InUse(f"{self.path}: another process is {work} it; wait for its end") from fault

    @contextmanager
    def _locked(self, work: str, seconds: float) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path.with_name(f".{self.path.name}.{work}"), poll_interval=_POLL)
        lock.acquire(timeout=seconds)
        try:
            yield
        finally:
            lock.release()

    def _replace(self, text: str) -> None:
        path = Path(os.path.realpath(self.path))  # the file itself, where a link leads to it
        new = path.with_name(f".{path.name}.new")
        try:
            with new.open("wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                new.chmod(path.stat().st_mode & 0o777)
            self._check(new)
            replace_synced(new, path)
        except DataFileError as fault:
            raise NotKept(f"{self.path}: would be faulty ({str(fault).replace(new.name, path.name)}); it is as it was") from fault
        except OSError as fault:
            raise NotKept(f"{self.path}: cannot be written ({fault.strerror}); it is as it was") from fault
        finally:
            with suppress(OSError):
                new.unlink()


def _check_rulings(path: Path, game: str, name: str) -> None:
    """Raise `DataFileError` for the first fault of a file of rulings that is to be called ``name``."""
    for fault in read_rulings([SourceFile.of(name, path.read_bytes())], game).faults:
        raise DataFileError(str(fault))


def text_hash(text: str) -> str:
    """Return the SHA-256 of ``text``, by which one tells that a file has changed since it was read."""
    return hashlib.sha256(text.encode()).hexdigest()
