"""Requests to a language model (two messages and the shape of the reply), the model's endpoint and
prices, and errors.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from corpus.errors import RegulaError
from corpus.model import Entry, Kind

# German and Italian text in the tokenizers of current models; English has about 4.
_CHARACTERS_PER_TOKEN = 3.0
_TERMS = 300  # most names of terms; a glossary has about 200, more would cost tokens for little


class ModelError(RegulaError):
    """Raised if a call gives no usable reply; the message is one line that says why. The question
    is then answered without the model.
    """


class ModelUnreachable(ModelError):
    """Raised if the server of the model does not answer, or refuses the call."""


class ModelTimeout(ModelError):
    """Raised if the reply does not come in time."""


class BadReply(ModelError):
    """Raised for a reply with another shape than requested, too large, or cut off."""


class BudgetSpent(ModelError):
    """Raised if the call could exceed the budget of tokens or money."""


class NotRecorded(ModelError):
    """Raised if the file of recorded calls lacks the call."""


@dataclass(frozen=True)
class Prices:
    """Prices per million tokens of requests and of replies, in the owner's currency."""

    request: float = 0.0
    reply: float = 0.0

    def cost(self, request_tokens: float, reply_tokens: float) -> float:
        """Return the cost of these numbers of tokens."""
        return (request_tokens * self.request + reply_tokens * self.reply) / 1_000_000


@dataclass(frozen=True)
class ModelEndpoint:
    """A model and the limits of its use.

    Attributes:
        url: a server with OpenAI's chat completions API.
        name: the model's name there.
        key: the API key.
        timeout: seconds for one call.
        parallel: how many calls run at once.
        most_tokens, most_money: budgets that no call may exceed; 0 is no limit.
        record: a file that calls are appended to.
        replay: a file that answers instead of the model.
    """

    url: str = ""
    name: str = ""
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    parallel: int = 4
    most_tokens: int = 0
    most_money: float = 0.0
    prices: Prices = Prices()
    record: Path | None = None
    replay: Path | None = None

    @property
    def foreign_host(self) -> str:
        """The host that requests are sent to; "" if nothing leaves this machine, because replies
        are recorded or the server runs locally.
        """
        host = "" if self.replay else urlsplit(self.url).hostname or ""
        try:
            return "" if ipaddress.ip_address(host).is_loopback else host
        except ValueError:
            return "" if host == "localhost" else host


class ReplyFields(BaseModel):
    """Base class of the shapes of replies. No field may be missing or unknown, as in the strict
    mode of JSON-schema output.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


R = TypeVar("R", bound=ReplyFields)


@dataclass(frozen=True)
class ModelRequest(Generic[R]):
    """A request: ``system`` has the instructions, ``user`` the data. The reply has the shape
    ``reply`` and at most ``most_tokens``. Equal requests have equal keys on all machines.
    """

    system: str
    user: str
    reply: type[R]
    most_tokens: int = 2000

    @cached_property
    def body(self) -> dict[str, Any]:
        """The body of the call, without the name of the model."""
        schema = {
            "name": self.reply.__name__,
            "strict": True,
            "schema": _without_titles(self.reply.model_json_schema()),
        }
        return {
            "messages": [
                {"role": "system", "content": self.system},
                {"role": "user", "content": self.user},
            ],
            "response_format": {"type": "json_schema", "json_schema": schema},
            "max_completion_tokens": self.most_tokens,
            "temperature": 0,
        }

    @cached_property
    def key(self) -> str:
        """The SHA-256 of the canonical form of `body`."""
        return request_key(self.body)

    @property
    def estimated_tokens(self) -> int:
        """The approximate number of tokens of the request, without the reply."""
        return round(len(canonical(self.body)) / _CHARACTERS_PER_TOKEN)

    def read_reply(self, content: str) -> R:
        """Parse the JSON text ``content``. Raises `BadReply` if it does not have the shape
        ``reply``.
        """
        try:
            return self.reply.model_validate_json(content)
        except ValidationError as fault:
            first = fault.errors()[0]
            place = ".".join(map(str, first["loc"])) or "reply"
            raise BadReply(
                f"the model's reply has another shape than asked for ({place}: {first['msg']})"
            ) from None


def canonical(body: Mapping[str, Any]) -> str:
    """Return ``body`` as JSON with sorted keys, no spaces and no escaped characters."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def request_key(body: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal digits, of the canonical form of ``body`` in UTF-8."""
    return hashlib.sha256(canonical(body).encode("utf-8", "surrogatepass")).hexdigest()


def _without_titles(schema: Any) -> Any:
    """Return a JSON ``schema`` without the titles that pydantic derives from names, which cost
    tokens.
    """
    if isinstance(schema, dict):
        return {
            name: _without_titles(value)
            for name, value in schema.items()
            if name != "title" or not isinstance(value, str)
        }
    return [_without_titles(each) for each in schema] if isinstance(schema, list) else schema


def term_names(entries: Iterable[Entry]) -> list[str]:
    """Return the names of terms among the headings of ``entries``, each once, at most `_TERMS`;
    without a glossary, all headings with letters except cards.
    """
    entries = list(entries)
    terms = [entry.title for entry in entries if entry.kind is Kind.TERM]
    headings = (entry.title for entry in entries if entry.card is None)
    named = (title for title in headings if any(map(str.isalpha, title)))
    return list(dict.fromkeys(terms or named))[:_TERMS]


def entry_path(by_id: Mapping[str, Entry], id: str | None) -> list[Entry]:
    """Return the entry ``id`` and its ancestors, the topmost first."""
    found: list[Entry] = []
    while id is not None and id in by_id:
        found.append(by_id[id])
        id = by_id[id].parent
    return found[::-1]
