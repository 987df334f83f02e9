"""Clients of a running service, in processes of their own: some measure, some attack."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

TIMEOUT = 30.0  # seconds after which a request counts as failed


@dataclass
class Asked:
    """One request: its start, its duration in seconds, its status (0 for a broken connection), the
    client's port, the error.
    """

    begun: float
    seconds: float
    status: int
    port: int
    fault: str = ""


@dataclass(eq=False)
class Asker(threading.Thread):
    """Requests ``paths`` in turn until ``over``, through one connection or a new one each time."""

    port: int
    paths: Sequence[str]
    over: threading.Event
    fresh: bool = False
    pause: float = 0.0
    found: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        """Send the requests."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        choice = random.Random(id(self))
        while not self.over.is_set():
            begun, here, fault, status = time.monotonic(), 0, "", 0
            try:
                if connection.sock is None:
                    connection.connect()
                here = connection.sock.getsockname()[1]
                connection.request("GET", choice.choice(self.paths))
                response = connection.getresponse()
                response.read()
                status = response.status
            except (OSError, http.client.HTTPException) as error:
                fault = f"{type(error).__name__}: {error}"
                connection.close()
            self.found.append(Asked(begun, time.monotonic() - begun, status, here, fault))
            if self.fresh:
                connection.close()
            if self.pause:
                self.over.wait(self.pause)
        connection.close()


@contextmanager
def asking(
    port: int, paths: Sequence[str], number: int = 1, fresh: bool = False, pause: float = 0.0
) -> Iterator[list[Asker]]:
    """Run a number of asking clients during the block."""
    over = threading.Event()
    askers = [Asker(port, paths, over, fresh, pause) for _ in range(number)]
    for asker in askers:
        asker.start()
    try:
        yield askers
    finally:
        over.set()
        for asker in askers:
            asker.join(TIMEOUT + 5)


def questions(texts: Sequence[str]) -> list[str]:
    """Return addresses that ask ``texts``, in many variants so that none is in a cache."""
    return [f"/v1/ask?q={quote(text)}+{number}" for number in range(200) for text in texts]


def percentile(found: Sequence[Asked], share: float) -> float:
    """Return the most seconds that this ``share`` of requests took."""
    ordered = sorted(asked.seconds for asked in found)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def attackers(function: object, *arguments: object) -> Iterator[BaseProcess]:
    """Run ``function`` in a process of its own during the block."""
    process = get_context("spawn").Process(target=function, args=arguments, daemon=True)  # type: ignore[arg-type]
    process.start()
    try:
        yield process
    finally:
        process.terminate()
        process.join(10)


def slow_senders(port: int, number: int) -> None:
    """Run ``number`` slow clients that never finish their request, and reconnect when cut off."""

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET /v1/ask?q=x HTTP/1.1\r\nHost: x\r\nX-A:")
                with suppress(OSError, asyncio.TimeoutError):
                    await asyncio.wait_for(reader.read(65536), 60)
                writer.close()
            await asyncio.sleep(0.05)

    async def all_() -> None:
        await asyncio.gather(*(one() for _ in range(number)))

    asyncio.run(all_())


def slow_readers(port: int, number: int, path: str) -> None:
    """Run ``number`` slow clients that send twenty requests at once and read almost nothing of the
    responses.
    """

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
                writer.write(
                    f"GET {path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n".encode()
                    * 20
                )
                with suppress(OSError, asyncio.TimeoutError):
                    while await asyncio.wait_for(reader.read(1), 60):
                        await asyncio.sleep(5)
                writer.close()
            await asyncio.sleep(0.05)

    async def all_() -> None:
        await asyncio.gather(*(one() for _ in range(number)))

    asyncio.run(all_())


def batch(port: int, texts: Sequence[str]) -> tuple[int, dict[str, Any], float]:
    """Send the largest allowed batch; return status, body and seconds."""
    many = []
    size = 20
    for number in range(86):
        text = " ".join([f"{number}", *texts])[:2000]
        size += (
            len(json.dumps({"id": str(number), "question": text}, ensure_ascii=False).encode()) + 2
        )
        if size > 512 * 1024:
            break
        many.append({"id": str(number), "question": text})
    body = json.dumps({"questions": many}, ensure_ascii=False).encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    begun = time.monotonic()
    connection.request("POST", "/v1/batch", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    found = json.loads(response.read())
    connection.close()
    return response.status, found, time.monotonic() - begun


def fetch(port: int, path: str) -> tuple[int, bytes]:
    """Return status and body of one request that may take minutes. Raises `OSError` for an error
    status.
    """
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as response:
        return int(response.status), response.read()
