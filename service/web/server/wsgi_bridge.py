"""Pass requests from the event loop to the WSGI application: each is read completely, then answered
in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import struct
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from threading import get_ident
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote_to_bytes, urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

from service.core import metrics, parameters
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.ops.settings import Settings
from service.schemas.fields import LONGEST_QUESTION
from service.web.errors import RETRY_SECONDS
from service.web.localization import language_of_header
from service.web.logs import REQUEST_ID, request_id
from service.web.requests import largest_body
from service.web.server.connections import current_connection, problem_response

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Wsgi = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
RouteOf = Callable[[str, str], str]  # of a method and a path

_ROWS = 2048  # for one process: more than can wait and be answered at the same time
# Times of arrival and of the start in a thread (seconds of the monotonic clock), id, method, path.
_ROW = struct.Struct("<dd64s24s206s")
_LINE, _FIELDS, _FIELD = 8190, 64, 8190  # bytes of an address, most headers, bytes of one
# Bytes read of a body that is too large, so that the client sees the response.
_PASSED_OVER = 2 * 1024 * 1024
_HEALTH = ("/healthz", "/readyz", "/metrics")
# Calls that may take seconds have a queue of their own, so that questions do not wait for them.
_LONG = (
    *("/v1/batch", "/v1/verify", "/v1/compare/", "/v1/terms"),
    *("/compare", "/terms", "/state", "/documents/"),
)
_WAITING = 512  # requests that may wait for a thread; each takes milliseconds
_WAITING_LONG = 64
_WAIT = TranslatableText(N_("Too many requests are waiting."))
_SLOW = TranslatableText(N_("This took too long."))
_NOT_UNDERSTOOD = TranslatableText(N_("This is not an HTTP request that could be understood."))
_LARGE_HEADERS = TranslatableText(N_("The headers are too large."))
_LONG_ADDRESS = TranslatableText(
    N_("The address is too long; a question may have %(limit)s characters."),
    {"limit": LONGEST_QUESTION},
)
_BY_POST = TranslatableText(N_("What does not fit into an address can be sent by POST."))
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeldRequest:
    """An unanswered request, ``seconds`` after it arrived; ``begun`` says whether a thread had
    started it.
    """

    id: str
    method: str
    path: str
    seconds: float
    begun: bool


class RequestTable:
    """A row for each unfinished request, in shared memory. If a process is killed, its parent can
    report what was lost.

    Each process has a slot; slot 0 is the parent's. Only the thread of the event loop takes and
    frees rows. The path is stored to find the route, and only the route is logged, because a path
    may reveal what somebody looks up. Unused pages take no memory.
    """

    def __init__(self, slots: int = 1):
        self._slots = slots
        self._memory = mmap.mmap(-1, slots * _ROWS * _ROW.size)
        self.use(0)

    def use(self, slot: int | None) -> None:
        """Write to ``slot`` from now on; to private memory if there is no such slot."""
        if slot is None or slot >= self._slots:
            self._memory, self._slots, slot = mmap.mmap(-1, _ROWS * _ROW.size), 1, 0
        self._slot = slot
        self._free = list(range(_ROWS - 1, -1, -1))

    def arrived(self, id: str, method: str, path: str) -> RequestRow:
        """Record a request that arrived completely."""
        row = self._free.pop() if self._free else None
        if row is not None:
            place = self._place(self._slot, row)
            texts = id.encode(), method.encode(), path.encode("utf-8", "replace")
            _ROW.pack_into(self._memory, place, 0.0, 0.0, *texts)
            # Written last: a row with a time is complete.
            struct.pack_into("<d", self._memory, place, time.monotonic())
        return RequestRow(self, row)

    def begun(self, row: int) -> None:
        """Record that a thread starts the request in ``row``."""
        struct.pack_into("<d", self._memory, self._place(self._slot, row) + 8, time.monotonic())

    def ended(self, row: int) -> None:
        """Record that the request in ``row`` was answered or dropped."""
        struct.pack_into("<d", self._memory, self._place(self._slot, row), 0.0)
        self._free.append(row)

    def take_held(self, slot: int) -> list[HeldRequest]:
        """Return and clear the requests that the ended process of ``slot`` left, oldest first."""
        found, now = [], time.monotonic()
        for row in range(_ROWS if 0 < slot < self._slots else 0):
            place = self._place(slot, row)
            arrived, begun, *texts = _ROW.unpack_from(self._memory, place)
            id, method, path = (text.rstrip(b"\0").decode("utf-8", "replace") for text in texts)
            if not arrived and not id:
                break  # rows are taken in order, so all later ones are unused
            if arrived:
                found.append(HeldRequest(id, method, path, now - arrived, begun > 0))
            _ROW.pack_into(self._memory, place, 0.0, 0.0, b"", b"", b"")
        return sorted(found, key=lambda held: -held.seconds)

    @staticmethod
    def _place(slot: int, row: int) -> int:
        return (slot * _ROWS + row) * _ROW.size


class RequestRow:
    """The row of one request in a table, unless that is full; ``thread`` answers the request."""

    def __init__(self, table: RequestTable, row: int | None):
        self._table, self._row = table, row
        self.thread: int | None = None
        self.since = time.monotonic()

    def begin(self) -> None:
        """Record that the calling thread starts the request."""
        self.thread = get_ident()
        if self._row is not None:
            self._table.begun(self._row)

    def end(self) -> None:
        """Record the end and free the row; call this once, in the event loop."""
        if self._row is not None:
            self._table.ended(self._row)
            self._row = None


def log_with_stack(logger: logging.Logger, message: str, stack: str, **fields: Any) -> None:
    """Log an error with the ``stack`` of another thread or process instead of the caller's."""
    if logger.isEnabledFor(logging.ERROR):
        given = (logger.name, logging.ERROR, "", 0, message, (), None, None, fields, stack or None)
        logger.handle(logger.makeRecord(*given))


