"""What an index asks of memory: it is large, is made at once, and stays."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of malloc.h
_KEPT = 16 << 20  # bytes free at the end of the heap that are not given back
_MAPPED = 4 << 20  # bytes of an array that gets pages of its own


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


def tune_allocator() -> None:
    """Have this process, and those forked from it, allocate as answering wants it; where the C library is glibc.

    All threads from one arena: with one for each, what a question needs for a moment is kept once for each of them. And what a
    question gave back is kept for the next: else its larger arrays are of new pages every time, which takes a question to one of
    four hundred editions a quarter longer.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for what, value in ((_ARENA_MAX, 1), (_TRIM_THRESHOLD, _KEPT), (_MMAP_THRESHOLD, _MAPPED)):
            library.mallopt(what, value)
