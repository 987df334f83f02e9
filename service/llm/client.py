"""Ask a language model for structured replies, within limits of time and budget: from a server with
OpenAI's chat completions API or from a file of recorded calls.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from service.llm.model_request import (
    BadReply,
    BudgetSpent,
    ModelEndpoint,
    ModelError,
    ModelRequest,
    ModelTimeout,
    ModelUnreachable,
    NotRecorded,
    ReplyFields,
    canonical,
    request_key,
)

LARGEST_REPLY = 1 << 20  # bytes; the longest replies have about 40 kB
_RETRIES = 4  # after growing pauses, or the pauses that the server asks for
_LONGEST_PAUSE = 120.0  # longest pause, in seconds, that a server may ask for
# Statuses that may be temporary, besides those of server errors.
_PASSING = (408, 409, 429)

R = TypeVar("R", bound=ReplyFields)


@dataclass(frozen=True)
class Usage:
    """The number of calls and the tokens of their requests and replies."""

    calls: int = 0
    request_tokens: int = 0
    reply_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.request_tokens + other.request_tokens,
            self.reply_tokens + other.reply_tokens,
        )

    @property
    def tokens(self) -> int:
        """All tokens, of requests and replies."""
        return self.request_tokens + self.reply_tokens


class ModelClient:
    """Asks the model of ``endpoint`` and counts the usage. Thread-safe."""

    def __init__(self, endpoint: ModelEndpoint, transport: Transport | None = None):
        self.endpoint = endpoint
        self._transport = transport or open_transport(endpoint)
        self._lock = Lock()
        self.used = Usage()  # by all calls so far
        self._reserved = Usage()

    @property
    def cost(self) -> float:
        """The cost of all calls, in the currency of the prices."""
        return self.endpoint.prices.cost(self.used.request_tokens, self.used.reply_tokens)

    @property
    def name(self) -> str:
        """The name of the model, or "recorded" for recorded replies without a name."""
        return self.endpoint.name or "recorded"

    @property
    def lacked(self) -> int:
        """The number of calls missing in the file of recorded calls; 0 without such a file."""
        return len(self._transport.lacked) if isinstance(self._transport, ReplayTransport) else 0

    def ask(self, request: ModelRequest[R], seconds: float | None = None) -> R:
        """Return the reply to ``request``. With ``seconds``, there is one attempt, limited to this
        time; otherwise failures are retried.

        Raises `BudgetSpent` if the call may cost more than is left, `ModelUnreachable`,
        `ModelTimeout`, `BadReply`, and `NotRecorded` if only recorded calls are answered.
        """
        estimated = Usage(1, request.estimated_tokens, request.most_tokens)
        self._reserve(estimated)
        took = Usage(1)
        try:
            patience = self.endpoint.timeout if seconds is None else seconds
            retries = _RETRIES if seconds is None else 0
            completion = self._transport.send(request.body, patience, retries)
            took = _usage(completion, estimated)
            return request.read_reply(_content(completion))
        finally:
            back = Usage(-1, -estimated.request_tokens, -estimated.reply_tokens)
            with self._lock:
                self._reserved += back
                self.used += took

    def _reserve(self, estimated: Usage) -> None:
        """Reserve the ``estimated`` usage of a call, so that concurrent calls together cannot
        exceed the budget. Raises `BudgetSpent`.
        """
        most_tokens, most_money = self.endpoint.most_tokens, self.endpoint.most_money
        with self._lock:
            after = self.used + self._reserved + estimated
            cost = self.endpoint.prices.cost(after.request_tokens, after.reply_tokens)
            if most_tokens and after.tokens > most_tokens:
                raise BudgetSpent(
                    f"{most_tokens:,} tokens are the most (model_tokens), "
                    f"and {self.used.tokens:,} are used"
                )
            if most_money and cost > most_money:
                raise BudgetSpent(
                    f"{most_money:g} is the most that the model may cost (model_money)"
                )
            self._reserved += estimated


def _content(completion: Mapping[str, Any]) -> str:
    """Return the text of the first choice of ``completion``. Raises `BadReply`."""
    try:
        choice = completion["choices"][0]
        content = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise BadReply(
            "the server of the model answered with something else than a chat completion"
        ) from None
    if choice.get("finish_reason") == "length":
        raise BadReply("the model's reply was cut off at its greatest length")
    if not isinstance(content, str):
        raise BadReply("the model refused to reply")
    return content


def _usage(completion: Mapping[str, Any], estimated: Usage) -> Usage:
    """Return the usage that ``completion`` reports, or else the ``estimated`` usage."""
    said = completion.get("usage")

    def told(name: str, otherwise: int) -> int:
        count = said.get(name) if isinstance(said, dict) else None
        return count if type(count) is int and count >= 0 else otherwise

    request = told("prompt_tokens", estimated.request_tokens)
    return Usage(1, request, told("completion_tokens", estimated.reply_tokens))


class Transport(Protocol):
    """The interface for sending the body of a call and getting a chat completion. Thread-safe."""

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion for ``body``, with ``seconds`` for each attempt. Raises
        `ModelError`.
        """


