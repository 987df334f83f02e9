"""Measure how work grows with its size, since no bound in seconds holds on every machine and beside
other tests; and wait for events.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 4  # how much larger the large work is
MOST = 8  # allowed factor; proportional growth would be 4, quadratic 16
FLOOR = 0.5  # seconds below which differences are noise
PATIENCE = 120.0  # most seconds to wait for an event, on a machine with other load


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
    """Return the processor time of this process that ``work`` takes, in seconds."""
    gc.freeze()  # else objects of earlier tests are scanned again and again
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.unfreeze()


def assert_in_proportion(prepare: Callable[[int], Callable[[], object]], size: int) -> None:
    """Assert that the time of the work which ``prepare`` returns for a size grows about in
    proportion, up to ``size``.
    """
    small = processor_seconds(prepare(size // TIMES))
    large = processor_seconds(prepare(size))
    assert large < MOST * small + FLOOR, f"{small:.2f} s for a quarter of what takes {large:.2f} s"
