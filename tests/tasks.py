"""Other processes of tests, and what they do; they import this module for it, so it imports nothing that takes its time."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path


def tell(path: Path) -> None:
    """Write the id of the process to ``path``."""
    path.write_text(str(os.getpid()))


def linger(path: Path) -> None:
    """Write the id of the process to ``path``, and stay for a minute."""
    tell(path)
    time.sleep(60)


def run_out_of_space(path: Path) -> None:
    """Raise what writing ``path`` raises on a full disk."""
    raise OSError(28, "No space left on device", str(path))


def find_nothing(what: str) -> None:
    """Raise `LookupError`."""
    raise LookupError(what)


def die(path: Path, times: int) -> str:
    """End as if killed, the first ``times`` times; these are counted in ``path``."""
    with path.open("a") as file:
        file.write("x")
    if len(path.read_text()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def name_of(contents: object) -> bytes:
    """The id of a snapshot."""
    return str(contents.id).encode()  # type: ignore[attr-defined]


def find_nothing_in(contents: object, what: str) -> bytes:
    """Raise `LookupError`."""
    raise LookupError(what)


def die_in(contents: object, path: Path) -> bytes:
    """End as if killed, each time."""
    return die(path, 9).encode()


def unsendable() -> object:
    """What no process can send to another."""
    return lambda: None


def forked(work: Callable[[], object]) -> int:
    """The id of a process that does ``work``."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os._exit(status)
    return child