class RoutedApplication(Protocol):
    """An application that can tell the route of a request."""

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse, /
    ) -> Iterable[bytes]:
        """Answer a request."""

    def route_of(self, method: str, path: str) -> str:
        """Return the route of a request."""


class RequestTimeout(RuntimeError):
    """A request took longer than the limit."""


class TooManyWaiting(RuntimeError):
    """More requests are waiting than can be answered soon."""


class RequestLane:
    """A pool of ``threads`` for one kind of request, with a queue of at most ``waiting``.

    ``limit`` is the time in seconds that a request may take once a thread has started it.
    """

    def __init__(self, name: str, threads: int, waiting: int, limit: float):
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._name, self._most, self._limit = name, threads + waiting, limit
        self._here = 0

    async def run(self, function: Callable[[], Answer], row: RequestRow) -> Answer:
        """Call ``function`` in a thread, for the request of ``row``.

        Raises `TooManyWaiting`, `RequestTimeout` if it takes too long, and what ``function``
        raises.
        """
        if self._here >= self._most:
            raise TooManyWaiting
        self._here += 1
        begun: list[float] = []
        metrics.count("regula_requests_waiting", self._name)

        def work() -> Answer:
            metrics.count("regula_requests_waiting", self._name, by=-1)
            row.begin()
            begun.append(time.monotonic())
            return function()

        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        future.add_done_callback(self._leave)
        while True:
            done, _ = await asyncio.wait((future,), timeout=self._limit)
            if done:
                return future.result()
            if begun and time.monotonic() - begun[0] >= self._limit:
                raise RequestTimeout

    def _leave(self, _: object) -> None:
        self._here -= 1


class WsgiBridge:
    """An ASGI application that wraps a WSGI application.

    ``stuck`` is called when a request exceeds its time limit, since its thread is then lost.
    ``route_of`` returns the route for the log, because an address may reveal the question.
    """

    def __init__(
        self,
        application: Wsgi,
        settings: Settings,
        stuck: Callable[[], None] = lambda: None,
        route_of: RouteOf = lambda *_: "none",
    ):
        self._application, self._stuck, self.route_of = application, stuck, route_of
        self.requests = RequestTable()
        limit = settings.request_timeout
        longer = limit + settings.batch_timeout
        self._health = RequestLane("health", 1, _WAITING, limit)
        self._quick = RequestLane("quick", settings.threads, _WAITING, limit)
        self._long = RequestLane("long", settings.threads, _WAITING_LONG, longer)
        self.stopping = False  # true while this process shuts down, so that clients reconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        connection = current_connection()
        if connection:
            connection.request_begun()
        _use_origin_form(scope)
        body = await _read(scope, receive)
        if body is None:
            return
        if connection:
            if not connection.request_arrived():
                await receive()  # until the refused connection is closed
                return
            await connection.writable()
            if not connection.is_open:
                return
        given = (value for name, value in scope["headers"] if name == b"x-request-id")
        id = request_id(next(given, b"").decode("latin-1"))
        row = self.requests.arrived(id, scope["method"], scope["path"])
        try:
            status, headers, answer = await self._answer_in_time(scope, body, id, row)
            if self.stopping or len(body) > largest_body(scope["path"]):
                headers = [each for each in headers if each[0].lower() != b"connection"]
                headers.append((b"connection", b"close"))
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": answer})
        finally:
            row.end()
        if connection:
            connection.request_answered()

    async def _answer_in_time(self, scope: Scope, body: bytes, id: str, row: RequestRow) -> Answer:
        """Return the application's response, or a problem if the request is refused or takes too
        long.
        """
        if refused := _refusal(scope):
            return refused
        path = scope["path"]
        takes_long = path.startswith(_LONG) or path.endswith("/changes")
        lane = self._health if path in _HEALTH else self._long if takes_long else self._quick
        try:
            return await lane.run(lambda: self._answer(scope, body, id), row)
        except TooManyWaiting:
            status, headers, answer = _problem(scope, 503, _WAIT, retry=RETRY_SECONDS)
        except RequestTimeout:
            self._log_timeout(scope, id, row)
            status, headers, answer = _problem(scope, 503, _SLOW, retry=RETRY_SECONDS)
            self._stuck()
        return status, [*headers, (b"x-request-id", id.encode())], answer

    def _log_timeout(self, scope: Scope, id: str, row: RequestRow) -> None:
        method, seconds = scope["method"], round(time.monotonic() - row.since, 1)
        route = self.route_of(method, scope["path"])
        frame = sys._current_frames().get(row.thread or 0)
        stack = "".join(traceback.format_stack(frame)) if frame else ""
        message = f"request {id} ({method} {route}) was not answered in {seconds} s"
        fields = {"request": id, "method": method, "route": route, "seconds": seconds}
        log_with_stack(_LOG, message, stack, **fields)

    def _answer(self, scope: Scope, body: bytes, id: str) -> Answer:
        started: list[Any] = []
        parts: list[bytes] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], exc_info: object = None
        ) -> Callable[[bytes], object]:
            encoded = [(name.lower().encode("latin-1"), v.encode("latin-1")) for name, v in headers]
            started[:] = [int(status[:3]), encoded]
            return parts.append

        found = self._application(_environ(scope, body) | {REQUEST_ID: id}, start_response)
        try:
            parts.extend(found)
        finally:
            if hasattr(found, "close"):
                found.close()
        status, headers = started
        return status, headers, b"".join(parts)


