"""A web server for a folder of indexes that imitates failures of networks and other machines."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


@dataclass
class IndexServer:
    """A server at ``address``, with its requests and failures.

    Attributes:
        cut: How many responses of large files end after half of the content.
        refuse: How many requests get the status 503.
        ranges: Whether it supports Range requests.
        lies: Content sent instead of a file.
        redirect: Returns where a path redirects to.
        login: The required credentials.
        before: Called first with each path.
        silent: Responses wait until this event is set.
    """

    folder: Path
    address: str = ""
    cut: int = 0
    refuse: int = 0
    ranges: bool = True
    lengths: bool = True
    lies: dict[str, bytes] = field(default_factory=dict)
    redirect: Callable[[str], str | None] = lambda _: None
    login: str = ""
    before: Callable[[str], None] = lambda _: None
    silent: threading.Event | None = None
    asked: list[str] = field(default_factory=list)
    sent: int = 0
    logins: list[str | None] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def files(self) -> list[str]:
        """Return the requested files of indexes, without manifests."""
        return [
            path
            for path in self.asked
            if path.count("/") > 1 and not path.endswith("manifest.json")
        ]

    def take(self, name: str) -> bool:
        """Return whether the next request should fail in the way ``name``, and count it."""
        with self.lock:
            left = getattr(self, name)
            setattr(self, name, max(left - 1, 0))
        return bool(left)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    at: IndexServer

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        at, path = self.at, unquote(self.path)
        at.asked.append(path)
        at.logins.append(self.headers.get("Authorization"))
        at.before(path)
        if at.silent is not None:
            at.silent.wait(30)
        if (
            at.login
            and self.headers.get("Authorization")
            != "Basic " + base64.b64encode(at.login.encode()).decode()
        ):
            return self.send_error(401)
        if to := at.redirect(self.path):
            self.send_response(302)
            self.send_header("Location", to)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if at.take("refuse"):
            return self.send_error(503)
        file = at.folder / path.lstrip("/")
        if path not in at.lies and not file.is_file():
            return self.send_error(404)
        self._send(at.lies.get(path) if path in at.lies else file.read_bytes(), path)
        return None

    def _send(self, content: bytes | None, path: str) -> None:
        assert content is not None
        begin = int((self.headers.get("Range") or "bytes=0-")[6:-1]) if self.at.ranges else 0
        if begin >= len(content) > 0:
            return self.send_error(416)
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        content = content[begin:]
        if self.at.lengths:
            self.send_header("Content-Length", str(len(content)))
        cut = len(content) > 1000 and self.at.take("cut")
        if cut or not self.at.lengths:
            self.send_header("Connection", "close")
        self.end_headers()
        content = content[: len(content) // 2] if cut else content
        self.wfile.write(content)
        self.at.sent += len(content)
        self.close_connection = cut or not self.at.lengths
        return None


@contextmanager
def index_server(folder: Path) -> Iterator[IndexServer]:
    """Serve ``folder`` until the end of the block."""
    at = IndexServer(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"at": at}))
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    at.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield at
    finally:
        server.shutdown()
        server.server_close()
