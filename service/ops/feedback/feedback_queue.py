"""Feedback of servers without a workspace: it waits in Redis until the machine with the workspace
collects it into its files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from service.ops.feedback.feedback_records import FeedbackRecord
from service.ops.feedback.feedback_store import (
    MOST_BYTES,
    WAIT,
    FeedbackNotKept,
    FeedbackRead,
    FeedbackStore,
)
from service.ops.masking import masked

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
                f"{self._told}: has the {limits[0]:,} bytes that there are for a month; nothing was kept"
            )
        if done == _ALL_FULL:
            raise FeedbackNotKept(
                f"{self._told}: {limits[1]:,} records wait for 'regula feedback collect'; nothing was kept"
            )

    def read(self) -> FeedbackRead:
        """Return what waits, oldest first. Raises `FeedbackNotKept` where it cannot be read."""
        found = FeedbackRead([], [])
        for line in self._lines(0, -1):
            try:
                found.records.append(FeedbackRecord.model_validate_json(line))
            except ValidationError:
                found.notes.append(
                    f"{self._told}: something that waits there is no record of feedback; passed over"
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
