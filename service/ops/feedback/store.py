"""Store feedback in the files of a workspace, one for each month, or in Redis until it is collected
into these files.
"""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from corpus.dates import today
from corpus.errors import RegulaError
from corpus.file_changes import PATIENCE, ChangeScope, FileInUse, held
from service.ops.feedback.records import (
    FeedbackRecord,
    Verdict,
)
from service.ops.settings import masked

FOLDER = "feedback"  # in the workspace
# For one month, some 40,000 records, so that pressing buttons cannot fill the disk
MOST_BYTES = 20_000_000
# Seconds that a record waits while others are written; each write takes less than a millisecond
WAIT = 2.0
# A file larger than this many times `MOST_BYTES` is no file of feedback. Records collected from
# other servers have a limit of their own
_LARGEST = 2
_LOCK = ".collecting"  # in the workspace
_FILES = "[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl"


class FeedbackNotKept(RegulaError, OSError):
    """Feedback that cannot be stored; the message is one line that says why."""


class FeedbackRead(NamedTuple):
    """The feedback in a workspace: the records in the order of writing, and a note for each file
    that has invalid lines.
    """

    records: list[FeedbackRecord]
    notes: list[str]

    def standing(self) -> list[FeedbackRecord]:
        """Return the records that were not withdrawn."""
        undone = {record.id for record in self.records if record.verdict is Verdict.UNDONE}
        return [record for record in self.records if record.id not in undone]


class FeedbackStore:
    """The feedback of the workspace ``home``."""

    def __init__(self, home: Path, most_bytes: int = MOST_BYTES):
        self.folder = home / FOLDER
        self._lock = home / _LOCK
        self._scope = ChangeScope.of_workspace(home)
        self._most_bytes = most_bytes

    def append(
        self, record: FeedbackRecord, wait: float = WAIT, share: float = 1.0, synced: bool = True
    ) -> None:
        """Append ``record`` to the file of its month, whole or not at all. Waits up to ``wait``
        seconds for other writers.

        The file may fill at most this ``share`` of the month's bytes. If ``synced``, the record is
        on the disk afterwards. Raises `FeedbackNotKept`.
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
            raise FeedbackNotKept(
                f"{path}: others have been writing for {wait:g} seconds; nothing was kept"
            ) from fault
        except OSError as fault:
            raise FeedbackNotKept(
                f"{path}: cannot be written ({fault.strerror or fault}); nothing was kept"
            ) from fault

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Keep other processes from collecting at the same time. Raises `FeedbackNotKept`."""
        try:
            with held(self._lock):
                yield
        except FeedbackNotKept:
            raise
        except FileInUse as fault:
            raise FeedbackNotKept(
                f"{self._lock}: another process is collecting; nothing was collected"
            ) from fault
        except OSError as fault:
            raise FeedbackNotKept(
                f"{self._lock}: cannot be written ({fault.strerror or fault}); nothing was "
                "collected"
            ) from fault

    def take_in(self, lines: Iterable[bytes]) -> int:
        """Append ``lines`` of records to the files of their months, and return how many were new.
        All are on the disk afterwards.

        A line that is no valid record is stored as well. Raises `FeedbackNotKept`; lines that were
        stored by then stay.
        """
        months: dict[str, list[bytes]] = defaultdict(list)
        for line in dict.fromkeys(lines):
            try:
                day = FeedbackRecord.model_validate_json(line).day
            except ValidationError:
                day = today()
            months[day[:7]].append(line.replace(b"\n", b" "))
        return sum(
            self._take_in(self.folder / f"{month}.jsonl", found)
            for month, found in sorted(months.items())
        )

    def _take_in(self, path: Path, lines: Iterable[bytes]) -> int:
        try:
            with self._scope.appending(PATIENCE):
                self.folder.mkdir(exist_ok=True)
                there = set(path.read_bytes().split(b"\n")) if path.exists() else set()
                new = [line + b"\n" for line in lines if line not in there]
                with FileIO(path, "a+b") as file:
                    if new:
                        self._write(file, b"".join(new), _LARGEST * self._most_bytes, synced=True)
                    else:  # a process that was killed may have written them
                        os.fsync(file.fileno())
                return len(new)
        except FeedbackNotKept:
            raise
        except OSError as fault:
            raise FeedbackNotKept(
                f"{path}: cannot be written ({fault.strerror or fault}); what waits is not "
                "collected"
            ) from fault

    def _write(self, file: FileIO, line: bytes, most_bytes: int, synced: bool) -> None:
        size = file.seek(0, 2)
        if size + len(line) > most_bytes:
            raise FeedbackNotKept(
                f"{file.name}: has the {most_bytes:,} bytes that there are for a month; nothing "
                "was kept"
            )
        if size:
            file.seek(size - 1)
            if (
                file.read(1) != b"\n"
            ):  # a process ended while it wrote: only its broken line is skipped in reading
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
        """Return all records, oldest month first. Raises `FeedbackNotKept` if a file cannot be
        read.
        """
        found = FeedbackRead([], [])
        for path in sorted(self.folder.glob(_FILES)):
            try:
                if path.stat().st_size > _LARGEST * self._most_bytes:
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
                found.notes.append(
                    f"{path}: line {faulty[0]}{others}: no record of feedback, or a part of one; "
                    "passed over"
                )
        return found


