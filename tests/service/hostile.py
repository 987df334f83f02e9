"""A thousand requests that mean harm or make no sense, each with the status that is documented for
it.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote

from tests.service.serving import Served

EDITION = "pegelwacht-de-1.1"
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Hostile:
    """A request as it goes over the wire, and the statuses that may answer it."""

    kind: str
    method: str
    address: str
    statuses: tuple[int, ...]
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


CLIMBS = [
    *(
        "../../../../etc/passwd",
        "..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "..%5c..%5cwindows%5cwin.ini",
    ),
    *(
        "....//....//etc/passwd",
        "..%252f..%252fetc%252fpasswd",
        "%2fetc%2fpasswd",
        "file:///etc/passwd",
        "..;/..;/etc/passwd",
    ),
    *(
        "%00",
        "a%00.txt",
        "..%c0%af..%c0%afetc/passwd",
        "%2e%2e%2f" * 20 + "proc/self/environ",
        "~root/.ssh/id_rsa",
        ".git/config",
    ),
    *(
        "..%u2216etc",
        ".%2e/.%2e/pyproject.toml",
        "/".join([".."] * 40) + "/app.cfg",
        "con",
        "manifest.json%20",
        "current",
        ".lock",
    ),
]
PLACES = [
    "/v1/entries/",
    f"/v1/entries/{EDITION}/",
    "/v1/editions/",
    "/v1/concepts/",
    "/v1/compare/x/",
    "/e/",
    "/static/",
    "/docs/",
    "/terms/",
]
TEMPLATES = [
    *(
        "{{7*7}}",
        "{{config}}",
        "{{''.__class__.__mro__[1].__subclasses__()}}",
        "{%import os%}",
        "${7*7}",
        "#{7*7}",
        "<%= 7*7 %>",
        "{{request.environ}}",
    ),
    *(
        "__import__('os').system('id')",
        "%(password)s",
        "{0.__class__}",
        "'; DROP TABLE entries;--",
        '" OR 1=1',
        "$(id)",
        "`id`",
        "|id",
        "<script>alert(1)</script>",
    ),
    *(
        "*/*",
        "../x",
        "\\",
        "'",
        "a" * 1500,
        "ｆｕｌｌ",
        "𝟙",
        "null",
        "[]",
        "{}",
        "-1",
        "1e309",
        "0x10",
        "true",
    ),
]
FIELDS = ["edition", "game", "document", "language", "k"]
MARKS = [
    "\u0000",
    "\u0007",
    "\u001b[31m",
    "\u007f",
    "\u0085",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202b",
    "\u202d",
    "\u202e",
    "\u2066",
    "\u2067",
    "\u2069",
]
BROKEN = [
    b"\xff",
    b"\xc3\x28",
    b"\xe2\x28\xa1",
    b"\xf0\x28\x8c\xbc",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf8\xa1\xa1\xa1\xa1",
    b"\x80",
    b"\xfe\xff",
    b"a\xe4b",
]
UNKNOWN = [
    "Q",
    "query",
    "editon",
    "size",
    "start",
    "callback",
    "_method",
    "debug",
    "admin",
    "q[]",
    "$where",
    "__proto__",
    "constructor",
]
NO_JSON = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"7",
    b'"a"',
    b"{'question': 'a'}",
    b'{"question": "a",}',
    b"question=a",
    b'{"question": "a"} x',
    b"\x00",
    b"{]",
    b"//",
]
METHODS = ["PUT", "DELETE", "PATCH", "POST", "TRACE", "PROPFIND", "FOO"]


def requests() -> Iterator[Hostile]:
    """Every one of them."""
    for place, climb in product(PLACES, CLIMBS):
        yield Hostile("path", "GET", place + climb, (400, 404))
    for field, value in product(FIELDS, TEMPLATES):
        if field == "language" and value in ("null", "true"):  # might be tags of languages
            continue
        yield Hostile("template", "GET", f"/v1/ask?q=Pegel&{field}={quote(value)}", (422,))
        yield Hostile(
            "template",
            "POST",
            "/v1/ask",
            (422,),
            tuple(JSON.items()),
            json.dumps({"question": "Pegel", field: value}).encode(),
        )
    for mark, call in product(
        MARKS, ("/v1/ask?q=", "/v1/suggest?q=", "/v1/entries?prefix=", "/v1/rulings?card=")
    ):
        yield Hostile("characters", "GET", f"{call}Pe{quote(mark)}gel", (422,))
    for mark in [*MARKS, "\ud800", "\udfff"]:
        yield Hostile(
            "characters",
            "POST",
            "/v1/ask",
            (422,),
            tuple(JSON.items()),
            json.dumps({"question": f"Pe{mark}gel"}).encode(),
        )
    for broken in BROKEN:
        text = quote(broken)
        for address in (
            f"/v1/ask?q={text}",
            f"/v1/suggest?q={text}",
            f"/v1/entries/{EDITION}/{text}",
            f"/e/{EDITION}/{text}",
            f"/?q={text}",
        ):
            yield Hostile("encoding", "GET", address, (400,))
        yield Hostile(
            "encoding",
            "POST",
            "/v1/ask",
            (400,),
            tuple(JSON.items()),
            b'{"question": "' + broken + b'"}',
        )
        yield Hostile(
            "encoding",
            "POST",
            "/v1/batch",
            (400,),
            tuple(JSON.items()),
            b'{"questions": [{"question": "' + broken + b'"}]}',
        )
    for depth in range(20, 30_000, 1000):
        for call, opened in product(
            ("/v1/ask", "/v1/batch", "/v1/context", "/v1/verify"), (b"[", b'{"a":')
        ):
            yield Hostile(
                "nesting",
                "POST",
                call,
                (400, 413),
                tuple(JSON.items()),
                b'{"question": "a", "b": ' + opened * depth,
            )
    for call, body in product(("/v1/ask", "/v1/batch", "/v1/context", "/v1/verify"), NO_JSON):
        yield Hostile("json", "POST", call, (400,), tuple(JSON.items()), body)
        yield Hostile("type", "POST", call, (415,), (("Content-Type", "text/plain"),), body)
    for number in (
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "9" * 5000,
        "-0.5",
        "51",
        "0",
        "-1",
        "1.5",
        "true",
        '"5"',
        "[1]",
        "{}",
    ):
        yield Hostile(
            "number",
            "POST",
            "/v1/ask",
            (400, 422),
            tuple(JSON.items()),
            b'{"question": "a", "k": ' + number.encode() + b"}",
        )
    for field in ("question", "k", "edition", "b"):
        yield Hostile(
            "twice",
            "POST",
            "/v1/ask",
            (400,),
            tuple(JSON.items()),
            f'{{"question": "a", "{field}": "a", "{field}": "b"}}'.encode(),
        )
        yield Hostile("twice", "GET", f"/v1/ask?q=a&{field}=1&{field}=2", (400,))
    for call, name in product(
        ("/v1/ask?q=a", "/v1/editions?", "/v1/entries?", "/v1/terms?game=pegelwacht"), UNKNOWN
    ):
        yield Hostile("parameter", "GET", f"{call}&{quote(name)}=1", (400,))
    for size in (64 * 1024, 100_000, 500_000):
        yield Hostile(
            "size",
            "POST",
            "/v1/ask",
            (413,),
            tuple(JSON.items()),
            b'{"question": "' + b"x" * size + b'"}',
        )
        yield Hostile(
            "size",
            "POST",
            "/v1/context",
            (413,),
            tuple(JSON.items()),
            b'{"question": "' + b"x" * size + b'"}',
        )
    for call in ("/v1/batch", "/v1/verify"):
        yield Hostile(
            "size",
            "POST",
            call,
            (413,),
            tuple(JSON.items()),
            b'{"text": "' + b"x" * 600_000 + b'"}',
        )
    yield Hostile(
        "size",
        "POST",
        "/v1/batch",
        (422,),
        tuple(JSON.items()),
        json.dumps({"questions": [{"question": "a"}] * 101}).encode(),
    )
    yield Hostile(
        "size",
        "POST",
        "/v1/ask",
        (422,),
        tuple(JSON.items()),
        json.dumps({"question": "x" * 2001}).encode(),
    )
    yield Hostile("size", "GET", f"/v1/ask?q={'x' * 2001}", (422,))
    for size in (8_300, 20_000, 60_000):
        yield Hostile("size", "GET", f"/v1/ask?q={'x' * size}", (414,))
        yield Hostile("size", "GET", "/v1/editions", (431,), (("X-Large", "x" * size),))
    yield Hostile(
        "size", "GET", "/v1/editions", (431,), tuple((f"X-Many-{n}", "x") for n in range(100))
    )
    for method, call in product(
        METHODS, ("/v1/editions", "/v1/entries", "/v1/suggest", "/healthz", "/openapi.json")
    ):
        yield Hostile("method", method, call, (400, 405, 501))
    for token in (
        "",
        "x",
        "Basic YTpi",
        "Bearer",
        "Bearer x",
        "Bearer regula_" + "A" * 43,
        "bearer null",
        "Digest a=b",
        "Bearer \u00e9",
    ):
        yield Hostile("key", "GET", "/v1/admin/indexes", (401,), (("Authorization", token),))
        yield Hostile(
            "key",
            "POST",
            "/v1/admin/serve",
            (401,),
            (("Authorization", token), *JSON.items()),
            b'{"index": "x"}',
        )


def put(served: Served, hostile: Hostile, patience: float = 20) -> tuple[int, str, bytes, float]:
    """Status, content type and body of the response, which must come within ``patience`` seconds,
    and the seconds it took.
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
    ):  # turned away before it had sent everything; the answer is there
        connection.endheaders(hostile.body)
    response = connection.getresponse()
    body = response.read()
    taken = time.monotonic() - begun
    connection.close()
    return response.status, response.headers.get_content_type(), body, taken


RAW = [  # what is no HTTP at all, or HTTP meant to be read two ways
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
SLOW = [  # sent so far and no further
    b"GET /v1/edi",
    b"GET /v1/editions HTTP/1.1\r\nHost: x\r\n",
    b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
    b"100\r\n\r\n{",
    b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
]