class HttpTransport:
    """Sends calls to the server of a model."""

    def __init__(self, endpoint: ModelEndpoint):
        self._endpoint = endpoint

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion for ``body``, retrying if the server is busy or fails."""
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
                    return _completion(response, end)
            except HTTPError as refusal:
                failure, pause = _refusal(refusal, pause)
            except (OSError, HTTPException) as fault:
                reason = fault.reason if isinstance(fault, URLError) else fault
                if isinstance(reason, TimeoutError):
                    failure = ModelTimeout(f"the model did not answer within {seconds:g} seconds")
                else:
                    said = _one_line(str(reason) or type(reason).__name__)
                    failure = ModelUnreachable(f"the server of the model cannot be asked: {said}")
            if attempt == retries or pause > _LONGEST_PAUSE:
                raise failure
            time.sleep(pause)
        raise AssertionError("a call is made at least once")


class RecordingTransport:
    """Sends calls by ``inner``, and appends each with its completion to ``file`` as a line of
    JSON.
    """

    def __init__(self, inner: Transport, file: Path):
        self._inner = inner
        self._file = file

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the completion of ``inner`` for ``body``, and record it."""
        response = self._inner.send(body, seconds, retries)
        _append(self._file, {"key": request_key(body), "request": body, "response": response})
        return response


class ReplayTransport:
    """Answers only from a file of recorded calls. The keys of missing calls are in ``lacked``, the
    calls are appended to the file ``….missing``.
    """

    def __init__(self, file: Path):
        self._missing = file.with_name(f"{file.name}.missing")
        self._lock = Lock()
        self._recorded = _recorded(file)
        self.lacked: set[str] = set()

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        """Return the recorded completion for ``body``. Raises `NotRecorded`."""
        key = request_key(body)
        if key in self._recorded:
            return self._recorded[key]
        with self._lock:
            if key not in self.lacked:
                self.lacked.add(key)
                _append(self._missing, {"key": key, "request": body})
        raise NotRecorded(f"this call is not recorded; it was appended to {self._missing}")


def open_transport(endpoint: ModelEndpoint) -> Transport:
    """Return the transport for ``endpoint``. Raises `ModelError` if its recorded calls cannot be
    read.
    """
    if endpoint.replay:
        return ReplayTransport(endpoint.replay)
    transport = HttpTransport(endpoint)
    return RecordingTransport(transport, endpoint.record) if endpoint.record else transport


def _refusal(refusal: HTTPError, pause: float) -> tuple[ModelUnreachable, float]:
    """Return ``refusal`` as an error, and the seconds to wait before a retry: infinite if a retry
    would not help, ``pause`` if the server names no time.
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


def _completion(response: HTTPResponse, end: float) -> dict[str, Any]:
    """Return the JSON object in ``response``. Raises `BadReply` if it is too large or not JSON,
    `ModelTimeout` if it arrives after ``end``, a time of the monotonic clock.
    """
    raw = bytearray()
    while part := response.read1(1 << 16):
        raw += part
        if len(raw) > LARGEST_REPLY:
            raise BadReply(f"the model's reply is larger than {LARGEST_REPLY:,} bytes")
        if time.monotonic() > end:
            raise ModelTimeout("the model's reply did not come in time")
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadReply("the server of the model answered with something else than JSON") from None
    if not isinstance(found, dict):
        raise BadReply(
            "the server of the model answered with something else than a chat completion"
        )
    return found


def _recorded(file: Path) -> dict[str, dict[str, Any]]:
    """Return the completions recorded in ``file`` by the keys of their calls; the last for a key
    counts.
    """
    found: dict[str, dict[str, Any]] = {}
    try:
        lines = file.read_text(encoding="utf-8").split("\n")  # JSON may hold other breaks
    except FileNotFoundError:
        return found  # nothing is recorded yet
    except (OSError, ValueError) as fault:
        raise ModelError(f"{file}: the recorded calls cannot be read ({fault})") from fault
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            call = json.loads(line)
            found[request_key(call["request"])] = dict(call["response"])
        except (ValueError, KeyError, TypeError) as fault:
            raise ModelError(
                f"{file}:{number}: no recorded call; "
                'a line is {"key": …, "request": …, "response": …}'
            ) from fault
    return found


def _append(file: Path, call: Mapping[str, Any]) -> None:
    """Append ``call`` as a line, in one write, so that lines of several processes do not mix."""
    line = (canonical(call) + "\n").encode("utf-8", "backslashreplace")
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
