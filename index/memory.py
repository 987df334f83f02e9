"""Process settings for an index in memory, which is large, created at once and long-lived: garbage
collector and malloc.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of malloc.h
_TRIM_BYTES = 16 << 20  # free bytes at the end of the heap that are kept
_MMAP_BYTES = 4 << 20  # bytes of an array that gets pages of its own


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Pause the garbage collector inside the block: a start creates no garbage, and looking for it
    takes a tenth of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def long_lived_objects() -> Iterator[None]:
    """Load an index inside the block: the garbage collector is paused, and ignores the new objects
    afterwards.

    This changes the whole process, so it is called by the code that runs the process and holds the
    index, never by `Index.load`. Without it, every full collection visits all objects of the index
    while a question waits. Objects of an index no longer in use are freed by
    `free_long_lived_objects`.
    """
    with gc_disabled():
        yield
    gc.freeze()


def free_long_lived_objects() -> None:
    """Free the objects of unused indexes that refer to each other and that the collector
    ignores.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back_memory() -> None:
    """Return free memory to the system that malloc would keep for later use; works only with
    glibc.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def tune_allocator() -> None:
    """Set up malloc for answering, in this process and those forked from it; does nothing where the
    C library is not glibc.

    All threads allocate from one arena: separate arenas would each keep the memory that a question
    needs. Freed memory is kept for the next question: otherwise its larger arrays get new pages
    every time, and a question to one of four hundred editions takes a quarter longer.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for parameter, value in (
            (_ARENA_MAX, 1),
            (_TRIM_THRESHOLD, _TRIM_BYTES),
            (_MMAP_THRESHOLD, _MMAP_BYTES),
        ):
            library.mallopt(parameter, value)
