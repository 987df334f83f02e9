"""Work that is done beside the rest, in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

MANY = 20_000  # texts whose indexing takes longer than to start a process and to send them there


@contextmanager
def run_in_subprocess(worth_it: bool, function: Callable[..., T], *arguments: Any) -> Iterator[Callable[[], T]]:
    """Begin ``function``; what is given waits for its end, returns what it returned and raises what it raised.

    At once and here where it is not ``worth_it``.

    The process is a new one, since libraries with threads do not survive a fork, and it ends with this one: what is killed in
    the middle of a build must not go on writing into the next.
    """
    if not worth_it:
        made = function(*arguments)
        yield lambda: made
        return
    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as pool:
        yield pool.submit(function, *arguments).result


def end_with_parent() -> None:
    """From now on this process ends when the one that started it does, however that ends."""
    Thread(target=_end, daemon=True).start()


def _end() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
