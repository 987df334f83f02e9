"""A Discord bot that answers /rule with the ruling, a quotation with its citation. Run it with
`python discord_bot.py`.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

import discord
from bot_process import STOP_SECONDS, PlatformDown, run_bot
from bot_sentences import say
from bot_settings import BotSettings, WrongSetup, needed_token
from discord import app_commands
from discord.app_commands import locale_str
from regula_calls import RegulaClient
from rule_desk import Asked, Reply, RuleDesk

log = logging.getLogger(__name__)

LONGEST_QUESTION = 1000  # characters
# Characters of the question that the answer repeats, since Discord shows it to nobody else
LONGEST_ECHO = 300
MESSAGE_LIMIT = 2000
CHOICE_LIMIT, CHOICES = 100, 25  # characters of a choice, choices
_BAD_TOKEN = 4004  # close code of the gateway

_WORDS = {  # of the command, in the languages that it is translated into
    "rule": {"de": "regel", "it": "regola"},
    "question": {"de": "frage", "it": "domanda"},
    "game": {"de": "spiel", "it": "gioco"},
    "Ask about the rules; the answer is a quotation from the rulebook": {
        "de": "Frag nach den Regeln; die Antwort ist ein Zitat aus dem Regelwerk",
        "it": "Chiedi delle regole; la risposta è una citazione del regolamento",
    },
    "What you want to know, in your own words": {
        "de": "Was du wissen willst, in eigenen Worten",
        "it": "Che cosa vuoi sapere, con parole tue",
    },
    "The game, if not the one of this channel": {
        "de": "Das Spiel, wenn es nicht das dieses Kanals ist",
        "it": "Il gioco, se non è quello di questo canale",
    },
}


class RuleTranslator(app_commands.Translator):
    """Translates the command for Discord's users."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: object
    ) -> str | None:
        """Return ``string`` in ``locale``; None to keep the English one."""
        return _WORDS.get(string.message, {}).get(locale.value.partition("-")[0])


class RuleTree(app_commands.CommandTree["RuleBot"]):
    """The commands, and the message for a user when one fails."""

    async def on_error(
        self, interaction: discord.Interaction[RuleBot], error: app_commands.AppCommandError
    ) -> None:
        """Log the error, and tell the user if Discord still accepts a message."""
        log.error("the command failed", exc_info=error)
        sentence = say("failed", interaction.locale.value)
        try:
            if interaction.response.is_done():
                await interaction.edit_original_response(content=sentence)
            else:
                await interaction.response.send_message(sentence, ephemeral=True)
        except discord.HTTPException as fault:
            log.warning("the user could not be told: status %s", fault.status)


