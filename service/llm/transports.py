"""Ways from a request to the completion that answers it: a server, or a file of recorded calls."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Lock
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from service.llm.endpoint import ModelEndpoint
from service.llm.errors import BadReply, ModelError, ModelTimeout, ModelUnreachable, NotRecorded
from service.llm.model_request import canonical, request_key

LARGEST_REPLY = 1 << 20  # bytes; the longest that is asked for has some 40 kB
_LONGEST_PAUSE = 120.0  # seconds that a server may ask for before it is asked again
_PASSING = (
    408,
    409,
    429,
)  # statuses of refusals that may not last, beside those of a server's own faults


class Transport(Protocol):
    """Something that answers the body of a call with a chat completion."""

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion for ``body``, within ``seconds`` for each try. Raises
        `ModelError`.
        """


class HttpTransport:
    """Asks the server of a model. Safe for threads."""

    def __init__(self, endpoint: ModelEndpoint):
        self._endpoint = endpoint

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion for ``body``. A server that is busy or fails is asked again, after
        the pause that it asks for.
        """
        request = Request(
            f"{self._endpoint.url.rstrip('/')}/chat/completions",
            json.dumps({"model": self._endpoint.name, **body}).encode("ascii"),
            {
                "Authorization": f"Bearer {self._endpoint.key or 'none'}",
                "Content-Type": "application/json",
                "User-Agent": "regula",
            },
        )
        failure: ModelError
        for attempt in range(retries + 1):
            pause = min(0.5 * 2**attempt, 8.0) * random.uniform(0.75, 1.0)
            end = time.monotonic() + seconds
            try:
                with urlopen(request, timeout=seconds) as response:
                    return _object(b"".join(_within(response, end)))
            except HTTPError as refusal:
                failure, pause = _refusal(refusal, pause)
            except (OSError, HTTPException) as fault:
                failure = _broken(fault, seconds)
            if attempt == retries or pause > _LONGEST_PAUSE:
                raise failure
            time.sleep(pause)
        raise AssertionError("a call is made at least once")


class RecordingTransport:
    """Appends every call and its completion to a file, a JSON object a line. Safe for threads."""

    def __init__(self, inner: Transport, file: Path):
        self._inner = inner
        self._file = file
        self._lock = Lock()

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return what the other transport returns for ``body``."""
        response = self._inner.send(body, seconds, retries)
        _append(
            self._file,
            {"key": request_key(body), "request": body, "response": response},
            self._lock,
        )
        return response


class ReplayTransport:
    """Answers from a file of recorded calls alone; what it lacks is appended to the file
    ``….missing``. Safe for threads.
    """

    def __init__(self, file: Path):
        self._missing = file.with_name(f"{file.name}.missing")
        self._lock = Lock()
        self._recorded = dict(_recorded(file))
        self._lacked: set[str] = set()

    @property
    def lacked(self) -> int:
        """How many calls were not in the file."""
        return len(self._lacked)

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the recorded completion for ``body``. Raises `NotRecorded`."""
        key = request_key(body)
        if key in self._recorded:
            return self._recorded[key]
        with self._lock:
            new = key not in self._lacked
            self._lacked.add(key)
        if new:
            _append(self._missing, {"key": key, "request": body}, self._lock)
        raise NotRecorded(f"this call is not recorded; it was appended to {self._missing}")


def open_transport(endpoint: ModelEndpoint) -> Transport:
    """Return the way to the model of ``endpoint``. Raises `ModelError` where its recorded calls
    cannot be read.
    """
    if endpoint.replay:
        return ReplayTransport(endpoint.replay)
    transport = HttpTransport(endpoint)
    return RecordingTransport(transport, endpoint.record) if endpoint.record else transport


def _refusal(refusal: HTTPError, pause: float) -> tuple[ModelUnreachable, float]:
    """Return ``refusal`` as an error, and the seconds before the server may be asked again: endless
    where that would not help.

    These are ``pause`` where the server does not say how long.
    """
    with refusal:
        try:
            said = refusal.read(LARGEST_REPLY).decode("utf-8", "replace")
        except (OSError, HTTPException):
            said = refusal.reason
    failure = ModelUnreachable(
        f"the server of the model refused (status {refusal.code}): {_one_line(said)}"
    )
    if refusal.code < 500 and refusal.code not in _PASSING:
        return failure, float("inf")
    wanted = refusal.headers.get("Retry-After", "")
    return failure, float(wanted) if wanted.isascii() and wanted.isdigit() else pause


def _broken(fault: OSError | HTTPException, seconds: float) -> ModelError:
    """Return the error of a call that ``fault`` has ended before there was a reply."""
    reason = fault.reason if isinstance(fault, URLError) else fault
    if isinstance(reason, TimeoutError):
        return ModelTimeout(f"the model did not answer within {seconds:g} seconds")
    return ModelUnreachable(
        f"the server of the model cannot be asked: {_one_line(str(reason) or type(reason).__name__)}"
    )


def _within(response: HTTPResponse, end: float) -> Iterator[bytes]:
    """Yield the body of ``response`` as long as it is no more than a reply has, and comes before
    ``end``, of the monotonic clock.
    """
    size = 0
    while part := response.read1(1 << 16):
        size += len(part)
        if size > LARGEST_REPLY:
            raise BadReply(f"the model's reply is larger than {LARGEST_REPLY:,} bytes")
        if time.monotonic() > end:
            raise ModelTimeout("the model's reply did not come in time")
        yield part


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadReply("the server of the model answered with something else than JSON") from None
    if not isinstance(found, dict):
        raise BadReply(
            "the server of the model answered with something else than a chat completion"
        )
    return found


def _recorded(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield key and completion of each call in ``file``; the last of a key holds."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return  # all of it is lacking yet
    except (OSError, ValueError) as fault:
        raise ModelError(f"{file}: the recorded calls cannot be read ({fault})") from fault
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            call = json.loads(line)
            yield request_key(call["request"]), dict(call["response"])
        except (ValueError, KeyError, TypeError) as fault:
            raise ModelError(
                f'{file}:{number}: no recorded call; a line is {{"key": …, "request": …, "response": …}}'
            ) from fault


def _append(file: Path, call: Mapping[str, Any], lock: Lock) -> None:
    """Append ``call`` as a line: whole, also where several processes write."""
    line = (canonical(call) + "\n").encode("utf-8", "backslashreplace")
    with lock:
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
