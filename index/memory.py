"""What an index asks of memory: it is large, is made at once, and stays."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector: of what is made at a start nothing is garbage, and looking for it takes a tenth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def release() -> None:
    """Free what indexes that are no longer in use leave behind: parts of them refer to each other, and loading hid them."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def spare() -> None:
    """Have all threads of this process, and of those forked from it, allocate from one arena; where the C library is glibc.

    With an arena for each thread, what a question needs for a moment is kept once for each of them.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
