"""A model in this process that replies as a test wants, and remembers what it was shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.assist.assistant import Assistant
from service.llm.client import ModelClient
from service.llm.model_request import ModelEndpoint


@dataclass
class ScriptedModel:
    """A transport: ``reply`` makes the content of the reply of what the model is shown; the
    ``shown`` texts are listed.
    """

    reply: Callable[[str], str | dict[str, Any]]
    shown: list[str] = field(default_factory=list)

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        text = body["messages"][1]["content"]
        self.shown.append(text)
        content = self.reply(text)
        return completion_of(content) if isinstance(content, str) else content

    def assistant(self, seconds: float = 8.0, most: int = 2) -> Assistant:
        """An assistant with this model."""
        return Assistant(ModelClient(ModelEndpoint(name="toy"), self), seconds, most)


def completion_of(content: str) -> dict[str, Any]:
    """A chat completion with ``content``."""
    return {
        "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]
    }


def lookup_reply(settled_by: list[int], queries: list[str] | None = None) -> str:
    """What a model replies that names passages by number, and wants more searched for."""
    return json.dumps(
        {"analysis": "GEPLAPPER DES MODELLS", "settled_by": settled_by, "queries": queries or []}
    )


def number_of(shown: str, words: str) -> int:
    """The number under which the model is shown the passage with ``words``; 0 where it is not shown
    it.
    """
    rows = (json.loads(line) for line in shown.splitlines() if line.startswith('{"n"'))
    return next((row["n"] for row in rows if words in row["text"]), 0)
