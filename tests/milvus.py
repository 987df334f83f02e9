"""A Milvus Lite database in a process of its own, for tests that stop and restart it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 120.0  # seconds until it answers, on a busy machine


class Database:
    """Serves the database in ``folder``, always at the same port, so that clients can continue
    after a restart.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self._port = found.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"milvus://127.0.0.1:{self._port}"

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "milvus_lite",
            "server",
            "--data-dir",
            str(self._folder),
            "--host",
            "127.0.0.1",
            "--port",
            str(self._port),
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return
            except OSError:
                assert self._process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.1)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(PATIENCE)
            self._process = None