async def _read(scope: Scope, receive: Receive) -> bytes | None:
    """Return the body, only its beginning if it is too large, None if the client is gone."""
    largest = largest_body(scope["path"])
    announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if int(announced) > largest and any(name == b"expect" for name, _ in scope["headers"]):
        return bytes(largest + 1)  # the client waits for permission to send that much
    parts: list[bytes] = []
    size = passed = 0
    more = True
    while more and passed < _PASSED_OVER:
        message = await receive()
        if message["type"] != "http.request":
            return None
        part = message.get("body", b"")
        if size <= largest:
            parts.append(part)
            size += len(part)
        else:
            passed += len(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _refusal(scope: Scope) -> Answer | None:
    """Return the response to a request that is refused for its address or headers, else None."""
    headers, path = scope["headers"], scope["raw_path"]
    odd_host = any(name == b"host" and b" " in value for name, value in headers)
    if odd_host or scope["http_version"] not in ("1.0", "1.1") or not path.startswith(b"/"):
        return _problem(scope, 400, _NOT_UNDERSTOOD)
    if len(path) + len(scope["query_string"]) > _LINE:
        return _problem(scope, 414, *_why_too_long(scope["query_string"]))
    if len(headers) > _FIELDS or any(len(name) + len(value) > _FIELD for name, value in headers):
        return _problem(scope, 431, _LARGE_HEADERS)
    return None


def _why_too_long(query: bytes) -> tuple[TranslatableText, ...]:
    """Return why an address with this ``query`` is too long, by its question if it has one."""
    asked = parse_qs(query.decode("ascii", "replace"), keep_blank_values=True).get("q")
    if asked:
        try:
            parameters.question(asked[0])
        except Problem as problem:
            return problem.text, _BY_POST
    return _LONG_ADDRESS, _BY_POST


def _problem(
    scope: Scope, status: int, *details: TranslatableText, retry: int | None = None
) -> Answer:
    """Return a problem in the language of the request; ``details`` are sentences."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-language")
    language = language_of_header(accepted.decode("latin-1"))
    detail = " ".join(each.in_language(language) for each in details)
    response = problem_response(status, detail, retry, language)
    head, _, body = response.partition(b"\r\n\r\n")
    fields = (line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
    return status, [(name.lower(), value) for name, value in fields], body


def _use_origin_form(scope: Scope) -> None:
    """Replace the absolute address in a request, a form meant for proxies, by its path (RFC 9112,
    3.2.2).
    """
    with suppress(ValueError):
        found = urlsplit(bytes(scope["raw_path"]))
        if found.scheme not in (b"http", b"https") or not found.netloc or b"@" in found.netloc:
            return  # invalid; `_refusal` reports it
        scope["raw_path"] = found.path or b"/"
        scope["path"] = unquote_to_bytes(scope["raw_path"]).decode("utf-8", "replace")
        others = (field for field in scope["headers"] if field[0] != b"host")
        scope["headers"] = [(b"host", found.netloc), *others]


def _environ(scope: Scope, body: bytes) -> WSGIEnvironment:
    """Return the request as a WSGI environment (PEP 3333)."""
    target = scope["raw_path"]
    client, server = scope["client"] or ("", 0), scope["server"] or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(target).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REQUEST_URI": target.decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(body),
        "wsgi.errors": _Errors(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for field, value in scope["headers"]:
        name, text = field.decode("latin-1"), value.decode("latin-1")
        if "_" in name or name in ("content-length", "transfer-encoding"):
            continue  # an underscore could imitate a header that a proxy sets
        key = "CONTENT_TYPE" if name == "content-type" else f"HTTP_{name.upper().replace('-', '_')}"
        joint = "; " if name == "cookie" else ","
        environ[key] = f"{environ[key]}{joint}{text}" if key in environ else text
    return environ


class _Errors:
    """The error stream of the application: writes to the log."""

    def write(self, text: str) -> int:
        """Log ``text``."""
        if text.strip():
            _LOG.error("%s", text.rstrip())
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Log ``lines``."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""
