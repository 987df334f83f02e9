"""Counts of calls for rate limits: in memory, or shared by processes and servers in Redis."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from limits.errors import ConfigurationError
from limits.storage import (
    MemoryStorage,
    MovingWindowSupport,
    RedisStorage,
    Storage,
    storage_from_string,
)

from service.ops.settings import masked

_JUMP = 0.5  # seconds that the wall clock must jump to count as set
TIMEOUT = 0.5  # seconds that Redis may take
_AGAIN = 2.0  # seconds until a process tries Redis again after a failure, with one request
_LOG = logging.getLogger("regula")

T = TypeVar("T")


class SteadyMemoryStorage(MemoryStorage):
    """The in-memory counts of limits, which use the wall clock. When that clock is set, the counts
    move along.

    Otherwise a client that has used up its calls would be refused for an hour after the clock is
    set back by an hour.
    """

    STORAGE_SCHEME = ["steady"]  # noqa: RUF012 - which registers it for steady://

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **options: str):
        self._lag = time.time() - time.monotonic()
        self._moving = Lock()
        super().__init__(uri, wrap_exceptions, **options)

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count ``amount`` calls of ``key``, unless that makes more than ``limit`` in a window."""
        self._follow_clock()
        return super().acquire_entry(key, limit, expiry, amount)

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window of ``key`` began, and how many calls are in it."""
        self._follow_clock()
        return super().get_moving_window(key, limit, expiry)

    def _MemoryStorage__expire_events(self) -> None:  # the name that the timer of limits calls
        self._follow_clock()
        super()._MemoryStorage__expire_events()  # type: ignore[misc]

    def _follow_clock(self) -> None:
        jump = time.time() - time.monotonic() - self._lag
        if abs(jump) < _JUMP:
            return
        with self._moving:
            jump = time.time() - time.monotonic() - self._lag
            if abs(jump) < _JUMP:
                return  # another thread has done it
            self._lag += jump
            # A call that counts as several is one entry, listed several times.
            counted = [each for entries in list(self.events.values()) for each in list(entries)]
            for entry in {id(each): each for each in counted}.values():
                entry.atime += jump
                entry.expiry += jump


# Only the clock of Redis counts, because those of several servers differ. If it was set back,
# counts with a future time are dropped, since they would lock everybody out until then.
_NOW = b"""
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local newest = redis.call('LINDEX', KEYS[1], 0)
if newest and tonumber(newest) > now + 1 then redis.call('DEL', KEYS[1]) end
"""
# Given the seconds of a window and the most calls in it, return the age of the oldest call in it
# and the number of calls.
_WINDOW = (
    _NOW
    + b"""
local low, high = 0, math.min(tonumber(ARGV[2]), redis.call('LLEN', KEYS[1]))
while low < high do
    local middle = math.floor((low + high) / 2)
    local called = tonumber(redis.call('LINDEX', KEYS[1], middle))
    if called >= now - ARGV[1] then low = middle + 1 else high = middle end
end
if low == 0 then return {'0', 0} end
return {tostring(now - redis.call('LINDEX', KEYS[1], low - 1)), low}
"""
)


class RedisCounts(RedisStorage):
    """The Redis counts of limits, by the clock of Redis."""

    STORAGE_SCHEME = ["regula+redis"]  # noqa: RUF012 - none that a setting may have
    SCRIPT_MOVING_WINDOW = _WINDOW
    SCRIPT_ACQUIRE_MOVING_WINDOW = (
        _NOW + b"ARGV[1] = now\n" + RedisStorage.SCRIPT_ACQUIRE_MOVING_WINDOW
    )

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window of ``key`` began, by the clock of this machine, and the number of
        calls in it.
        """
        age, calls = self.lua_moving_window([self.prefixed_key(key)], [expiry, limit])
        return time.time() - float(age), int(calls)


class SharedCounts(Storage, MovingWindowSupport):
    """Counts in Redis at ``address``; while it does not answer, counts of this process alone.

    So limits stay in force and no request fails.
    """

    STORAGE_SCHEME = ["shared"]  # noqa: RUF012 - which registers it for shared://

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, address: str = ""):
        super().__init__(uri, wrap_exceptions)
        self._shared: Any = _store(address)
        self._own = SteadyMemoryStorage()
        self._told = masked(address)
        self._away = False
        self._changed = 0.0  # when `_away` last changed
        self._again = 0.0  # when to try Redis again
        self._lock = Lock()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count ``amount`` calls of ``key``, unless that makes more than ``limit`` in a window."""
        return self._counted(lambda store: store.acquire_entry(key, limit, expiry, amount))

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window of ``key`` began, and how many calls are in it."""
        return self._counted(lambda store: store.get_moving_window(key, limit, expiry))

    def _counted(self, count: Callable[[MovingWindowSupport], T]) -> T:
        if self._is_asked():
            began = time.monotonic()
            try:
                found = count(self._shared)
            except (self._shared.base_exceptions, OSError) as fault:
                self._note(began, fault)
            else:
                self._note(began, None)
                return found
        return count(self._own)

    def _is_asked(self) -> bool:
        if not self._away:
            return True
        with self._lock:
            if time.monotonic() < self._again:
                return False
            self._again = time.monotonic() + _AGAIN
            return True

    def _note(self, began: float, fault: Exception | None) -> None:
        away = fault is not None
        if away == self._away:
            return
        with self._lock:
            if away == self._away or began < self._changed:  # an outdated result
                return
            self._away, self._changed = away, time.monotonic()
            self._again = self._changed + _AGAIN
        if away:
            _LOG.warning(
                "the counts of calls at %s cannot be reached (%s); each process counts for itself "
                "meanwhile",
                self._told,
                fault,
            )
        else:
            _LOG.warning("the counts of calls at %s can be reached again", self._told)

    # Required by the interface of limits, but unused by moving windows.

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        """The errors that this store raises: none."""
        return ()

    def check(self) -> bool:
        """Return true: counts can always be kept."""
        return True

    def _unused(self, *_: Any) -> Any:
        raise NotImplementedError

    incr = get = get_expiry = reset = clear = _unused  # type: ignore[assignment]


def counts_at(storage: str) -> tuple[str, dict[str, str | int]]:
    """Return the address and options with which limits opens the store that the setting ``storage``
    names.
    """
    if storage.startswith("memory:"):
        return "steady://", {}
    return "shared://", {"address": storage}


def _store(address: str) -> Any:
    """Return the store of counts at ``address``. Raises `ConfigurationError`."""
    scheme = address.partition("://")[0]
    options: dict[str, Any] = {}
    if scheme.startswith(("redis", "valkey")):
        options = {"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT}
    try:
        if scheme in RedisStorage.STORAGE_SCHEME and scheme.startswith("redis"):
            from redis.backoff import NoBackoff
            from redis.retry import Retry

            options["retry"] = Retry(NoBackoff(), 0)
            return RedisCounts(address, **options)
        return storage_from_string(address, **options)
    except (ConfigurationError, ImportError) as fault:
        text = "counting in Redis needs the package redis: pip install 'regula[redis]'"
        raise ConfigurationError(text if scheme.startswith("redis") else str(fault)) from fault
