"""The files of feedback in a workspace: one for each month, a JSON object a line, appended by any number of processes at once."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from corpus.errors import RegulaError
from corpus.file_changes import ChangeScope, FileInUse
from service.ops.feedback.feedback_records import FeedbackRecord, Verdict

FOLDER = "feedback"  # in the workspace
MOST_BYTES = 20_000_000  # of one month: some 40,000 records; nobody fills the disk by pressing buttons
WAIT = 2.0  # seconds that a record waits while others are written, each of which takes less than a millisecond
_FILES = "[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl"


class FeedbackNotKept(RegulaError, OSError):
    """Feedback that cannot be written; the message is one line that says why."""


class FeedbackRead(NamedTuple):
    """What a workspace has of feedback: the records in the order of writing, and a note for each file with lines that are none."""

    records: list[FeedbackRecord]
    notes: list[str]

    def standing(self) -> list[FeedbackRecord]:
        """The records that were not taken back."""
        undone = {record.id for record in self.records if record.verdict is Verdict.UNDONE}
        return [record for record in self.records if record.id not in undone]


class FeedbackStore:
    """The feedback of the workspace ``home``."""

    def __init__(self, home: Path, most_bytes: int = MOST_BYTES):
        self.folder = home / FOLDER
        self._scope = ChangeScope.of_workspace(home)
        self._most_bytes = most_bytes

    def append(self, record: FeedbackRecord, wait: float = WAIT, share: float = 1.0, synced: bool = True) -> None:
        """Write ``record`` behind those of its month, whole or not at all; others that write are waited for ``wait`` seconds.

        It may use at most this ``share`` of the month's bytes, and is on the disk afterwards if ``synced``. Raises `FeedbackNotKept`.
        """
        path = self.folder / f"{record.day[:7]}.jsonl"
        try:
            with self._scope.appending(wait):
                self.folder.mkdir(exist_ok=True)
                with FileIO(path, "a+b") as file:
                    self._write(file, record.line(), int(share * self._most_bytes), synced)
        except FeedbackNotKept:
            raise
        except FileInUse as fault:
            raise FeedbackNotKept(f"{path}: others have been writing for {wait:g} seconds; nothing was kept") from fault
        except OSError as fault:
            raise FeedbackNotKept(f"{path}: cannot be written ({fault.strerror or fault}); nothing was kept") from fault

    def _write(self, file: FileIO, line: bytes, most_bytes: int, synced: bool) -> None:
        size = file.seek(0, 2)
        if size + len(line) > most_bytes:
            raise FeedbackNotKept(f"{file.name}: has the {most_bytes:,} bytes that there are for a month; nothing was kept")
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":  # a process was ended while it wrote: its line is passed over, this one is not
                line = b"\n" + line
        try:
            if file.write(line) != len(line):
                raise OSError(errno.ENOSPC, "the disk is full")
            if synced:
                os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            raise

    def read(self) -> FeedbackRead:
        """Return all that is kept, oldest month first. Raises `FeedbackNotKept` where a file cannot be read."""
        found = FeedbackRead([], [])
        for path in sorted(self.folder.glob(_FILES)):
            try:
                if path.stat().st_size > 2 * self._most_bytes:
                    found.notes.append(f"{path}: larger than any file of feedback; passed over")
                    continue
                lines = path.read_bytes().split(b"\n")
            except OSError as fault:
                raise FeedbackNotKept(f"{path}: cannot be read ({fault.strerror})") from fault
            faulty = []
            for number, line in enumerate(lines, 1):
                try:
                    if line.strip():
                        found.records.append(FeedbackRecord.model_validate_json(line))
                except ValidationError:
                    faulty.append(number)
            if faulty:
                others = f" and {len(faulty) - 1} further lines" if len(faulty) > 1 else ""
                found.notes.append(f"{path}: line {faulty[0]}{others}: no record of feedback, or a part of one; passed over")
        return found
