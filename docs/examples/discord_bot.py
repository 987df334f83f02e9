"""A Discord bot that answers !regel QUESTION with the ruling. Needs discord.py, DISCORD_TOKEN, and REGULA (address of the service)."""

import asyncio
import json
import os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import discord

REGULA = os.environ.get("REGULA", "http://127.0.0.1:8080")
COMMAND = "!regel "


def answer(question: str) -> str:
    """The message to send, as Regula wrote it; what is wrong with the question where it cannot be asked."""
    try:
        with urlopen(f"{REGULA}/v1/ask?{urlencode({'q': question, 'format': 'discord'})}", timeout=10) as response:
            return json.load(response)["message"]
    except HTTPError as error:
        return json.load(error)["detail"]


intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents, allowed_mentions=discord.AllowedMentions.none())


@client.event
async def on_message(message: discord.Message) -> None:
    """Reply to a question."""
    if message.content.startswith(COMMAND) and not message.author.bot:
        question = message.content.removeprefix(COMMAND)
        await message.reply(await asyncio.to_thread(answer, question))


if __name__ == "__main__":
    client.run(os.environ["DISCORD_TOKEN"])
