"""Run coroutines to their end, even if the tests' thread has a running event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_a_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of ``coroutine``, run in a thread of its own: a browser of other tests may
    have a loop running in this one.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
