"""Run the service as an operator does: `regula serve --production` in processes of its own."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import URLError

import psutil
from flask import Flask

from service.ops.settings import Settings
from service.web.server.http_server import serve
from tests.environment import without_settings

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0  # most seconds to wait for an answer, on a machine where others build indexes too


@dataclass(frozen=True)
class Served:
    """A running service: its port, its main process, and its log file."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def workers(self) -> list[psutil.Process]:
        """Return the worker processes."""
        return list(psutil.Process(self.process.pid).children())

    def memory(self) -> int:
        """Return the bytes of all processes, with shared memory counted once (proportional set
        size).
        """
        return sum(
            p.memory_full_info().pss for p in [psutil.Process(self.process.pid), *self.workers()]
        )


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def answering(app: Flask, settings: Settings) -> str:
    """Return the address of a server of ``app`` in this process, once it answers; its thread ends
    with the tests.
    """
    Thread(target=serve, args=(app, settings), daemon=True).start()
    address = f"http://127.0.0.1:{settings.port}"
    end = time.monotonic() + PATIENCE
    while True:
        with suppress(URLError), urllib.request.urlopen(f"{address}/healthz"):
            return address
        assert time.monotonic() < end
        time.sleep(0.05)


PROGRAM = "from service.cli import main; main()"


def started(
    rulebooks: Path,
    index: Path,
    log: Path,
    variables: Mapping[str, str] | None = None,
    command: Sequence[str] = ("serve", "--production"),
    program: str = PROGRAM,
    **settings: Any,
) -> Served:
    """Start a service, without waiting for it to answer; ``settings`` are given by name,
    ``variables`` are further environment variables.
    """
    port = free_port()
    said = {"rulebooks": rulebooks, "index": index, "port": port, "prepare": False, **settings}
    environment = without_settings()
    environment |= {f"REGULA_{name.upper()}": str(value) for name, value in said.items()} | dict(
        variables or {}
    )
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", program, *command],
            cwd=ROOT,
            env=environment,
            stdout=file,
            stderr=file,
        )
    return Served(port, process, log)


@contextmanager
def serving(
    rulebooks: Path,
    index: Path,
    log: Path,
    variables: Mapping[str, str] | None = None,
    program: str = PROGRAM,
    **settings: Any,
) -> Iterator[Served]:
    """Start a service over an index that fits ``rulebooks``, and wait until it answers; otherwise
    as `started`.
    """
    served = started(rulebooks, index, log, variables, program=program, **settings)
    process = served.process
    try:
        _wait(served, int(str(settings.get("workers", 2))))
        yield served
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(served: Served, workers: int) -> None:
    """Wait until it answers and all processes run."""
    end = time.monotonic() + PATIENCE
    while True:
        with (
            suppress(URLError, OSError),
            urllib.request.urlopen(f"{served.address}/readyz", timeout=5) as response,
        ):
            if response.status == 200 and len(served.workers()) == workers:
                return
        assert served.process.poll() is None, served.log.read_text()
        assert time.monotonic() < end, served.log.read_text()
        time.sleep(0.1)