if TYPE_CHECKING:
    from redis import Redis

MOST_RECORDS = 100_000  # that may wait at once: some 50 MB of memory
_COLLECTING = 10.0  # seconds that Redis may take while records are collected
_BATCH = 1000  # records that are collected at once
_WAITING = "{regula-feedback}:waiting"  # the list; the braces keep all keys in one cluster slot
_BYTES = "{regula-feedback}:bytes:"  # followed by a month: the bytes stored for it
_KEPT, _MONTH_FULL, _ALL_FULL = 0, 1, 2

_PUT = """
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
if used + #ARGV[1] > tonumber(ARGV[2]) then return 1 end
if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 2 end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('INCRBY', KEYS[2], #ARGV[1])
redis.call('EXPIRE', KEYS[2], 6000000)
return 0
"""
# Remove only what was read: the list may have been lost and started anew meanwhile.
_REMOVE = """
for number, line in ipairs(ARGV) do
    if redis.call('LINDEX', KEYS[1], 0) ~= line then return number - 1 end
    redis.call('LPOP', KEYS[1])
end
return #ARGV
"""


class FeedbackQueue:
    """The feedback that waits in the Redis at ``address``, with the same limits as the files of a
    workspace. Raises `ImportError` without redis.
    """

    def __init__(
        self, address: str, most_bytes: int = MOST_BYTES, most_records: int = MOST_RECORDS
    ):
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        self._address = address
        self._told = masked(address)
        self._most_bytes = most_bytes
        self._most_records = most_records
        self._faults = (redis.RedisError, OSError)
        self._client = redis.Redis.from_url
        self._retry = Retry(NoBackoff(), 0)  # a retry after a timeout could store a record twice
        self._clients: dict[float, Redis] = {}

    def append(
        self, record: FeedbackRecord, wait: float = WAIT, share: float = 1.0, synced: bool = True
    ) -> None:
        """Append ``record`` to the queue; Redis may take ``wait`` seconds.

        The queue may fill at most this ``share`` of a month's bytes. Redis decides whether the
        record is on a disk afterwards: ``synced`` changes nothing. Raises `FeedbackNotKept`.
        """
        line, month = record.line().rstrip(b"\n"), record.day[:7]
        limits = [int(share * self._most_bytes), int(share * self._most_records)]
        with self._telling("nothing was kept"):
            done = self._redis(wait).eval(_PUT, 2, _WAITING, _BYTES + month, line, *limits)
        if done == _MONTH_FULL:
            raise FeedbackNotKept(
                f"{self._told}: has the {limits[0]:,} bytes that there are for a month; nothing "
                "was kept"
            )
        if done == _ALL_FULL:
            raise FeedbackNotKept(
                f"{self._told}: {limits[1]:,} records wait for 'regula feedback collect'; nothing "
                "was kept"
            )

    def read(self) -> FeedbackRead:
        """Return the waiting records, oldest first. Raises `FeedbackNotKept` if they cannot be
        read.
        """
        found = FeedbackRead([], [])
        for line in self._lines(0, -1):
            try:
                found.records.append(FeedbackRecord.model_validate_json(line))
            except ValidationError:
                found.notes.append(
                    f"{self._told}: something that waits there is no record of feedback; passed "
                    "over"
                )
        return found

    def collect_into(self, store: FeedbackStore) -> int:
        """Move all waiting records into the files of ``store``, and return how many were new there.

        A record is removed here once it is on the disk there. If this is killed, no record is lost,
        and none is there twice after the next run. Raises `FeedbackNotKept`.
        """
        taken = 0
        with store.collecting():
            while lines := self._lines(0, _BATCH - 1):
                taken += store.take_in(lines)
                with self._telling("what was collected is there all the same"):
                    removed = self._redis(_COLLECTING).eval(_REMOVE, 1, _WAITING, *lines)
                if removed < len(
                    lines
                ):  # the waiting records were lost meanwhile, or another workspace collects too
                    break
        return taken

    def _lines(self, first: int, last: int) -> list[bytes]:
        with self._telling("what waits there is not collected"):
            found: Any = self._redis(_COLLECTING).lrange(_WAITING, first, last)
            return list(found)

    def _redis(self, wait: float) -> Any:
        if wait not in self._clients:
            self._clients[wait] = self._client(
                self._address, socket_timeout=wait, socket_connect_timeout=wait, retry=self._retry
            )
        return self._clients[wait]

    @contextmanager
    def _telling(self, outcome: str) -> Iterator[None]:
        try:
            yield
        except self._faults as fault:
            raise FeedbackNotKept(
                f"{self._told}: cannot be reached ({str(fault) or type(fault).__name__}); {outcome}"
            ) from fault


FeedbackStorage = FeedbackStore | FeedbackQueue
