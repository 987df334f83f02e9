"""Run the HTTP server: a strict version of uvicorn's protocol, with limits and a watchdog for its
event loop.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread, current_thread, main_thread
from typing import Any

import h11
import uvicorn
from h11 import RemoteProtocolError
from h11._receivebuffer import ReceiveBuffer
from uvicorn.protocols.http.h11_impl import H11Protocol

from corpus.errors import RegulaError
from service.ops.settings import Settings
from service.web.server.connections import (
    Connection,
    ConnectionPool,
    SingleAcceptSocket,
    current_connection,
    problem_response,
)
from service.web.server.wsgi_bridge import RoutedApplication, WsgiBridge

_HEADERS = 64 * 1024  # bytes of request line and headers together
_BACKLOG = 2048  # connections that the kernel queues until they are accepted
_PARTING = 0.5  # seconds that idle connections stay open at shutdown: a request may be on its way
_PAUSE = 0.0005  # seconds that a process waits before accepting, for each request it is answering
_SIGN_OF_LIFE = 30  # seconds; longer than in workers, since nobody replaces the only process
_RESERVE = 100  # files that are not connections
STANDARD_ERROR = 2
_BEAT = 1.0  # seconds
ENDING = 3  # seconds that threads have to finish after the event loop has ended
_FINE = bytes(byte for byte in range(256) if byte in b"\t\r\n" or 32 <= byte != 127)
_FRAMING = (b"content-length:", b"transfer-encoding:")


class CannotListen(RegulaError):
    """An address that is in use or does not belong to this machine; the message says what to do."""


# Refuse requests that a proxy and this server could split differently (RFC 9112, 2.2, 5.1, 5.2,
# 6.1, 6.3).


def make_strict(connection: h11.Connection) -> None:
    """Have ``connection`` refuse input that h11 tolerates. Call this before it receives
    anything.
    """
    connection._receive_buffer = _StrictBuffer()


class _StrictBuffer(ReceiveBuffer):
    """The buffer that h11 reads heads and trailers from, line by line."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        end = 0 if self._data.startswith(b"\r\n") else self._data.find(b"\r\n\r\n")
        head = self._data if end < 0 else self._data[: end + 2]
        ends = head.count(b"\r\n")
        if head.count(b"\n") != ends or head.count(b"\r") - head.endswith(b"\r") != ends:
            raise RemoteProtocolError("a line that does not end with carriage return and line feed")
        if b"\n " in head or b"\n\t" in head or head.translate(None, _FINE):
            raise RemoteProtocolError("a header in several lines, or a control character")
        lines = super().maybe_extract_lines()
        said = [line for line in (lines or ())[1:] if line[:18].lower().startswith(_FRAMING)]
        if len(said) > 1 or any(b"," in line for line in said):
            raise RemoteProtocolError("the length of the body is said more than once")
        chunked = bool(said) and said[0].lower().startswith(b"transfer-encoding:")
        if chunked and lines and lines[0].endswith(b"HTTP/1.0"):
            raise RemoteProtocolError("HTTP/1.0 has no Transfer-Encoding")
        return lines


