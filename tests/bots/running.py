"""Run bots in a test's event loop, against fakes of their platforms."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

import discord
import discord_bot
import telegram_bot
import yarl
from bot_settings import BotSettings, load_settings
from discord.gateway import DiscordWebSocket

from tests.bots import fake_discord, fake_telegram

_PATIENT = {"BOT_PATIENCE": "20"}  # a busy machine answers late


@asynccontextmanager
async def _until_stopped(
    main: Callable[[BotSettings, asyncio.Event], Coroutine[Any, Any, None]], ended: asyncio.Event
) -> AsyncIterator[None]:
    """Run a bot inside the block, and stop it at the end as a signal does. ``ended`` is set once
    the bot has ended; its errors are raised after the block.
    """
    stop = asyncio.Event()
    running = asyncio.create_task(main(load_settings(), stop))
    running.add_done_callback(lambda _: ended.set())
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(running, 60)


@asynccontextmanager
async def discord_running(
    regula: str, revoked: bool = False, api: str = "", **settings: str
) -> AsyncIterator[fake_discord.FakeDiscord]:
    """Run the Discord bot with ``regula``; its errors are raised after the block."""
    async with fake_discord.FakeDiscord(revoked) as fake:
        api = f"{api or fake.address}/api/v10"
        values = {
            "BOT_DISCORD_TOKEN": fake_discord.TOKEN,
            "BOT_REGULA": regula,
            **_PATIENT,
            **settings,
        }
        with (
            patch.object(discord.http.Route, "BASE", api),
            patch.object(
                DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(f"{api}/gateway").with_scheme("ws")
            ),
            patch.dict(os.environ, values),
        ):
            async with _until_stopped(discord_bot.main, fake.bot_ended):
                yield fake


@asynccontextmanager
async def telegram_running(
    regula: str, **settings: str
) -> AsyncIterator[fake_telegram.FakeTelegram]:
    """Run the Telegram bot with ``regula``; its errors are raised after the block."""
    async with fake_telegram.FakeTelegram() as fake:
        values = {
            "BOT_TELEGRAM_TOKEN": fake_telegram.TOKEN,
            "BOT_TELEGRAM_API": fake.address,
            "BOT_REGULA": regula,
            **_PATIENT,
            **settings,
        }
        with patch.dict(os.environ, values):
            async with _until_stopped(telegram_bot.main, fake.bot_ended):
                yield fake
