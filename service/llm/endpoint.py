"""Which model is asked, and what it may cost."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, in the owner's currency: those of requests and those of
    replies.
    """

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
