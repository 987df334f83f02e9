"""How many connections a process takes, in all and from one client, and what those that are refused
are answered.
"""

from __future__ import annotations

import ipaddress
import json
from typing import Protocol

from service.core.problems import SLUGS, TITLES

MOST_UNSENT = (
    64 * 1024 * 1024
)  # bytes of responses that a process holds for all clients that do not take them
_LINGERING = 256  # refused connections that are still read from at once


def network(address: str) -> str:
    """Return who counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is
    what one customer gets.
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


def problem_response(status: int, detail: str, retry: int | None = None) -> bytes:
    """Return a whole HTTP response with a problem (RFC 9457), after which the connection is
    closed.
    """
    title = TITLES[status]
    problem = {
        "type": f"urn:regula:problem:{SLUGS[status]}",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": "",
    }
    body = json.dumps(problem).encode()
    head = (
        f"HTTP/1.1 {status} {title}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
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
    """All connections of a process, and how many it takes: ``most`` in all, ``most_of_one`` from
    one client.

    Where there are too many, the one that has been sending its request for longest makes room;
    where none is sending, the new one is refused. So clients that are slow lose to those that are
    not, also behind the same address.
    """

    def __init__(self, most: int, most_of_one: int | None):
        self._most, self._most_of_one = most, most_of_one
        self._open: set[PooledConnection] = set()
        self._lingering: set[PooledConnection] = set()
        self._by_client: dict[str, set[PooledConnection]] = {}
        self._sending: dict[PooledConnection, None] = {}  # in the order in which they began
        self._untaken: dict[
            PooledConnection, int
        ] = {}  # bytes of a response that wait, in the order in which they began to
        self.answering: set[PooledConnection] = set()  # those whose request is being answered

    def admit(self, new: PooledConnection) -> bytes | None:
        """Take ``new``; else what to tell the client."""
        here = self._by_client.get(new.client, ())
        if (
            self._most_of_one is not None
            and len(here) >= self._most_of_one
            and not self._make_room(here)
        ):
            return problem_response(429, "Too many connections from this address.", 5)
        if len(self._open) >= self._most and not self._make_room(self._open):
            return problem_response(503, "Too many connections.", 5)
        self._open.add(new)
        self._by_client.setdefault(new.client, set()).add(new)
        return None

    def _make_room(self, among: set[PooledConnection] | tuple[()]) -> bool:
        slowest = next((each for each in self._sending if each in among), None)
        if slowest is None:
            return False
        slowest.refuse(
            problem_response(
                429, "Too many connections, and this one had not sent its request.", 5
            ),
            "too many",
        )
        return True

    def note_sending(self, connection: PooledConnection, sends: bool) -> None:
        """Remember whether the client of ``connection`` is sending a request."""
        if sends:
            self._sending[connection] = None
        else:
            self._sending.pop(connection, None)

    def note_unsent(self, connection: PooledConnection, size: int) -> None:
        """Remember how many bytes wait for the client of ``connection``; those that wait for
        longest go where it is too much.
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
        """Tell whether ``connection``, which was refused, may stay for a moment: as long as not too
        many do.
        """
        if len(self._lingering) >= _LINGERING:
            return False
        self._lingering.add(connection)
        return True

    def discard(self, connection: PooledConnection) -> None:
        """Forget ``connection``."""
        self._lingering.discard(connection)
        self._open.discard(connection)
        self._sending.pop(connection, None)
        self._untaken.pop(connection, None)
        self.answering.discard(connection)
        here = self._by_client.get(connection.client)
        if here is not None:
            here.discard(connection)
            if not here:
                del self._by_client[connection.client]
