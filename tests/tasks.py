"""Start other processes of tests, and define the work they do. They import this module, so it
imports nothing slow.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any


def tell(path: Path) -> None:
    """Write the process id to ``path``."""
    path.write_text(str(os.getpid()))


def linger(path: Path) -> None:
    """Write the process id to ``path``, and sleep for a minute."""
    tell(path)
    time.sleep(60)


def die(path: Path, times: int) -> str:
    """End as if killed, but only the first ``times`` calls, which are counted in ``path``."""
    with path.open("a") as file:
        file.write("x")
    if len(path.read_text()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def name_of(contents: object) -> bytes:
    """Return the id of a snapshot."""
    return str(contents.id).encode()  # type: ignore[attr-defined]


def find_nothing_in(contents: object, what: str) -> bytes:
    """Raise `LookupError`."""
    raise LookupError(what)


def forked(work: Callable[[], object]) -> int:
    """Fork a process that does ``work``, and return its id."""
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


_STEPS = frozenset(
    {
        "open",
        "os.rename",
        "os.remove",
        "os.mkdir",
        "os.rmdir",
        "os.truncate",
        "os.link",
        "os.chmod",
        "os.chown",
    }
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def die_at(step: int, folder: Path, counted: Path | None = None) -> None:
    """Have this process killed at a step of its later work in ``folder``; steps are counted from 0.

    A step is a change of the disk: the moment before a file is opened for writing, renamed or
    removed, a folder created, or data synced. The number of steps so far is written to the file
    ``counted``.
    """
    steps, name = count(), str(folder)

    def die() -> None:
        number = next(steps)
        if number == step:
            os.kill(os.getpid(), signal.SIGKILL)
        if counted is not None:
            counted.write_text(str(number + 1))

    def look(event: str, arguments: tuple[object, ...]) -> None:
        here = event in _STEPS and any(
            isinstance(each, (str, Path)) and str(each).startswith(name) for each in arguments
        )
        if here and (
            event != "open" or (isinstance(arguments[2], int) and arguments[2] & _WRITING)
        ):
            die()

    whole = os.fsync

    def sync(fd: Any) -> None:
        die()
        whole(fd)

    os.fsync = sync
    sys.addaudithook(look)


def ended(child: int) -> int:
    """Wait for ``child`` and return its exit status; for a killed one, the negative number of the
    signal.
    """
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(step: int, folder: Path, work: Callable[[], object]) -> bool:
    """Do ``work`` in a process that is killed at a ``step`` of it in ``folder``. Return false where
    it ended before.
    """

    def until() -> None:
        die_at(step, folder)
        work()

    status = ended(forked(until))
    assert status in (0, -signal.SIGKILL), status
    return status != 0


def serve_and_hold() -> None:
    """Run the command line with two special requests for suggestions: "hold" blocks the interpreter
    forever, "wait" sleeps for a minute.

    REGULA_SIGN_OF_LIFE is the number of seconds without a heartbeat after which a process counts as
    stuck; in production it is longer.
    """
    import re

    from flask import request

    from service.cli import main
    from service.web import app
    from service.web.server import http_server, production

    seconds = int(os.environ.pop("REGULA_SIGN_OF_LIFE"))
    http_server._SIGN_OF_LIFE = production._SIGN_OF_LIFE = seconds
    create_app = app.create_app

    def hold() -> None:
        if request.args.get("q") == "hold":
            re.match("(a+)+$", "a" * 99 + "b")
        if request.args.get("q") == "wait":
            time.sleep(60)

    def create_holding_app(*given: object, **named: object) -> app.RegulaApp:
        made = create_app(*given, **named)  # type: ignore[arg-type]
        made.before_request(hold)
        return made

    app.create_app = create_holding_app
    main()
