"""Run a function in another process while this one goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def run_in_subprocess(worth_it: bool, function: Callable[..., T], *arguments: Any) -> Iterator[Callable[[], T]]:
    """Start ``function``; yields a function that waits for its end, returns what it returned and raises what it raised.

    Where it is not ``worth_it``, it is called here, at once. The process is spawned, since libraries with threads do not survive a
    fork, and it ends when this one does: what is left of a build that was killed must not go on writing into the next.
    """
    if not worth_it:
        made = function(*arguments)
        yield lambda: made
        return
    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as pool:
        yield pool.submit(function, *arguments).result


def end_with_parent() -> None:
    """Have this process end when the one that started it does, however that ends."""
    Thread(target=_end, daemon=True).start()


def _end() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
