"""Tune the garbage collector and malloc for a process that holds an index: large, created at once,
long-lived.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of malloc.h
_TRIM_BYTES = 16 << 20  # free bytes at the end of the heap that are kept
_MMAP_BYTES = 4 << 20  # bytes from which an array gets pages of its own


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Pause the garbage collector inside the block, which shortens the start of a process by a
    tenth.
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
    """Pause the garbage collector inside the block, and have it ignore the objects created there
    afterwards; load an index in it.

    Without this, every full collection visits all objects of the index while a question waits. It
    changes the whole process, so the code that runs the process calls it, not `Index.load`. Call
    `free_long_lived_objects` to free the objects of an index no longer in use.
    """
    with gc_disabled():
        yield
    gc.freeze()


def free_long_lived_objects() -> None:
    """Free unused objects in reference cycles that `long_lived_objects` hides from the
    collector.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back_memory() -> None:
    """Return the free memory that malloc keeps to the system; does nothing without glibc."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def tune_allocator() -> None:
    """Set up malloc for answering, in this process and its forks; does nothing without glibc.

    All threads share one arena: separate arenas would each keep the memory that a question needs.
    Freed memory is kept for the next question: otherwise larger arrays get new pages every time,
    and a question to one of four hundred editions takes a quarter longer.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for parameter, value in (
            (_ARENA_MAX, 1),
            (_TRIM_THRESHOLD, _TRIM_BYTES),
            (_MMAP_THRESHOLD, _MMAP_BYTES),
        ):
            library.mallopt(parameter, value)
