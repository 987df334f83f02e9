"""What is asked of a model: two messages, and the shape of the reply."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from service.llm.errors import BadReply

_CHARACTERS_PER_TOKEN = (
    3.0  # of German and Italian, in the tokenizers of current models; English has about 4
)


class ReplyFields(BaseModel):
    """The base of the shapes of replies: no field more, none missing, as the strict mode of
    JSON-schema output wants it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


R = TypeVar("R", bound=ReplyFields)


@dataclass(frozen=True)
class ModelRequest(Generic[R]):
    """A request: ``system`` says what is to be done, ``user`` with what; the reply has the shape
    ``reply``.

    ``most_tokens`` bounds the reply. It depends on nothing but these, so that equal requests have
    equal keys wherever they are made.
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
            place = ".".join(str(part) for part in first["loc"])
            raise BadReply(
                f"the model's reply has another shape than asked for ({place or 'reply'}: {first['msg']})"
            ) from None


def canonical(body: Mapping[str, Any]) -> str:
    """Return ``body`` as JSON with sorted keys, without spaces between them and with all signs as
    they are.
    """
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def request_key(body: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal digits, of the canonical form of ``body`` in UTF-8."""
    return hashlib.sha256(canonical(body).encode("utf-8", "surrogatepass")).hexdigest()


def _without_titles(schema: Any) -> Any:
    """Return a JSON ``schema`` without the titles that pydantic makes of names: they say nothing,
    and cost tokens.
    """
    if isinstance(schema, dict):
        return {
            name: _without_titles(value)
            for name, value in schema.items()
            if name != "title" or not isinstance(value, str)
        }
    return [_without_titles(each) for each in schema] if isinstance(schema, list) else schema
