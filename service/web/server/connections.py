"""Connections with limits: how many there may be, how long a request and its response may take.

The event loop waits for clients, no thread does. The limits stand between the socket and the
server's own protocol, on the interface that asyncio defines for both.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum
from typing import Any, Protocol, cast

from service.core import metrics
from service.core.i18n import DEFAULT, translate
from service.core.problems import SLUGS, TITLES

# Bytes of responses that a process holds for all clients that do not take them.
MOST_UNSENT = 64 * 1024 * 1024
_LINGERING = 256  # refused connections that are still read from at once


def network(address: str) -> str:
    """Return who counts as one client: an IPv4 address, or the /64 that an IPv6 customer gets."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def problem_response(
    status: int, detail: str, retry: int | None = None, language: str = DEFAULT
) -> bytes:
    """Return an HTTP response with a problem (RFC 9457) in ``language`` that closes the connection;
    ``detail`` is in it already.
    """
    title = TITLES[status]
    problem = {
        "type": f"urn:regula:problem:{SLUGS[status]}",
        "title": translate(language, title),
        "status": status,
        "detail": detail,
        "instance": "",
    }
    body = json.dumps(problem).encode()
    head = (
        f"HTTP/1.1 {status} {title}\r\nContent-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\n"
    )
    if retry is not None:
        head += f"Retry-After: {retry}\r\n"
    return head.encode("ascii") + b"\r\n" + body


class PooledConnection(Protocol):
    """What a `ConnectionPool` needs of a connection."""

    client: str

    def refuse(self, response: bytes, reason: str) -> None:
        """Write ``response`` in place of one to the request, and end the connection."""

    def cut_off(self) -> None:
        """End the connection at once."""


class ConnectionPool:
    """All connections of a process: at most ``most``, and ``most_of_one`` from one client.

    Where there are too many, the one that has been sending its request for longest makes room;
    where none is sending, the new one is refused. So clients that are slow lose to those that are
    not, also behind the same address.
    """

    def __init__(self, most: int, most_of_one: int | None):
        self._most, self._most_of_one = most, most_of_one
        self._open: set[PooledConnection] = set()
        self._lingering: set[PooledConnection] = set()
        self._by_client: dict[str, set[PooledConnection]] = {}
        # In the order in which they began: those that send, and bytes that wait to be taken.
        self._sending: dict[PooledConnection, None] = {}
        self._untaken: dict[PooledConnection, int] = {}
        self.answering: set[PooledConnection] = set()  # those whose request is being answered

    def admit(self, new: PooledConnection) -> bytes | None:
        """Take ``new``; else return what to tell the client."""
        here = self._by_client.get(new.client, set())
        full = self._most_of_one is not None and len(here) >= self._most_of_one
        if full and not self._make_room(here):
            return problem_response(429, "Too many connections from this address.", 5)
        if len(self._open) >= self._most and not self._make_room(self._open):
            return problem_response(503, "Too many connections.", 5)
        self._open.add(new)
        self._by_client.setdefault(new.client, set()).add(new)
        return None

    def _make_room(self, among: set[PooledConnection]) -> bool:
        slowest = next((each for each in self._sending if each in among), None)
        if slowest is None:
            return False
        text = "Too many connections, and this one had not sent its request."
        slowest.refuse(problem_response(429, text, 5), "too many")
        return True

    def note_sending(self, connection: PooledConnection, sends: bool) -> None:
        """Remember whether the client of ``connection`` is sending a request."""
        if sends:
            self._sending[connection] = None
        else:
            self._sending.pop(connection, None)

    def note_unsent(self, connection: PooledConnection, size: int) -> None:
        """Remember how many bytes wait for a client; cut the slowest off where it is too much."""
        self._untaken.pop(connection, None)
        if size:
            self._untaken[connection] = size
        total = sum(self._untaken.values()) if size else 0
        while total > MOST_UNSENT:
            slowest = next(iter(self._untaken))
            total -= self._untaken.pop(slowest)
            slowest.cut_off()

    def may_linger(self, connection: PooledConnection) -> bool:
        """Return whether ``connection``, which was refused, may stay a moment: if few do."""
        if len(self._lingering) >= _LINGERING:
            return False
        self._lingering.add(connection)
        return True

    def discard(self, connection: PooledConnection) -> None:
        """Forget ``connection``."""
        for group in (self._lingering, self._open, self.answering):
            group.discard(connection)
        self._sending.pop(connection, None)
        self._untaken.pop(connection, None)
        here = self._by_client.get(connection.client, set())
        here.discard(connection)
        if not here:
            self._by_client.pop(connection.client, None)


