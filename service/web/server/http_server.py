"""The HTTP server: uvicorn's protocol on an event loop, behind limits for clients that dawdle; in
one process, or in several.
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
from contextlib import suppress
from threading import current_thread, main_thread
from typing import Any

import uvicorn
from h11 import RemoteProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

from corpus.errors import RegulaError
from service.ops.settings import Settings
from service.web.server.connection_pool import ConnectionPool, problem_response
from service.web.server.connections import Connection, SingleAcceptSocket, current_connection
from service.web.server.signs_of_life import STANDARD_ERROR, LoopWatch
from service.web.server.strict_http import make_strict
from service.web.server.wsgi_bridge import RoutedApplication, WsgiBridge

_HEADERS = 64 * 1024  # bytes of request line and headers together
_BACKLOG = 2048  # connections that the kernel holds until they are taken
_PARTING = (
    0.5  # seconds that idle connections stay when the process ends: a request may be on its way
)
_PAUSE = 0.0005  # seconds that a process waits with accepting for each request that it is answering
_SIGN_OF_LIFE = 30  # seconds; nobody replaces the only process
_RESERVE = 100  # files that are not connections


class CannotListen(RegulaError):
    """An address that is taken, or none of this machine; the message says what to do."""


class HttpProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 that is strict, tells errors as problems, and lets requests that are on
    their way arrive when the process ends.
    """

    bridge: WsgiBridge

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        make_strict(self.conn)

    def send_400_response(self, msg: str) -> None:
        """Tell a client that what it sent is not HTTP."""
        fault = sys.exc_info()[1]
        if isinstance(fault, RemoteProtocolError) and fault.error_status_hint == 431:
            response = problem_response(431, "The headers are too large.")
        else:
            response = problem_response(
                400, "This is not an HTTP request that could be understood."
            )
        if connection := current_connection():
            connection.refuse(response, "malformed")
        else:
            self.transport.write(response)
            self.transport.close()

    def shutdown(self) -> None:
        """Begin to end: the next response is the last, and a connection without a request is closed
        a moment later.
        """
        self.bridge.stopping = True
        self.loop.call_later(_PARTING, super().shutdown)


def options(bridge: WsgiBridge, settings: Settings, connections: ConnectionPool) -> dict[str, Any]:
    """Return the configuration of uvicorn for one process; ``connections`` are those of this
    process.
    """
    protocol = type("Http", (HttpProtocol,), {"bridge": bridge})

    def connection(_loop: asyncio.AbstractEventLoop | None = None, **given: Any) -> Connection:
        return Connection(
            protocol(_loop=_loop, **given),
            connections,
            settings.read_timeout,
            settings.write_timeout,
        )

    return {
        "http": connection,
        "loop": "asyncio",
        "ws": "none",
        "lifespan": "off",
        "interface": "asgi3",
        "access_log": False,  # the application logs requests, without what was asked
        "log_config": None,
        "proxy_headers": False,  # `service.web.protection` believes proxies, as many as the settings say
        "server_header": False,
        "backlog": _BACKLOG,
        "h11_max_incomplete_event_size": _HEADERS,
        "timeout_keep_alive": settings.keepalive,
        "timeout_graceful_shutdown": settings.graceful_timeout,
    }


def connection_pool(settings: Settings) -> ConnectionPool:
    """Return the connections of one process: as many as the settings and the limit of open files
    allow.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.connections + _RESERVE
    if soft < wanted:
        more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # a sandbox may forbid it
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            soft = more
    # Behind a proxy all connections are the proxy's.
    most_of_one = None if settings.trusted_proxies else settings.connections_per_client
    return ConnectionPool(max(soft - _RESERVE, 1), most_of_one)


def sharing_listener(listener: socket.socket, connections: ConnectionPool) -> SingleAcceptSocket:
    """Return ``listener`` for one of several processes: the one that is answering the fewest
    requests takes the next.
    """

    def pause() -> None:
        time.sleep(_PAUSE * min(len(connections.answering), 10))

    return SingleAcceptSocket(listener, pause)


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens. Raises `CannotListen`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as fault:
        raise CannotListen(
            f"{host}:{port}: cannot be listened at ({fault.strerror}); choose another with --host and --port"
        ) from fault


def serve(application: RoutedApplication, settings: Settings) -> None:
    """Serve ``application`` in this process alone until it is told to stop. Raises `CannotListen`.

    Where the event loop of the main thread stands still for half a minute, the process says where
    its threads are and ends: so it also ends where it is told to while something keeps the
    interpreter to itself.
    """
    with listen(settings.host, settings.port) as listener:
        bridge = WsgiBridge(application, settings, route_of=application.route_of)
        server = uvicorn.Server(
            uvicorn.Config(bridge, **options(bridge, settings, connection_pool(settings)))
        )
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
    """Stop until continued, as Ctrl-Z wants it; that time is none in which the event loop stands
    still.
    """
    faulthandler.cancel_dump_traceback_later()
    os.kill(os.getpid(), signal.SIGSTOP)
