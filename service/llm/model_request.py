"""What is asked of a model, two messages and the shape of the reply; which model it is, what it may
cost, and what can go wrong with it.
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

# German and Italian, in the tokenizers of current models; English has about 4.
_CHARACTERS_PER_TOKEN = 3.0
_TERMS = 300  # names; a glossary has some 200, and more would cost tokens for little


class ModelError(RegulaError):
    """A call that gave no reply that can be used; the message is one line that says why. It takes
    no more from an answer than what the model would have added.
    """


class ModelUnreachable(ModelError):
    """The server of the model does not answer, or refuses."""


class ModelTimeout(ModelError):
    """The reply did not come in time."""


class BadReply(ModelError):
    """A reply that is not what was asked for: of another shape, too large, cut off."""


class BudgetSpent(ModelError):
    """The call would cost more tokens or money than the owner allows."""


class NotRecorded(ModelError):
    """The file of recorded calls does not have this one."""


@dataclass(frozen=True)
class Prices:
    """What a million tokens of requests and of replies cost, in the owner's currency."""

    request: float = 0.0
    reply: float = 0.0

    def cost(self, request_tokens: float, reply_tokens: float) -> float:
        """Return what so many tokens cost."""
        return (request_tokens * self.request + reply_tokens * self.reply) / 1_000_000


@dataclass(frozen=True)
class ModelEndpoint:
    """A model: ``url`` of a server that speaks OpenAI's chat completions, its ``name`` there, and
    the ``key`` that lets in.

    One call takes at most ``timeout`` seconds, and ``parallel`` calls run at once. Nothing is asked
    any more once ``most_tokens`` or ``most_money`` would be passed; 0 is no limit. ``record`` is a
    file that calls are appended to, ``replay`` one that answers instead of the model.
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
        """The host that requests are sent to; "" where nothing leaves this machine: replies are
        recorded ones, or the server runs here.
        """
        host = "" if self.replay else urlsplit(self.url).hostname or ""
        try:
            return "" if ipaddress.ip_address(host).is_loopback else host
        except ValueError:
            return "" if host == "localhost" else host


class ReplyFields(BaseModel):
    """The base of the shapes of replies: no field more, none missing, as the strict mode of
    JSON-schema output wants it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


R = TypeVar("R", bound=ReplyFields)


@dataclass(frozen=True)
class ModelRequest(Generic[R]):
    """A request: ``system`` says what is to be done, ``user`` with what; the reply has the shape
    ``reply`` and at most ``most_tokens``.

    It depends on nothing but these, so that equal requests have equal keys wherever they are made.
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
        """About how many tokens the request has; the reply comes on top."""
        return round(len(canonical(self.body)) / _CHARACTERS_PER_TOKEN)

    def read_reply(self, content: str) -> R:
        """Return the reply in ``content``, a JSON text. Raises `BadReply` where it has another
        shape.
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
    """Return ``body`` as JSON with sorted keys, without spaces and with all signs as they are."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def request_key(body: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal digits, of the canonical form of ``body`` in UTF-8."""
    return hashlib.sha256(canonical(body).encode("utf-8", "surrogatepass")).hexdigest()


def _without_titles(schema: Any) -> Any:
    """Return a JSON ``schema`` without the titles that pydantic makes of names, which cost
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
    """Return names of the game's terms, as the headings of ``entries`` have them, each once, at
    most as many as help; where there is no glossary, all headings that are no number.
    """
    entries = list(entries)
    terms = [entry.title for entry in entries if entry.kind is Kind.TERM]
    headings = (entry.title for entry in entries if entry.card is None)
    named = (title for title in headings if any(map(str.isalpha, title)))
    return list(dict.fromkeys(terms or named))[:_TERMS]


def entry_path(by_id: Mapping[str, Entry], id: str | None) -> list[Entry]:
    """Return the entry ``id`` and those above it, the topmost first."""
    found: list[Entry] = []
    while id is not None and id in by_id:
        found.append(by_id[id])
        id = by_id[id].parent
    return found[::-1]
