"""A data file of the workspace that several may change at once: commands, pages, and an editor on
the desk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from corpus.data_files import DataFileError
from corpus.edition_files import read_edition
from corpus.errors import RegulaError
from corpus.file_changes import ChangeScope, FileChanges, FileInUse, UnfinishedChange, held
from corpus.rulings.loading import HOUSE, read_rulings
from corpus.rulings.source_files import CONFIRMED, SourceFile
from corpus.workspace import CONCEPTS, EDITIONS, PHRASINGS, REVIEWS, RULINGS
from glossary.comparison.reviews import parse_reviews
from glossary.concepts.loading import read_concepts
from glossary.query_variants import read_query_variants
from service.ops.workspace_files import NotKept


class InUse(RegulaError):
    """Another process does the same work just now."""


class WorkspaceDataFile:
    """A file of the workspace ``home``. It is replaced in one step by a text that ``check`` can
    read, and else stays as it is.
    """

    def __init__(self, home: Path, path: Path, check: Callable[[Path], object]):
        self.path = path
        self._scope = ChangeScope.of_workspace(home)
        self._check = check

    @classmethod
    def of_edition(cls, home: Path, edition: str) -> WorkspaceDataFile:
        """What the workspace ``home`` says of ``edition``."""
        return cls(home, home / EDITIONS / f"{edition}.yaml", read_edition)

    @classmethod
    def of_phrasings(cls, home: Path, edition: str) -> WorkspaceDataFile:
        """The phrasings of ``edition`` in the workspace ``home``."""
        return cls(home, home / PHRASINGS / f"{edition}.yaml", read_query_variants)

    @classmethod
    def of_concepts(cls, home: Path, game: str) -> WorkspaceDataFile:
        """The concepts of ``game`` in the workspace ``home``."""
        return cls(home, home / CONCEPTS / f"{game}.yaml", read_concepts)

    @classmethod
    def of_house_rulings(cls, home: Path, game: str) -> WorkspaceDataFile:
        """The rulings of the house on ``game`` in the workspace ``home``."""
        return cls(
            home, home / RULINGS / game / HOUSE, partial(_check_rulings, game=game, name=HOUSE)
        )

    @classmethod
    def of_confirmations(cls, home: Path, game: str) -> WorkspaceDataFile:
        """What rulings on ``game`` rest on as it was when they were confirmed, in the workspace
        ``home``.
        """
        return cls(
            home,
            home / RULINGS / game / CONFIRMED,
            partial(_check_rulings, game=game, name=CONFIRMED),
        )

    @classmethod
    def of_reviews(cls, home: Path, game: str) -> WorkspaceDataFile:
        """The reviews of differences between editions of ``game`` in the workspace ``home``."""
        return cls(
            home,
            home / REVIEWS / f"{game}.jsonl",
            lambda path: parse_reviews(path.read_text(encoding="utf-8")),
        )

    def read(self) -> str:
        """Return what is in it, line ends as they are; "" where there is no file. Raises `NotKept`
        where it cannot be read.
        """
        try:
            return self.path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as fault:
            raise NotKept(f"{self.path}: cannot be read ({fault}); nothing was written") from fault

    def change(self, changed: Callable[[str], str]) -> str:
        """Replace the text of the file by what ``changed`` makes of it, while nobody else changes
        the workspace, and return that.

        Raises `NotKept` where it cannot be written or would be faulty, and whatever ``changed``
        raises; the file is then as it was.
        """
        try:
            with self._scope.changing() as changes:
                return self.stage(changes, changed)
        except FileInUse as fault:
            raise NotKept(
                f"{self.path}: somebody else is writing; it is as it was, try again"
            ) from fault
        except UnfinishedChange as fault:
            raise NotKept(str(fault)) from fault
        except RegulaError:
            raise
        except OSError as fault:
            raise NotKept(
                f"{self.path}: cannot be written ({fault.strerror}); it is as it was"
            ) from fault

    def stage(self, changes: FileChanges, changed: Callable[[str], str]) -> str:
        """Do as `change` does among other ``changes`` of the workspace."""
        before = self.read()
        after = changed(before)
        if after != before:
            changes.write(self.path, after.encode(), self._checked)
        return after

    def _checked(self, staged: Path) -> None:
        try:
            self._check(staged)
        except DataFileError as fault:
            why = str(fault).replace(staged.name, self.path.name)
            raise NotKept(f"{self.path}: would be faulty ({why}); it is as it was") from fault

    @contextmanager
    def claimed(self, work: str) -> Iterator[None]:
        """Let no other process do the same ``work`` on this file. Raises `InUse` where one does."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with held(self.path.with_name(f".{self.path.name}.{work}"), 0.0):
                yield
        except FileInUse as fault:
            raise InUse(f"{self.path}: another process is {work} it; wait for its end") from fault


def _check_rulings(path: Path, game: str, name: str) -> None:
    """Raise `DataFileError` for the first fault of a file of rulings that is to be called
    ``name``.
    """
    for fault in read_rulings([SourceFile.of(name, path.read_bytes())], game).faults:
        raise DataFileError(str(fault))


def text_hash(text: str) -> str:
    """Return the SHA-256 of ``text``, by which one tells that a file has changed since it was
    read.
    """
    return hashlib.sha256(text.encode()).hexdigest()
