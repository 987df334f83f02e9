"""Run a function in another process while this one goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock
from types import ModuleType
from typing import Any, TypeVar

from corpus.parent_process import end_with

T = TypeVar("T")


_starting = Lock()


class _IndependentProcess(SpawnProcess):
    """A spawned process that does not run the program of its parent.

    Normally a spawned process runs the parent's main module again: a program that builds an index
    without ``if __name__ == "__main__"`` would build it again in the helping process, and both
    would wait for each other.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _starting:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main


class IndependentContext(SpawnContext):
    """Starts processes of multiprocessing: spawned, since libraries with threads do not survive a
    fork, and without the main module.
    """

    Process = _IndependentProcess


@contextmanager
def run_in_subprocess(
    worth_it: bool, function: Callable[..., T], *arguments: Any
) -> Iterator[Callable[[], T]]:
    """Start ``function`` in another process; yields a function that waits for its result, or raises
    its error.

    If not ``worth_it``, call ``function`` here at once. The process ends with this one: a helper of
    a killed build must not write into the next build.
    """
    if not worth_it:
        made = function(*arguments)
        yield lambda: made
        return
    with ProcessPoolExecutor(1, IndependentContext(), end_with_parent) as pool:
        yield pool.submit(function, *arguments).result


def end_with_parent() -> None:
    """End this process of multiprocessing when its parent ends, in whatever way."""
    parent = parent_process()
    assert parent is not None
    assert parent.pid is not None
    end_with(parent.pid)
