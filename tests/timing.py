"""How long work takes, compared with itself: no bound in seconds holds on every machine and beside
other tests. What has to happen some time is waited for.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 4  # how much larger the large work is
MOST = 8  # how much longer it may take; in proportion would be 4, with the square of the size 16
FLOOR = 0.5  # seconds below which nothing is told apart from chance
PATIENCE = 120.0  # seconds until what takes a moment has happened, on a machine that others use too


def until(
    condition: Callable[[], object],
    seconds: float = PATIENCE,
    told: Callable[[], object] = lambda: "",
) -> float:
    """Wait until ``condition`` holds, and return how long that took."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() < begun + seconds, told()
        time.sleep(0.02)
    return time.monotonic() - begun


def processor_seconds(work: Callable[[], object]) -> float:
    """Seconds of this process's processor time that ``work`` takes."""
    gc.freeze()  # else what tests before have left is looked through again and again
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.unfreeze()


def assert_in_proportion(prepare: Callable[[int], Callable[[], object]], size: int) -> None:
    """Assert that the work which ``prepare`` makes of a size takes about in proportion to it, up to
    ``size``.
    """
    small = processor_seconds(prepare(size // TIMES))
    large = processor_seconds(prepare(size))
    assert large < MOST * small + FLOOR, f"{small:.2f} s for a quarter of what takes {large:.2f} s"
