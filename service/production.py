"""The service under gunicorn: worker processes that share the index, and do not wait for clients that dawdle."""

from __future__ import annotations

import gc
import json
import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from io import BytesIO
from threading import Lock
from typing import Any

from gunicorn import glogging
from gunicorn.app.base import BaseApplication
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine
from gunicorn.workers.gthread import TConn, ThreadWorker
from prometheus_client import multiprocess

from service.incoming import LARGEST_OF_MANY
from service.indexes import Indexes
from service.problems import SLUGS
from service.settings import Settings

_LINE, _FIELDS, _FIELD = 8190, 64, 8190  # bytes of a request line, number of headers, bytes of one
_COLLECTED = (20_000, 20, 100)  # by default the collector runs many times for one answer, and finds next to nothing
_YIELD = 0.0005  # seconds that a process waits with accepting for each connection that it has
_TURN = 0.03  # seconds that a thread keeps the interpreter: most answers are done in one turn, instead of all waiting for all
_LATE = 0.1  # seconds after which a round that should have ended was held up
_SIGN_OF_LIFE = 15  # seconds without one after which a process is replaced
_LOG = logging.getLogger(__name__)


class Worker(ThreadWorker):  # type: ignore[misc]
    """A threaded worker that reads whole requests within the time allowed, and tells every error as problem+json.

    gunicorn waits for the rest of a request as long as it takes; a few clients that send a byte now and then would hold
    all threads. Here the time of a whole request is limited, and it is read before the application begins.
    """

    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self._settings: Settings = self.app.settings
        self._reading: dict[TConn, float] = {}  # until when each may send
        self._answering: dict[TConn, float] = {}  # until when each has to be answered
        self._round = 0.0  # seconds that a round may take when nothing happens
        self._looked = time.monotonic()  # when a round last looked for slow clients
        self._lock = Lock()

    def accept(self, listener: socket.socket) -> None:
        """Take a connection, the later the more there are already: processes share a socket, and the idlest shall be first."""
        time.sleep(_YIELD * min(self.nr_conns, 10))
        super().accept(listener)

    def handle(self, conn: TConn) -> Any:
        """Read a request and answer it; what has not arrived in time is cut off by `murder_pending`."""
        with self._lock:
            self._reading[conn] = time.monotonic() + self._settings.read_timeout
        try:
            return super().handle(conn)
        finally:
            with self._lock:
                self._reading.pop(conn, None)
                self._answering.pop(conn, None)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        """Answer a request, read whole before. One that announces more than any call takes is not read at all."""
        if ("EXPECT", "100-continue") in [(name.upper(), value.lower()) for name, value in req.headers]:
            req.headers = [(name, value) for name, value in req.headers if name.upper() != "EXPECT"]
            conn.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        announced = next((value for name, value in req.headers if name.upper() == "CONTENT-LENGTH"), "0")
        body = req.body.read(LARGEST_OF_MANY + 1) if int(announced) <= LARGEST_OF_MANY else b""
        if len(body) != int(announced):
            req.force_close()  # what was not read must not be taken for the next request
        req.body = BytesIO(body)
        with self._lock:
            if self._reading.pop(conn, None) is None:
                raise StopIteration("the request did not arrive in time")
            self._answering[conn] = time.monotonic() + self._settings.request_timeout
        return super().handle_request(req, conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Look at the clock often enough to cut off slow clients in time."""
        self._round = min(timeout, self._settings.read_timeout / 2)
        super().wait_for_and_dispatch_events(self._round)

    def murder_pending(self) -> None:
        """Called in every round: whoever is still sending when time is up is told so and sends no more.

        The time of a round that comes late counts for nobody: the machine held this process up, and the threads that read.
        """
        super().murder_pending()
        now = time.monotonic()
        took = now - self._looked
        held = took if took > self._round + _LATE else 0.0
        self._looked = now
        with self._lock:
            self._reading = {conn: end + held for conn, end in self._reading.items()}
            late = [conn for conn, end in self._reading.items() if end < now]
            for conn in late:
                del self._reading[conn]
        for conn in late:
            _tell(conn.sock, 408, "The request did not arrive in time.")
            with suppress(OSError):
                conn.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for more

    def notify(self) -> None:
        """Give a sign of life; none while a request takes longer than any may, so that this process is replaced."""
        now = time.monotonic()
        with self._lock:
            stuck = any(end < now for end in self._answering.values())
        if not stuck:
            super().notify()

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Tell a client what was wrong with a request that the application has not seen."""
        if isinstance(exc, LimitRequestLine):
            status, detail = 414, "The address is too long."
        elif isinstance(exc, LimitRequestHeaders):
            status, detail = 431, "The headers are too large."
        elif type(exc).__module__.startswith("gunicorn.http"):
            status, detail = 400, "This is not an HTTP request that could be understood."
        else:
            status, detail = 500, "Something went wrong here, not with the request."
            _LOG.error("a request failed before the application saw it", exc_info=exc)
        _tell(client, status, detail)


class Logger(glogging.Logger):  # type: ignore[misc]
    """gunicorn's own messages among those of the service, in the same form."""

    def setup(self, cfg: Any) -> None:
        """Hand messages on instead of writing them."""
        super().setup(cfg)
        for handler in list(self.error_log.handlers):
            self.error_log.removeHandler(handler)
        self.error_log.propagate = True


def _tell(client: socket.socket, status: int, detail: str) -> None:
    """Send a problem and nothing after it."""
    title = HTTPStatus(status).phrase
    problem = {"type": f"urn:regula:problem:{SLUGS[status]}", "title": title, "status": status, "detail": detail, "instance": ""}
    body = json.dumps(problem).encode()
    head = (
        f"HTTP/1.1 {status} {title}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n"
    )
    with suppress(OSError):  # gone already
        client.settimeout(1.0)
        client.sendall(head.encode("ascii") + body)


class Production(BaseApplication):  # type: ignore[misc]
    """gunicorn with the configuration of `configuration`, serving what ``make`` makes once in each worker."""

    def __init__(self, settings: Settings, indexes: Indexes):
        self.settings = settings
        self._indexes = indexes
        super().__init__()

    def load_config(self) -> None:
        """Take the settings of the service for gunicorn's."""
        for name, value in configuration(self.settings, self._indexes).items():
            self.cfg.set(name, value)

    def load(self) -> Callable[..., Any]:
        """The WSGI application, made before workers are forked so that they share its memory."""
        from service.app import create_app

        return create_app(self._indexes, self.settings)


def configuration(settings: Settings, indexes: Indexes) -> dict[str, Any]:
    """What gunicorn is told, and why."""

    def begun(worker: Any) -> None:
        sys.setswitchinterval(_TURN)
        gc.freeze()  # what was made before the fork stays, and shared as long as the collector does not touch it
        gc.set_threshold(*_COLLECTED)
        if settings.watch:
            indexes.watch(settings.watch)  # threads do not live on in forked processes: each worker has its own

    def ended(server: Any, worker: Any) -> None:
        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]

    return {
        "bind": f"{settings.host}:{settings.port}",
        "worker_class": "service.production.Worker",
        "workers": settings.workers,
        "threads": settings.threads,
        "preload_app": True,  # the index is read once; workers share its memory until they write to it
        "timeout": _SIGN_OF_LIFE,
        "graceful_timeout": settings.graceful_timeout,
        "keepalive": settings.keepalive,
        "worker_tmp_dir": "/dev/shm" if os.path.isdir("/dev/shm") else None,  # signs of life must not wait for a disk
        "limit_request_line": _LINE,
        "limit_request_fields": _FIELDS,
        "limit_request_field_size": _FIELD,
        "proc_name": "regula",
        "accesslog": None,  # the application logs requests, without what was asked
        "loglevel": settings.log_level,
        "logger_class": "service.production.Logger",
        "control_socket_disable": True,
        "post_worker_init": begun,
        "child_exit": ended,
    }


def run(settings: Settings, indexes: Indexes) -> None:
    """Serve until told to stop; an index has to be loaded, and `service.metrics.SHARED` to name an empty folder."""
    Production(settings, indexes).run()