class LoopWatch:
    """Ends this process when its event loop is blocked for ``seconds``, after writing the stacks of
    all threads to the file descriptor ``file``.

    The timer is faulthandler's. It runs in a thread without the interpreter lock, so it also works
    when something holds that lock and no signal is handled. Each beat of the loop restarts it and
    calls ``beat``.
    """

    def __init__(self, seconds: float, file: int, beat: Callable[[], object] = lambda: None):
        self._seconds, self._file, self._beat = seconds, file, beat
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the watch once; uvicorn calls this repeatedly."""
        self._task = self._task or asyncio.create_task(self._go_on())

    async def _go_on(self) -> None:
        with suppress(asyncio.CancelledError):
            while True:
                faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._file)
                self._beat()
                await asyncio.sleep(_BEAT)

    def end(self) -> None:
        """End this process soon, whatever its threads do; call this when the event loop is over."""
        faulthandler.dump_traceback_later(ENDING, exit=True, file=self._file)


def watch_interpreter(seconds: float) -> None:
    """End this process if no other thread runs for ``seconds``; for an event loop that is not
    ours.
    """

    def go_on() -> None:
        while True:
            faulthandler.dump_traceback_later(seconds, exit=True, file=STANDARD_ERROR)
            time.sleep(_BEAT)

    Thread(target=go_on, name="signs-of-life", daemon=True).start()


class HttpProtocol(H11Protocol):
    """A strict version of uvicorn's HTTP/1.1 that reports errors as problems and shuts down
    gently.
    """

    bridge: WsgiBridge

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        make_strict(self.conn)

    def send_400_response(self, msg: str) -> None:
        """Tell a client that its request is not valid HTTP."""
        fault = sys.exc_info()[1]
        if isinstance(fault, RemoteProtocolError) and fault.error_status_hint == 431:
            response = problem_response(431, "The headers are too large.")
        else:
            text = "This is not an HTTP request that could be understood."
            response = problem_response(400, text)
        if connection := current_connection():
            connection.refuse(response, "malformed")
        else:
            self.transport.write(response)
            self.transport.close()

    def shutdown(self) -> None:
        """Begin the shutdown: the next response is the last; idle connections close a moment
        later.
        """
        self.bridge.stopping = True
        self.loop.call_later(_PARTING, super().shutdown)


def options(bridge: WsgiBridge, settings: Settings, connections: ConnectionPool) -> dict[str, Any]:
    """Return uvicorn's configuration for one process and its ``connections``."""
    protocol = type("Http", (HttpProtocol,), {"bridge": bridge})
    timeouts = settings.read_timeout, settings.write_timeout

    def connection(_loop: asyncio.AbstractEventLoop | None = None, **given: Any) -> Connection:
        return Connection(protocol(_loop=_loop, **given), connections, *timeouts)

    return {
        "http": connection,
        "loop": "asyncio",
        "ws": "none",
        "lifespan": "off",
        "interface": "asgi3",
        "access_log": False,  # the application logs requests itself, without the question
        "log_config": None,
        "proxy_headers": False,  # `service.web.protection` trusts as many proxies as are set
        "server_header": False,
        "backlog": _BACKLOG,
        "h11_max_incomplete_event_size": _HEADERS,
        "timeout_keep_alive": settings.keepalive,
        "timeout_graceful_shutdown": settings.graceful_timeout,
    }


def connection_pool(settings: Settings) -> ConnectionPool:
    """Return the pool of one process, sized by the settings and the limit of open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.connections + _RESERVE
    if soft < wanted:
        more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # a sandbox may forbid it
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            soft = more
    # Behind a proxy all connections come from it.
    most_of_one = None if settings.trusted_proxies else settings.connections_per_client
    return ConnectionPool(max(soft - _RESERVE, 1), most_of_one)


def sharing_listener(listener: socket.socket, connections: ConnectionPool) -> SingleAcceptSocket:
    """Return ``listener`` for one of several processes, of which the idlest accepts the next
    connection.
    """

    def pause() -> None:
        time.sleep(_PAUSE * min(len(connections.answering), 10))

    return SingleAcceptSocket(listener, pause)


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises `CannotListen`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as fault:
        raise CannotListen(
            f"{host}:{port}: cannot be listened at ({fault.strerror}); choose another with --host "
            "and --port"
        ) from fault


def serve(application: RoutedApplication, settings: Settings) -> None:
    """Serve ``application`` in this process alone until it is stopped. Raises `CannotListen`.

    If the event loop of the main thread is blocked for half a minute, the process prints the stacks
    of its threads and ends.
    """
    with listen(settings.host, settings.port) as listener:
        bridge = WsgiBridge(application, settings, route_of=application.route_of)
        config = uvicorn.Config(bridge, **options(bridge, settings, connection_pool(settings)))
        server = uvicorn.Server(config)
        if current_thread() is not main_thread():
            server.run(sockets=[listener])
            return
        watch = LoopWatch(_SIGN_OF_LIFE, STANDARD_ERROR)
        server.config.callback_notify = watch.start
        faulthandler.enable(STANDARD_ERROR)
        signal.signal(signal.SIGTSTP, _suspend)
        try:
            server.run(sockets=[listener])
        finally:
            watch.end()


def _suspend(*_: object) -> None:
    # Ctrl-Z stops the process until it is continued; that time does not count as blocked.
    faulthandler.cancel_dump_traceback_later()
    os.kill(os.getpid(), signal.SIGSTOP)
