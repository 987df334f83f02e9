"""A fake model server with OpenAI's chat completions API whose replies a test chooses: also late,
wrong, huge or missing ones.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Scripted:
    """A response to a request: a ``status``, a ``body``, sent after a ``delay`` in seconds, and
    ``headers``.
    """

    body: bytes = b""
    status: int = 200
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)


def completion(
    content: str | None, finish: str = "stop", tokens: tuple[int, int] = (100, 20)
) -> Scripted:
    """Return a chat completion with ``content`` that reports this usage of ``tokens``."""
    message = {"role": "assistant", "content": content}
    usage = {
        "prompt_tokens": tokens[0],
        "completion_tokens": tokens[1],
        "total_tokens": sum(tokens),
    }
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "toy",
        "choices": choices,
        "usage": usage,
    }
    return Scripted(json.dumps(body).encode())


@dataclass
class ModelServer:
    """A running server: its ``url``, and the bodies and headers of the requests received."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def model_server(reply: Callable[[dict[str, Any], int], Scripted]) -> Iterator[ModelServer]:
    """Run a server that sends the result of ``reply``, called with the body of a request and the
    number of earlier ones.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number = len(running.requests)
            running.requests.append(body)
            running.headers.append({name.lower(): value for name, value in self.headers.items()})
            scripted = reply(body, number)
            time.sleep(scripted.delay)
            try:
                self.send_response(scripted.status)
                for name, value in {
                    "Content-Type": "application/json",
                    "Content-Length": str(len(scripted.body)),
                    **scripted.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(scripted.body)
            except OSError:
                pass  # the client has given up

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running = ModelServer(f"http://127.0.0.1:{server.server_port}/v1")
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
