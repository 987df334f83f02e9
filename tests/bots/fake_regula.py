"""A fake of Regula that misbehaves: it is down, slow or busy, or sends invalid answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from tests.bots.fake_server import FakeServer

_CITATION = {
    "label": "Pegelwacht, Z. 1",
    "entry": "pegelwacht-de-1.1/pegel",
    "source": {"spans": [[1, 2]]},
}
MESSAGE = {"message": "> Der Pegel steigt\\.", "index": "0123", "citations": [_CITATION]}


def busy(seconds: int | str) -> web.Response:
    return problem(429, "Too many requests", headers={"Retry-After": str(seconds)})


def problem(
    status: int, detail: str, field: str | None = None, headers: dict[str, str] | None = None
) -> web.Response:
    body = {"status": status, "detail": detail, **({"field": field} if field else {})}
    return web.Response(
        text=json.dumps(body),
        status=status,
        headers=headers,
        content_type="application/problem+json",
    )


class FakeRegula(FakeServer):
    """Sends ``replies`` in turn, then repeats the last: a response, JSON, bytes, or a number of
    seconds of silence.
    """

    def __init__(self, *replies: web.Response | dict[str, Any] | bytes | float) -> None:
        super().__init__()
        self._replies: Sequence[web.Response | dict[str, Any] | bytes | float] = replies

    async def respond(self, request: web.Request, body: Any) -> web.StreamResponse:
        reply = self._replies[min(len(self.calls), len(self._replies)) - 1]
        match reply:
            case web.Response():
                return web.Response(body=reply.body, status=reply.status, headers=reply.headers)
            case dict():
                return web.json_response(reply)
            case bytes():
                return web.Response(body=reply, content_type="application/json")
            case seconds:
                await asyncio.sleep(seconds)
                return web.json_response(MESSAGE)

    def contexts(self) -> list[list[str]]:
        """Return the context of each question."""
        return [call.body["context"] for call in self.calls]
