"""A fake model in this process that replies as a test wants and records its requests."""

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
    """A transport: ``reply`` turns the text shown to the model into the reply; ``shown`` lists
    these texts.
    """

    reply: Callable[[str], str | dict[str, Any]]
    shown: list[str] = field(default_factory=list)

    def send(self, body: Mapping[str, Any], seconds: float, retries: int) -> dict[str, Any]:
        text = body["messages"][1]["content"]
        self.shown.append(text)
        content = self.reply(text)
        return completion_of(content) if isinstance(content, str) else content

    def assistant(self, seconds: float = 8.0, most: int = 2) -> Assistant:
        """Return an assistant with this model."""
        return Assistant(ModelClient(ModelEndpoint(name="toy"), self), seconds, most)


def completion_of(content: str) -> dict[str, Any]:
    """Return a chat completion with ``content``."""
    return {
        "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]
    }


def lookup_reply(settled_by: list[int], queries: list[str] | None = None) -> str:
    """Return a model's reply that names passages by number, and asks for further searches."""
    return json.dumps(
        {"analysis": "GEPLAPPER DES MODELLS", "settled_by": settled_by, "queries": queries or []}
    )


def number_of(shown: str, words: str) -> int:
    """Return the number of the passage with ``words`` in the text shown to the model; 0 where it is
    not shown.
    """
    rows = (json.loads(line) for line in shown.splitlines() if line.startswith('{"n"'))
    return next((row["n"] for row in rows if words in row["text"]), 0)