class FeedbackButton(
    discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]],
    template=r"regula:(?P<verdict>hit|miss):(?P<ballot>\w+)",
):
    """A feedback button under an answer. It survives restarts of the bot: it then works, or says
    that it is too late.
    """

    def __init__(self, verdict: str, ballot: str, label: str = "?") -> None:
        super().__init__(
            discord.ui.Button(
                label=label,
                style=discord.ButtonStyle.secondary,
                custom_id=f"regula:{verdict}:{ballot}",
            )
        )
        self.verdict, self.ballot = verdict, ballot

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: Any
    ) -> FeedbackButton:
        """Return the button that was pressed."""
        return cls(match["verdict"], match["ballot"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Send the feedback; only the user who pressed sees the thanks."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        user, locale = str(interaction.user.id), interaction.locale.value
        await interaction.edit_original_response(
            content=await interaction.client.desk.give_feedback(
                self.ballot, self.verdict, user, locale
            )
        )


class RuleBot(discord.Client):
    """A client that sees no messages and no members: slash commands need no privileged intent."""

    def __init__(self, desk: RuleDesk) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
        )
        self.desk = desk
        self.answering: set[asyncio.Task[Any]] = set()
        self.tree = RuleTree(self)
        self.tree.add_command(rule)
        self.add_dynamic_items(FeedbackButton)

    async def setup_hook(self) -> None:
        """Register the command with Discord. If that fails, the command registered before stays."""
        await self.tree.set_translator(RuleTranslator())
        try:
            await self.tree.sync()
        except discord.HTTPException as fault:
            log.error(
                "Discord did not take the command (status %s); it shows the one it had",
                fault.status,
            )


@app_commands.command(
    name=locale_str("rule"),
    description=locale_str("Ask about the rules; the answer is a quotation from the rulebook"),
)
@app_commands.rename(question=locale_str("question"), game=locale_str("game"))
@app_commands.describe(
    question=locale_str("What you want to know, in your own words"),
    game=locale_str("The game, if not the one of this channel"),
)
async def rule(
    interaction: discord.Interaction[RuleBot],
    question: app_commands.Range[str, 1, LONGEST_QUESTION],
    game: str | None = None,
) -> None:
    """Answer a question."""
    bot, user, locale = interaction.client, str(interaction.user.id), interaction.locale.value
    if refusal := await bot.desk.refusal(user, locale):
        await interaction.response.send_message(refusal, ephemeral=True)
        return
    if task := asyncio.current_task():
        bot.answering.add(task)
        task.add_done_callback(bot.answering.discard)
    await interaction.response.defer(
        thinking=True
    )  # Discord waits three seconds for this, and a quarter of an hour for the answer
    echo = _echo(question)
    reply = await bot.desk.answer(
        Asked(question, user, _places(interaction), locale, game),
        "discord",
        MESSAGE_LIMIT - len(echo),
    )
    await interaction.edit_original_response(
        content=(echo + _as_message(reply))[:MESSAGE_LIMIT], view=_buttons(reply, locale)
    )


@rule.autocomplete("question")
async def _headings(
    interaction: discord.Interaction[RuleBot], typed: str
) -> list[app_commands.Choice[str]]:
    game = interaction.namespace.game
    user, named = str(interaction.user.id), game if isinstance(game, str) else None
    found = await interaction.client.desk.suggestions(typed, user, _places(interaction), named)
    return [
        app_commands.Choice(name=title, value=title)
        for title in found
        if len(title) <= CHOICE_LIMIT
    ][:CHOICES]


@rule.autocomplete("game")
async def _games(
    interaction: discord.Interaction[RuleBot], typed: str
) -> list[app_commands.Choice[str]]:
    found = await interaction.client.desk.games()
    return [
        app_commands.Choice(name=game, value=game)
        for game in found
        if typed.lower() in game and len(game) <= CHOICE_LIMIT
    ][:CHOICES]


def _places(interaction: discord.Interaction[Any]) -> tuple[str, ...]:
    """Return the ids of the thread, the channel and the server."""
    parent = (
        interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None
    )
    return tuple(str(id) for id in (interaction.channel_id, parent, interaction.guild_id) if id)


def _echo(question: str) -> str:
    words = " ".join(question.split())
    if len(words) > LONGEST_ECHO:
        words = words[: LONGEST_ECHO - 1] + "…"
    return f"**{discord.utils.escape_markdown(words)}**\n"


def _as_message(reply: Reply) -> str:
    return reply.text if reply.ruling else discord.utils.escape_markdown(reply.text)


def _buttons(reply: Reply, locale: str) -> discord.ui.View | None:
    if reply.ballot is None:
        return None
    view = discord.ui.View(timeout=None)
    for verdict in ("hit", "miss"):
        view.add_item(FeedbackButton(verdict, reply.ballot, say(verdict, locale)))
    return view


async def main(settings: BotSettings, stop: asyncio.Event) -> None:
    """Answer until ``stop``. Raises `WrongSetup` where Discord refuses the token, `PlatformDown`
    where it does not answer at the start.
    """
    token = needed_token(settings.discord_token, "BOT_DISCORD_TOKEN")
    async with (
        RegulaClient(
            str(settings.regula), settings.regula_key.get_secret_value(), settings.patience
        ) as regula,
        RuleBot(RuleDesk(settings, regula)) as bot,
    ):
        running, stopped = asyncio.create_task(bot.start(token)), asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if bot.answering:
            await asyncio.wait(set(bot.answering), timeout=STOP_SECONDS)
        stopped.cancel()
        if not running.done():
            running.cancel()
            return
        try:
            running.result()
        except discord.LoginFailure:
            raise WrongSetup(
                "Discord does not know BOT_DISCORD_TOKEN; take the token from page Bot of the "
                "application"
            ) from None
        except discord.ConnectionClosed as fault:
            if fault.code == _BAD_TOKEN:
                raise WrongSetup(
                    "Discord takes BOT_DISCORD_TOKEN no more; it was probably reset"
                ) from None
            raise
        except (OSError, discord.HTTPException) as fault:
            raise PlatformDown(f"Discord cannot be reached: {fault}") from None


if __name__ == "__main__":
    sys.exit(run_bot(main))