# Bytes of a response that a client has to take in each `write_timeout`, unless the rest is less.
LEAST_SENT = 64 * 1024
# Bytes that the kernel holds for a client: without a limit it would be megabytes for each.
_SEND_BUFFER = 256 * 1024
_LINGER = 1.0  # seconds that a refused connection is still read from, so that the client sees why
_LATE = 0.1  # seconds after which a timer that should have fired was held up by the machine

_current: ContextVar[Connection] = ContextVar("connection")


def current_connection() -> Connection | None:
    """Return the connection of the request that the calling task answers; None without one."""
    return _current.get(None)


class _State(Enum):
    SENDING = "the client is sending a request, or is expected to"
    ANSWERING = "a request has arrived whole"
    IDLE = "the last request was answered"
    CLOSED = "nothing more is read as a request or answered"


class _JoinedWriter:
    """A transport that sends what is written in one round of the loop at once: uvicorn writes head
    and body apart.

    A client so gets a response in as few packets as it fits in.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop):
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send ``data`` before the loop goes on to anything else that is waiting then."""
        if data:
            if not self._parts:
                self._loop.call_soon(self.flush)
            self._parts.append(data)

    def flush(self) -> None:
        """Send what was written."""
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))

    def close(self) -> None:
        """Send what was written, then close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(asyncio.Protocol):
    """One connection: passes everything on to ``server``, the protocol that speaks HTTP, and ends
    it when a limit is reached.

    The server application says by `request_arrived` and `request_answered` how far a request is.
    Timeouts are in seconds.
    """

    def __init__(
        self,
        server: asyncio.Protocol,
        connections: ConnectionPool,
        read_timeout: float,
        write_timeout: float,
    ):
        self._server, self._connections = server, connections
        self._read_timeout, self._write_timeout = read_timeout, write_timeout
        self._loop = asyncio.get_running_loop()
        self._state = _State.SENDING
        self._begun = False  # whether a byte of the present request is there
        self._half_closed = False
        self._admitted = False
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._drained = asyncio.Event()
        self._drained.set()
        self.client = ""

    # what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit a client that has connected, or refuse it."""
        self._transport = cast(asyncio.Transport, transport)
        self._writer = _JoinedWriter(self._transport, self._loop)
        self.client = network((self._transport.get_extra_info("peername") or ("",))[0])
        plain: socket.socket | None = self._transport.get_extra_info("socket")
        if plain is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        # Told of every byte that waits: so the time that a client takes for a response is known,
        # whatever its size.
        self._transport.set_write_buffer_limits(high=0)
        refusal = self._connections.admit(self)
        if refusal is not None:
            self.refuse(refusal, "too many")
            return
        self._admitted = True
        self._server.connection_made(cast(asyncio.Transport, self._writer))
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Pass on bytes of a request."""
        if self._state is _State.CLOSED:
            return
        self._begun = True
        if self._state is _State.IDLE:
            self._expect()
        _current.set(self)  # tasks that the server starts for a request know their connection by it
        self._server.data_received(data)

    def eof_received(self) -> bool:
        """Keep a client that sends no more and may still want its answer."""
        if self._state is _State.ANSWERING:
            self._half_closed = True
            return True
        if self._state is _State.SENDING and self._begun:
            self.refuse(problem_response(400, "The request ends in the middle."), "incomplete")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection that is gone."""
        self._close()
        self._drained.set()
        self._connections.discard(self)
        if self._admitted:
            self._server.connection_lost(exc)

    def pause_writing(self) -> None:
        """Watch a client that has not taken all of a response."""
        self._drained.clear()
        self._watch_writing()
        self._server.pause_writing()
        self._connections.note_unsent(self, self._transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Go on with a client that has taken all of it."""
        self._drained.set()
        self._stop(writing=True)
        self._connections.note_unsent(self, 0)
        self._server.resume_writing()

    # what the application calls

    def request_begun(self) -> None:
        """Say that a request has begun: it may have come together with the one before it."""
        if self._state is _State.IDLE:
            self._expect()

    def request_arrived(self) -> bool:
        """Say that the request is there, whole; return whether it still is to be answered."""
        if self._state is not _State.SENDING:
            return False
        self._stop(reading=True)
        self._connections.note_sending(self, False)
        self._connections.answering.add(self)
        self._state = _State.ANSWERING
        return True

    def request_answered(self) -> None:
        """Say that the response was written; the client may send the next request."""
        self._connections.answering.discard(self)
        if self._state is _State.ANSWERING:
            self._state = _State.IDLE
            self._begun = False
            if self._half_closed:
                self._writer.close()

    async def writable(self) -> None:
        """Return when the client has taken all responses: until then it gets no further ones."""
        await self._drained.wait()

    @property
    def is_open(self) -> bool:
        """Whether a response can still be written."""
        return not self._transport.is_closing()

    # limits

    def refuse(self, response: bytes, reason: str) -> None:
        """Write ``response`` in place of one to the request, and end the connection a bit later."""
        if self._state is _State.CLOSED:
            return
        metrics.count("regula_connections_refused", reason)
        self._close()
        self._connections.discard(self)
        self._writer.flush()
        self._transport.write(response)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        # Closing at once would have the kernel reset the connection over what it has not read, and
        # the client not see the response.
        if self._connections.may_linger(self):
            self._loop.call_later(_LINGER, self._transport.abort)
        else:
            self._transport.close()

    def cut_off(self) -> None:
        """End the connection of a client that does not take its response."""
        metrics.count("regula_connections_refused", "slow reader")
        self._close()
        self._transport.abort()

    def _expect(self) -> None:
        self._state = _State.SENDING
        self._connections.note_sending(self, True)
        self._due = self._loop.time() + self._read_timeout
        self._reading = self._loop.call_at(self._due, self._too_slow)

    def _too_slow(self) -> None:
        late = self._loop.time() - self._due
        if late > _LATE:  # the machine held this process up: its time is not the client's
            self._due = self._loop.time() + late
            self._reading = self._loop.call_at(self._due, self._too_slow)
            return
        self.refuse(problem_response(408, "The request did not arrive in time."), "slow request")

    def _watch_writing(self) -> None:
        self._stop(writing=True)
        waiting = self._transport.get_write_buffer_size()

        def look() -> None:
            now = self._transport.get_write_buffer_size()
            if waiting - now < min(LEAST_SENT, waiting):
                self.cut_off()
            else:
                self._watch_writing()

        self._writing = self._loop.call_later(self._write_timeout, look)

    def _close(self) -> None:
        self._state = _State.CLOSED
        self._stop(reading=True, writing=True)

    def _stop(self, reading: bool = False, writing: bool = False) -> None:
        if reading and self._reading is not None:
            self._reading.cancel()
            self._reading = None
        if writing and self._writing is not None:
            self._writing.cancel()
            self._writing = None


class SingleAcceptSocket(socket.socket):
    """A listening socket of which an event loop takes one connection in a round, so that processes
    that share it share the work.

    asyncio accepts as many as there are: the process that wakes first would have them all.
    ``pause`` waits before one is taken, the longer the more the process has to answer.
    """

    def __init__(self, listener: socket.socket, pause: Callable[[], None]):
        super().__init__(listener.family, listener.type, listener.proto, fileno=listener.detach())
        self._pause = pause
        self._took = False

    def accept(self) -> tuple[socket.socket, object]:
        """Return the next connection. Raises `BlockingIOError` without one, and after each one."""
        if self._took:
            self._took = False
            raise BlockingIOError
        self._pause()
        accepted = super().accept()
        self._took = True
        return accepted
