"""Ways from a request to the completion that answers it: a server, or a file of recorded calls."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from service.llm.endpoint import ModelEndpoint
from service.llm.errors import BadReply, ModelError, ModelTimeout, ModelUnreachable, NotRecorded
from service.llm.model_request import canonical, request_key

if TYPE_CHECKING:
    from openai import OpenAI

LARGEST_REPLY = 1 << 20  # bytes; the longest that is asked for has some 40 kB


class Transport(Protocol):
    """Something that answers the body of a call with a chat completion."""

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion for ``body``, within ``seconds`` for each try. Raises `ModelError`."""


class HttpTransport:
    """Asks the server of a model. Safe for threads."""

    def __init__(self, endpoint: ModelEndpoint):
        self._endpoint = endpoint
        self._client: OpenAI | None = None
        self._lock = Lock()

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion for ``body``. A server that is busy or fails is asked again, after the pause that it asks for."""
        import openai

        end = time.monotonic() + seconds
        client = self._opened().with_options(timeout=seconds, max_retries=retries)
        try:
            with client.chat.completions.with_streaming_response.create(model=self._endpoint.name, **body) as response:
                raw = b"".join(_within(response.iter_bytes(), end))
        except openai.APITimeoutError as fault:
            raise ModelTimeout(f"the model did not answer within {seconds:g} seconds") from fault
        except openai.APIStatusError as fault:
            raise ModelUnreachable(f"the server of the model refused (status {fault.status_code}): {_one_line(fault.message)}") from fault
        except (openai.OpenAIError, OSError) as fault:
            raise ModelUnreachable(f"the server of the model cannot be asked: {_one_line(str(fault))}") from fault
        return _object(raw)

    def _opened(self) -> OpenAI:
        """Return the client of the library; it takes a second to load, which nobody waits for who has no model."""
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(base_url=self._endpoint.url, api_key=self._endpoint.key or "none")
            return self._client


class RecordingTransport:
    """Appends every call and its completion to a file, a JSON object a line. Safe for threads."""

    def __init__(self, inner: Transport, file: Path):
        self._inner = inner
        self._file = file
        self._lock = Lock()

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return what the other transport returns for ``body``."""
        response = self._inner.send(body, seconds, retries)
        _append(self._file, {"key": request_key(body), "request": body, "response": response}, self._lock)
        return response


class ReplayTransport:
    """Answers from a file of recorded calls alone; what it lacks is appended to the file ``….missing``. Safe for threads."""

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
    """Return the way to the model of ``endpoint``. Raises `ModelError` where its recorded calls cannot be read."""
    if endpoint.replay:
        return ReplayTransport(endpoint.replay)
    transport = HttpTransport(endpoint)
    return RecordingTransport(transport, endpoint.record) if endpoint.record else transport


def _within(parts: Iterator[bytes], end: float) -> Iterator[bytes]:
    """Yield ``parts`` as long as they are no more than a reply has, and come before ``end``, of the monotonic clock."""
    size = 0
    for part in parts:
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
        raise BadReply("the server of the model answered with something else than a chat completion")
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
            raise ModelError(f'{file}:{number}: no recorded call; a line is {{"key": …, "request": …, "response": …}}') from fault


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
