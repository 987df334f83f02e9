"""Asks a model for replies of a certain shape, within time and budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from service.llm.endpoint import ModelEndpoint
from service.llm.errors import BadReply, BudgetSpent
from service.llm.model_request import ModelRequest, ReplyFields
from service.llm.transports import ReplayTransport, Transport, open_transport

_RETRIES = 4  # with growing pauses, or those that the server asks for

R = TypeVar("R", bound=ReplyFields)


@dataclass(frozen=True)
class Usage:
    """How many calls were made, and what they took: tokens of requests and of replies."""

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
        """All of them."""
        return self.request_tokens + self.reply_tokens


class ModelClient:
    """Asks the model of ``endpoint`` and counts what that takes. Safe for threads."""

    def __init__(self, endpoint: ModelEndpoint, transport: Transport | None = None):
        self.endpoint = endpoint
        self._transport = transport or open_transport(endpoint)
        self._lock = Lock()
        self._used = Usage()
        self._reserved = Usage()

    @property
    def used(self) -> Usage:
        """What all calls until now took."""
        return self._used

    @property
    def cost(self) -> float:
        """What they cost, in the currency of the prices."""
        return self.endpoint.prices.cost(self._used.request_tokens, self._used.reply_tokens)

    @property
    def name(self) -> str:
        """The name of the model; where replies are replayed, "recorded" if it has none."""
        return self.endpoint.name or "recorded"

    @property
    def lacked(self) -> int:
        """How many calls a file of recorded ones did not have; 0 for a model."""
        return self._transport.lacked if isinstance(self._transport, ReplayTransport) else 0

    def ask(self, request: ModelRequest[R], seconds: float | None = None) -> R:
        """Return the reply to ``request``. With ``seconds`` somebody waits for it: it is asked for
        once, and has to come within these.

        Raises `BudgetSpent` where it may cost more than is left, `ModelUnreachable`,
        `ModelTimeout`, `BadReply`, and `NotRecorded` where only recorded calls are answered.
        """
        estimated = Usage(1, request.estimated_tokens, request.most_tokens)
        self._reserve(estimated)
        took = Usage(1)
        try:
            completion = self._transport.send(
                request.body,
                self.endpoint.timeout if seconds is None else seconds,
                _RETRIES if seconds is None else 0,
            )
            took = _usage(completion, estimated)
            return request.read_reply(_content(completion))
        finally:
            self._settle(estimated, took)

    def _reserve(self, estimated: Usage) -> None:
        """Set what a call may take aside, so that calls at the same time do not pass the budget
        together.
        """
        with self._lock:
            after = self._used + self._reserved + estimated
            endpoint = self.endpoint
            if endpoint.most_tokens and after.tokens > endpoint.most_tokens:
                raise BudgetSpent(
                    f"{endpoint.most_tokens:,} tokens are the most (model_tokens), and {self._used.tokens:,} are used"
                )
            if (
                endpoint.most_money
                and endpoint.prices.cost(after.request_tokens, after.reply_tokens)
                > endpoint.most_money
            ):
                raise BudgetSpent(
                    f"{endpoint.most_money:g} is the most that the model may cost (model_money)"
                )
            self._reserved = self._reserved + estimated

    def _settle(self, estimated: Usage, took: Usage) -> None:
        with self._lock:
            self._reserved = self._reserved + Usage(
                -estimated.calls, -estimated.request_tokens, -estimated.reply_tokens
            )
            self._used = self._used + took


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
    """Return what ``completion`` says it took; what is ``estimated`` where it says nothing."""
    usage = completion.get("usage")
    counts = [
        usage.get(name) if isinstance(usage, dict) else None
        for name in ("prompt_tokens", "completion_tokens")
    ]
    request, reply = (
        count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
        for count in counts
    )
    return Usage(
        1,
        estimated.request_tokens if request is None else request,
        estimated.reply_tokens if reply is None else reply,
    )
