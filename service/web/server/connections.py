"""Limit connections: their number, and the time for a request and its response.

The event loop waits for clients, so no thread does. The limits are applied between the socket and
the server's own protocol, through the interface that asyncio defines for both.
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

# Bytes of unsent responses that a process holds for all clients together.
MOST_UNSENT = 64 * 1024 * 1024
_LINGERING = 256  # refused connections that are read from at the same time


def network(address: str) -> str:
    """Return the name of a client: an IPv4 address, or the /64 network that an IPv6 customer
    gets.
    """
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
    ``detail`` is already in that language.
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
    """The interface that a `ConnectionPool` needs of a connection."""

    client: str

    def refuse(self, response: bytes, reason: str) -> None:
        """Write ``response`` instead of an answer, and end the connection."""

    def cut_off(self) -> None:
        """End the connection at once."""


class ConnectionPool:
    """All connections of a process: at most ``most``, and ``most_of_one`` from one client.

    When the limit is reached, the connection that has been sending its request for longest is
    refused; if none is sending, the new one is. So slow clients lose to others, also behind the
    same address.
    """

    def __init__(self, most: int, most_of_one: int | None):
        self._most, self._most_of_one = most, most_of_one
        self._open: set[PooledConnection] = set()
        self._lingering: set[PooledConnection] = set()
        self._by_client: dict[str, set[PooledConnection]] = {}
        # Both oldest first: connections that send a request, and bytes not taken by clients.
        self._sending: dict[PooledConnection, None] = {}
        self._untaken: dict[PooledConnection, int] = {}
        self.answering: set[PooledConnection] = set()  # connections whose request is being answered

    def admit(self, new: PooledConnection) -> bytes | None:
        """Admit ``new`` and return None, or return the refusal to send to the client."""
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
        """Record whether the client of ``connection`` is sending a request."""
        if sends:
            self._sending[connection] = None
        else:
            self._sending.pop(connection, None)

    def note_unsent(self, connection: PooledConnection, size: int) -> None:
        """Record how many bytes wait for a client. If the total is too large, cut the slowest
        off.
        """
        self._untaken.pop(connection, None)
        if size:
            self._untaken[connection] = size
        total = sum(self._untaken.values()) if size else 0
        while total > MOST_UNSENT:
            slowest = next(iter(self._untaken))
            total -= self._untaken.pop(slowest)
            slowest.cut_off()

    def may_linger(self, connection: PooledConnection) -> bool:
        """Return whether the refused ``connection`` may stay a moment, which only a few may at
        once.
        """
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


# Bytes of a response that a client must take in each `write_timeout`, or all if fewer remain.
LEAST_SENT = 64 * 1024
# Bytes that the kernel buffers for a client; without a limit it would be megabytes for each.
_SEND_BUFFER = 256 * 1024
_LINGER = 1.0  # seconds that a refused connection is still read, so that the client sees the reason
_LATE = 0.1  # a timer later than this, in seconds, was held up by the machine

_current: ContextVar[Connection] = ContextVar("connection")


def current_connection() -> Connection | None:
    """Return the connection of the request that the current task answers, if any."""
    return _current.get(None)


class _State(Enum):
    SENDING = "the client is sending a request, or is expected to"
    ANSWERING = "a request has arrived whole"
    IDLE = "the last request was answered"
    CLOSED = "nothing more is read as a request or answered"


class _JoinedWriter:
    """A transport that joins all writes of one round of the event loop, because uvicorn writes head
    and body separately.

    So a client gets a response in as few packets as possible.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop):
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Queue ``data`` to be sent before the loop turns to anything scheduled later."""
        if data:
            if not self._parts:
                self._loop.call_soon(self.flush)
            self._parts.append(data)

    def flush(self) -> None:
        """Send the queued data."""
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))

    def close(self) -> None:
        """Send the queued data, then close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(asyncio.Protocol):
    """One connection: passes everything on to ``server``, the protocol that implements HTTP, and
    ends the connection when a limit is reached.

    The server application reports progress with `request_arrived` and `request_answered`. Timeouts
    are in seconds.
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
        self._begun = False  # whether a byte of the present request has arrived
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
        # Be told of every waiting byte, to measure how long a client takes for a response of any
        # size.
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
        _current.set(self)  # tasks that the server starts for a request find their connection here
        self._server.data_received(data)

    def eof_received(self) -> bool:
        """Keep the connection of a client that sends no more but may still want its answer."""
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
        """Start to time a client that has not taken all of a response."""
        self._drained.clear()
        self._watch_writing()
        self._server.pause_writing()
        self._connections.note_unsent(self, self._transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Continue with a client that has taken the whole response."""
        self._drained.set()
        self._stop(writing=True)
        self._connections.note_unsent(self, 0)
        self._server.resume_writing()

    # what the application calls

    def request_begun(self) -> None:
        """Note that a request has begun; it may have come together with the previous one."""
        if self._state is _State.IDLE:
            self._expect()

    def request_arrived(self) -> bool:
        """Note that the request is complete, and return whether it should still be answered."""
        if self._state is not _State.SENDING:
            return False
        self._stop(reading=True)
        self._connections.note_sending(self, False)
        self._connections.answering.add(self)
        self._state = _State.ANSWERING
        return True

    def request_answered(self) -> None:
        """Note that the response was written; the client may send the next request."""
        self._connections.answering.discard(self)
        if self._state is _State.ANSWERING:
            self._state = _State.IDLE
            self._begun = False
            if self._half_closed:
                self._writer.close()

    async def writable(self) -> None:
        """Wait until the client has taken all responses; it gets no further ones before."""
        await self._drained.wait()

    @property
    def is_open(self) -> bool:
        """Whether a response can still be written."""
        return not self._transport.is_closing()

    # limits

    def refuse(self, response: bytes, reason: str) -> None:
        """Write ``response`` instead of an answer, and end the connection a moment later."""
        if self._state is _State.CLOSED:
            return
        metrics.count("regula_connections_refused", reason)
        self._close()
        self._connections.discard(self)
        self._writer.flush()
        self._transport.write(response)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        # If closed at once, the kernel would reset the connection because of unread bytes, and the
        # client would not see the response.
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
        if late > _LATE:  # this process was held up: do not charge the client for it
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
    """A listening socket that gives an event loop one connection a round, so that the processes
    sharing it share the work.

    asyncio accepts all waiting connections: the process that wakes first would take them all.
    ``pause`` waits before each connection, longer the more requests the process is answering.
    """

    def __init__(self, listener: socket.socket, pause: Callable[[], None]):
        super().__init__(listener.family, listener.type, listener.proto, fileno=listener.detach())
        self._pause = pause
        self._took = False

    def accept(self) -> tuple[socket.socket, object]:
        """Return the next connection. Raises `BlockingIOError` if there is none, and after each
        one.
        """
        if self._took:
            self._took = False
            raise BlockingIOError
        self._pause()
        accepted = super().accept()
        self._took = True
        return accepted
