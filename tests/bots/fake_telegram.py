"""A fake of Telegram's Bot API with one bot: it delivers each update once, and records the bot's
messages.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from tests.bots.fake_server import FakeServer

TOKEN = "123456:right-token-of-the-bot"
BOT = {"id": 123456, "is_bot": True, "first_name": "Regula", "username": "regula_bot"}
POLL_SECONDS = 0.5  # that a request for updates waits; Telegram's own are longer


class FakeTelegram(FakeServer):
    """Accepts ``TOKEN`` until it is `revoked`."""

    def __init__(self) -> None:
        super().__init__()
        self.revoked = False
        self._updates: list[dict[str, Any]] = []
        self._failures: list[tuple[str, web.Response]] = []
        self._new = asyncio.Event()

    def say(self, text: str, language: str = "de", user: int = 7, group: bool = False) -> None:
        """Have a user write to the bot."""
        chat = (
            {"id": -70, "type": "supergroup", "title": "Runde"}
            if group
            else {"id": user, "type": "private", "first_name": "Ole"}
        )
        entities = (
            [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}]
            if text.startswith("/")
            else []
        )
        number = len(self._updates) + 1
        self._add(
            message={
                "message_id": number,
                "date": 1,
                "chat": chat,
                "from": _user(user, language),
                "text": text,
                "entities": entities,
            }
        )

    def type_inline(self, text: str, language: str = "de") -> None:
        """Have a user type an inline query in another chat."""
        self._add(inline_query={"id": "1", "from": _user(7, language), "query": text, "offset": ""})

    def press(self, data: str, language: str = "de") -> None:
        """Have a user press a button."""
        self._add(
            callback_query={
                "id": "1",
                "from": _user(7, language),
                "chat_instance": "1",
                "data": data,
            }
        )

    def fail_once(self, method: str, status: int, **parameters: Any) -> None:
        """Make the next call of ``method`` fail."""
        body = {
            "ok": False,
            "error_code": status,
            "description": "Too Many Requests",
            "parameters": parameters,
        }
        self._failures.append((method.lower(), web.json_response(body, status=status)))

    async def sent(self, method: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait for the first ``count`` calls of ``method``, and return their bodies."""
        for _ in range(400):
            found = [
                call.body
                for call in self.calls
                if call.path.rpartition("/")[2].lower() == method.lower()
            ]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.025)
        raise AssertionError(
            f"{method} was called {len(found)} times: {[call.path for call in self.calls]}"
        )

    async def respond(self, request: web.Request, body: Any) -> web.StreamResponse:
        token, _, method = request.path.removeprefix("/bot").rpartition("/")
        if token != TOKEN or self.revoked:
            return web.json_response(
                {"ok": False, "error_code": 401, "description": "Unauthorized"}, status=401
            )
        if self._failures and self._failures[0][0] == method.lower():
            return self._failures.pop(0)[1]
        return web.json_response(
            {"ok": True, "result": await self._result(method.lower(), body or {})}
        )

    async def _result(self, method: str, body: dict[str, Any]) -> Any:
        match method:
            case "getme":
                return BOT
            case "getupdates":
                found = [
                    each
                    for each in self._updates
                    if each["update_id"] >= int(body.get("offset") or 0)
                ]
                if not found and int(body.get("timeout") or 0):
                    self._new.clear()
                    try:
                        await asyncio.wait_for(self._new.wait(), POLL_SECONDS)
                    except TimeoutError:
                        return []
                    return await self._result(method, body)
                return found
            case "sendmessage":
                chat = {"id": int(body["chat_id"]), "type": "private", "first_name": "Ole"}
                return {
                    "message_id": 1000 + len(self.calls),
                    "date": 1,
                    "chat": chat,
                    "from": BOT,
                    "text": body["text"],
                }
            case _:
                return True

    def _add(self, **update: Any) -> None:
        self._updates.append({"update_id": len(self._updates) + 1, **update})
        self._new.set()


def _user(id: int, language: str) -> dict[str, Any]:
    return {"id": id, "is_bot": False, "first_name": "Ole", "language_code": language}


def reply_parameters(body: dict[str, Any]) -> Any:
    """Return the parameters of a sent message that name the message it replies to."""
    return json.loads(body["reply_parameters"])["message_id"]
