"""An HTTP server in a test's event loop that records its requests."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web


@dataclass
class Call:
    """A request: its method, the path, the JSON or form of its body."""

    method: str
    path: str
    body: Any
    headers: dict[str, str]


@dataclass
class FakeServer:
    """Sends the result of `respond`; to use with ``async with``."""

    calls: list[Call] = field(default_factory=list)
    address: str = ""
    bot_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def respond(self, request: web.Request, body: Any) -> web.StreamResponse:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.address = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body: Any = None
        if request.content_type == "application/json" and request.can_read_body:
            body = await request.json()
        elif request.can_read_body:
            body = dict(await request.post())
        self.calls.append(Call(request.method, request.path, body, dict(request.headers)))
        return await self.respond(request, body)
