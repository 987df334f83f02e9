"""A test's own Redis on a free port, which can be stopped, suspended, and restarted with its
data.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import redis

from tests.service.serving import free_port


class RedisServer:
    """Redis with its files in ``folder``; acknowledged writes are on the disk."""

    def __init__(self, folder: Path, password: str = ""):
        folder.mkdir(exist_ok=True)
        self.port = free_port()
        self._folder = folder
        self._password = password
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"redis://{f':{self._password}@' if self._password else ''}127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.address, socket_timeout=30)

    def start(self) -> None:
        said = [
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(self._folder),
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
        ]
        said += ["--requirepass", self._password] if self._password else []
        self._process = subprocess.Popen(
            ["redis-server", *said, "--save", ""],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 120
        while True:
            with suppress(redis.ConnectionError, redis.TimeoutError), self.client() as client:
                client.ping()
                return
            assert self._process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def hang(self) -> None:
        """Stop answering, but keep all connections open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def redis_server(folder: Path, password: str = "") -> Iterator[RedisServer]:
    """Run Redis until the end of the block. Skips the test where Redis is not installed."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not here (Debian: apt-get install redis-server)")
    server = RedisServer(folder, password)
    server.start()
    try:
        yield server
    finally:
        server.kill()
