"""Send a thousand malicious or malformed requests, each with the documented statuses."""

from __future__ import annotations

import http.client
import time
from contextlib import suppress
from dataclasses import dataclass

from tests.service.serving import Served

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Hostile:
    """A raw request, and the statuses allowed in response."""

    kind: str
    method: str
    address: str
    statuses: tuple[int, ...]
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def put(served: Served, hostile: Hostile, patience: float = 20) -> tuple[int, str, bytes, float]:
    """Return status, content type and body of the response, which must come within ``patience``
    seconds, and the seconds taken.
    """
    begun = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=patience)
    connection.putrequest(hostile.method, hostile.address, skip_accept_encoding=True)
    for name, value in hostile.headers:
        connection.putheader(name, value.encode("utf-8"))
    if hostile.body or hostile.method == "POST":
        connection.putheader("Content-Length", str(len(hostile.body)))
    with suppress(
        BrokenPipeError, ConnectionResetError
    ):  # refused before everything was sent; the response is there
        connection.endheaders(hostile.body)
    response = connection.getresponse()
    body = response.read()
    taken = time.monotonic() - begun
    connection.close()
    return response.status, response.headers.get_content_type(), body, taken


RAW = [  # no valid HTTP, or ambiguous HTTP
    b"GET /v1/editions\r\n\r\n",
    b"GET /v1/editions HTTP/9.9\r\n\r\n",
    b"GET /v1/editions HTTP/1.1\r\nBad Header\r\n\r\n",
    b"GET /v1/editions HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /v1/editions HTTP/1.1\r\nHost: x\r\nName\x00: y\r\n\r\n",
    b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
    b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: "
    b"chunked\r\n\r\n0\r\n\r\n",
    b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    b"GET  /v1/editions  HTTP/1.1\r\n\r\n",
    b"\r\n\r\n\r\nGARBAGE\r\n\r\n",
]
