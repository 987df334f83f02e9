"""Where feedback is kept: files of a workspace, one for each month, or Redis until they collect
it.
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
# Of one month: some 40,000 records; nobody fills the disk by pressing buttons
MOST_BYTES = 20_000_000
# Seconds that a record waits while others are written, each of which takes less than a millisecond
WAIT = 2.0
# Times that, beyond which a file is none of feedback; what other servers had kept is bounded for
# itself
_LARGEST = 2
_LOCK = ".collecting"  # in the workspace
_FILES = "[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl"


class FeedbackNotKept(RegulaError, OSError):
    """Feedback that cannot be written; the message is one line that says why."""


class FeedbackRead(NamedTuple):
    """What a workspace has of feedback: the records in the order of writing, and a note for each
    file with lines that are none.
    """

    records: list[FeedbackRecord]
    notes: list[str]

    def standing(self) -> list[FeedbackRecord]:
        """Return the records that were not taken back."""
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
        """Write ``record`` behind those of its month, whole or not at all; others that write are
        waited for ``wait`` seconds.

        It may use at most this ``share`` of the month's bytes, and is on the disk afterwards if
        ``synced``. Raises `FeedbackNotKept`.
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
        """Let no other process take in what other servers have kept. Raises `FeedbackNotKept`."""
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
        """Write ``lines`` of records behind those of their months, and return how many were not
        there yet; all are on the disk then.

        A line that is no record is kept as well. Raises `FeedbackNotKept`, and what was taken in
        stays.
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
            ):  # a process was ended while it wrote: its line is passed over, this one is not
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
        """Return all that is kept, oldest month first. Raises `FeedbackNotKept` where a file cannot
        be read.
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

MOST_RECORDS = 100_000  # that wait at once: some 50 MB of memory
_COLLECTING = 10.0  # seconds that Redis may take while records are collected
_BATCH = 1000  # records that are collected at once
_WAITING = "{regula-feedback}:waiting"  # the list; the braces keep all in one place of a cluster
_BYTES = "{regula-feedback}:bytes:"  # and a month: how much was put there of it
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
# Only what was read is removed: the list may have been lost and begun anew since.
_REMOVE = """
for number, line in ipairs(ARGV) do
    if redis.call('LINDEX', KEYS[1], 0) ~= line then return number - 1 end
    redis.call('LPOP', KEYS[1])
end
return #ARGV
"""


class FeedbackQueue:
    """The feedback that waits in the Redis at ``address``, bounded like the files of a workspace.
    Raises `ImportError` without redis.
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
        self._retry = Retry(
            NoBackoff(), 0
        )  # one that was kept although it took too long would be kept twice
        self._clients: dict[float, Redis] = {}

    def append(
        self, record: FeedbackRecord, wait: float = WAIT, share: float = 1.0, synced: bool = True
    ) -> None:
        """Put ``record`` behind those that wait; Redis may take ``wait`` seconds.

        It may use at most this ``share`` of what there is for a month. Whether it is on a disk then
        is for Redis to decide: ``synced`` changes nothing. Raises `FeedbackNotKept`.
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
        """Return what waits, oldest first. Raises `FeedbackNotKept` where it cannot be read."""
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
        """Move all that waits into the files of ``store``, and return how many records these had
        not yet.

        Each is removed here once it is on the disk there: whenever this is killed, none is lost,
        and none is there twice after the next time. Raises `FeedbackNotKept`.
        """
        taken = 0
        with store.collecting():
            while lines := self._lines(0, _BATCH - 1):
                taken += store.take_in(lines)
                with self._telling("what was collected is there all the same"):
                    removed = self._redis(_COLLECTING).eval(_REMOVE, 1, _WAITING, *lines)
                if removed < len(
                    lines
                ):  # what waited was lost meanwhile, or another workspace collects it too
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
