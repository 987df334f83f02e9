"""A fake of Discord's HTTP API and gateway with one application: it dispatches interactions, and
records the bot's answers.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import WSMsgType, web

from tests.bots.fake_server import FakeServer

TOKEN = "MTIz.right.token-of-the-bot"
APPLICATION, GUILD, CHANNEL = "900", "800", "700"
_VERSION = "/api/v10"
_BAD_TOKEN = 4004
_CHANNEL = {"id": CHANNEL, "type": 0, "name": "regeln", "position": 0}


class FakeDiscord(FakeServer):
    """Accepts ``TOKEN``; if ``revoked``, only the gateway refuses it."""

    def __init__(self, revoked: bool = False) -> None:
        super().__init__()
        self.revoked, self.identified = revoked, 0
        self._sockets: list[web.WebSocketResponse] = []
        self._ready = asyncio.Event()
        self._number = 0

    async def command(self, *, language: str = "de", user: str = "7", **options: str) -> str:
        """Have a user call /rule with ``options``; return the token of the interaction."""
        values = [{"name": name, "type": 3, "value": value} for name, value in options.items()]
        return await self._interact(
            2, {"id": "1", "name": "rule", "type": 1, "options": values}, language, user
        )

    async def complete(self, typed: str) -> str:
        """Have a user type the question of /rule; return the token of the interaction."""
        options = [{"name": "question", "type": 3, "value": typed, "focused": True}]
        return await self._interact(
            4, {"id": "1", "name": "rule", "type": 1, "options": options}, "de", "7"
        )

    async def press(self, custom_id: str, user: str = "7", language: str = "de") -> str:
        """Have a user press a button; return the token of the interaction."""
        return await self._interact(
            3,
            {"custom_id": custom_id, "component_type": 2},
            language,
            user,
            message=self._message("old", custom_id),
        )

    async def _interact(
        self, kind: int, data: dict[str, Any], language: str, user: str, **values: Any
    ) -> str:
        await asyncio.wait_for(self._ready.wait(), 60)
        self._number += 1
        token = f"interaction-{self._number}"
        member = {"user": _user(user), "roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0,
            "permissions": "0"}  # fmt: skip
        interaction = {"id": str(5000 + self._number), "application_id": APPLICATION, "type": kind, "token": token, "version": 1,
            "guild_id": GUILD, "channel_id": CHANNEL, "channel": _CHANNEL, "member": member,
            "locale": language, "guild_locale": "de", "data": data, "entitlements": [], "authorizing_integration_owners": {},
            "attachment_size_limit": 1, "app_permissions": "0", **values}  # fmt: skip
        await self._send("INTERACTION_CREATE", interaction)
        return token

    async def answered(self, token: str) -> list[Any]:
        """Return the bot's answers to the interaction with ``token``: the first response, then, if
        that was deferred, the edited message.
        """
        for _ in range(600):
            found = [call.body for call in self.calls if f"/{token}/" in call.path]
            if found and (len(found) > 1 or found[0]["type"] not in (5, 6)):
                return found
            await asyncio.sleep(0.025)
        raise AssertionError(f"no answer: {[(call.method, call.path) for call in self.calls]}")

    async def respond(self, request: web.Request, body: Any) -> web.StreamResponse:
        path = request.path.removeprefix(_VERSION)
        if path == "/gateway":
            return await self._serve_gateway(request)
        if (
            "/interactions/" not in path
            and "/webhooks/" not in path
            and request.headers.get("Authorization") != f"Bot {TOKEN}"
        ):
            return _json({"message": "401: Unauthorized", "code": 0}, status=401)
        match request.method, path.split("/")[1:]:
            case "GET", ["users", "@me"]:
                return _json(_user(APPLICATION, bot=True))
            case "GET", ["oauth2", "applications", "@me"]:
                owner = _user("1")
                return _json({"id": APPLICATION, "name": "Regula", "description": "", "icon": None, "bot_public": True,
                    "bot_require_code_grant": False, "verify_key": "0", "flags": 0, "owner": owner,
                    "summary": "", "team": None})  # fmt: skip
            case "PUT", ["applications", _, "commands"]:
                made = [{"id": str(i), "application_id": APPLICATION, "version": "1", "default_member_permissions": None, **each}
                    for i, each in enumerate(body)]  # fmt: skip
                return _json(made)
            case "POST", ["interactions", id, _, "callback"]:
                return _json({"interaction": {"id": id, "type": 2}})
            case "PATCH", ["webhooks", *_]:
                return _json(self._message(body.get("content", "")))
            case _:
                return _json({"message": "unknown", "code": 0}, status=404)

    async def _serve_gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(timeout=0.2)
        await socket.prepare(request)
        self._sockets.append(socket)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 40_000}})
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            said = json.loads(message.data)
            if said["op"] == 2:
                self.identified += 1
                self.intents = said["d"]["intents"]
                if self.revoked:
                    await socket.close(code=_BAD_TOKEN)
                    break
                await self._send("READY", {"v": 10, "user": _user(APPLICATION, bot=True), "guilds": [], "session_id": "1",
                    "resume_gateway_url": self.address, "application": {"id": APPLICATION, "flags": 0}})  # fmt: skip
                self._ready.set()
            elif said["op"] == 1:
                await socket.send_json({"op": 11})
        return socket

    async def _send(self, event: str, data: dict[str, Any]) -> None:
        self._number += 1
        await self._sockets[-1].send_json({"op": 0, "t": event, "s": self._number, "d": data})

    def _message(self, content: str, button: str = "") -> dict[str, Any]:
        row = {
            "type": 1,
            "components": [{"type": 2, "style": 2, "label": "?", "custom_id": button}],
        }
        return {"id": "6000", "channel_id": CHANNEL, "content": content, "author": _user(APPLICATION, bot=True), "type": 0, "embeds": [],
            "attachments": [], "mentions": [], "mention_roles": [], "mention_everyone": False, "pinned": False, "tts": False,
            "timestamp": "2026-01-01T00:00:00+00:00", "edited_timestamp": None, "flags": 0,
            "components": [row] if button else []}  # fmt: skip


def _user(id: str, bot: bool = False) -> dict[str, Any]:
    return {
        "id": id,
        "username": "ole",
        "discriminator": "0",
        "avatar": None,
        "global_name": "Ole",
        "bot": bot,
        "flags": 0,
    }


def _json(body: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=json.dumps(body).encode(), status=status, content_type="application/json"
    )  # as Discord says it, without charset
