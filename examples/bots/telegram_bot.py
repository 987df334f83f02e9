"""A Telegram bot that answers /rule, private messages and inline queries with the ruling. Run it
with `python telegram_bot.py`.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from contextlib import suppress
from typing import Any

from bot_process import PlatformDown, run_bot
from bot_sentences import LANGUAGES, say
from bot_settings import BotSettings, WrongSetup, needed_token
from regula_calls import RegulaClient
from rule_desk import Asked, Reply, RuleDesk
from telegram import (
    BotCommand,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQueryResultArticle,
    InputTextMessageContent,
    LinkPreviewOptions,
    ReplyParameters,
    Update,
)
from telegram.constants import ChatAction, ParseMode
from telegram.error import InvalidToken, NetworkError, TelegramError
from telegram.ext import (
    AIORateLimiter,
    Application,
    CallbackQueryHandler,
    CommandHandler,
    ContextTypes,
    InlineQueryHandler,
    MessageHandler,
    filters,
)
from telegram.request import HTTPXRequest

log = logging.getLogger(__name__)

COMMANDS = {
    "en": ("rule", "Ask about the rules"),
    "de": ("regel", "Frag nach den Regeln"),
    "it": ("regola", "Chiedi delle regole"),
}
AT_ONCE = 32  # updates handled at the same time
SHORTEST_INLINE = 6  # characters: Telegram sends an inline query after every letter
INLINE_SECONDS = 300  # that Telegram may cache the answer to an inline query
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_REFUSED = (401, 404)  # statuses for a token that Telegram does not know


class UpdatesRequest(HTTPXRequest):
    """Fetches updates, and stops the bot if its token is refused later. The library would go on
    without receiving anything.
    """

    def __init__(self, stop: asyncio.Event) -> None:
        super().__init__(connection_pool_size=1)
        self.refused, self._stop = False, stop

    async def do_request(self, *args: Any, **values: Any) -> tuple[int, bytes]:
        """Return status and body of a response, and note a refusal."""
        status, body = await super().do_request(*args, **values)
        if status in _REFUSED:
            self.refused = True
            self._stop.set()
        return status, body


class RuleChats:
    """The bot's handlers in chats, which use ``desk``."""

    def __init__(self, desk: RuleDesk) -> None:
        self._desk = desk

    async def on_help(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        """Explain how to ask."""
        if update.effective_message:
            await update.effective_message.reply_text(
                say("usage", _locale(update), command="/rule")
            )

    async def on_command(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        """Answer the text after the command, else the message that it replies to."""
        message = update.effective_message
        replied = message.reply_to_message.text if message and message.reply_to_message else None
        if question := " ".join(context.args or ()) or replied:
            await self._answer(update, context, question)
        else:
            await self.on_help(update, context)

    async def on_private_message(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        """Answer a private message, which is the question itself."""
        if update.effective_message and update.effective_message.text:
            await self._answer(update, context, update.effective_message.text)

    async def on_inline_query(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        """Offer the ruling for the typed question, to send to any chat."""
        if not (query := update.inline_query):
            return
        articles, user = [], str(query.from_user.id)
        if len(query.query.strip()) >= SHORTEST_INLINE and await self._desk.admits_typing(user):
            reply = await self._desk.answer(
                Asked(query.query, user, (), query.from_user.language_code), "markdown", quick=True
            )
            if reply.ruling:
                content = InputTextMessageContent(
                    reply.text, ParseMode.MARKDOWN_V2, link_preview_options=_NO_PREVIEW
                )
                name = hashlib.sha256(reply.text.encode()).hexdigest()[:32]
                articles.append(
                    InlineQueryResultArticle(
                        name, reply.ruling.title[:200], content, description=query.query[:200]
                    )
                )
        await query.answer(articles, cache_time=INLINE_SECONDS if articles else 1)

    async def on_button(self, update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        """Send a user's feedback on an answer."""
        if query := update.callback_query:
            verdict, ballot = str(query.data).split(":", 1)
            said = await self._desk.give_feedback(
                ballot, verdict, str(query.from_user.id), query.from_user.language_code
            )
            await query.answer(said[:200])

    async def on_error(self, update: object, context: ContextTypes.DEFAULT_TYPE) -> None:
        """Log the error, and tell the chat if Telegram accepts a message."""
        log.error("an update failed", exc_info=context.error)
        if (
            isinstance(update, Update)
            and update.effective_message
            and not isinstance(context.error, TelegramError)
        ):
            await update.effective_message.reply_text(say("failed", _locale(update)))

    async def _answer(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, question: str
    ) -> None:
        message, user, chat = update.effective_message, update.effective_user, update.effective_chat
        if not (message and user and chat):
            return
        thread = f"{chat.id}/{message.message_thread_id}" if message.is_topic_message else None
        to_message = ReplyParameters(message.message_id, allow_sending_without_reply=True)
        if refusal := await self._desk.refusal(str(user.id), user.language_code):
            await message.reply_text(refusal, reply_parameters=to_message)
            return
        context.application.create_task(
            _show_typing(update)
        )  # users waiting for an answer need not wait for this
        asked = Asked(
            question, str(user.id), tuple(filter(None, (thread, str(chat.id)))), user.language_code
        )
        reply = await self._desk.answer(asked, "markdown")
        buttons = _buttons(reply, user.language_code)
        style = ParseMode.MARKDOWN_V2 if reply.ruling else None
        await message.reply_text(
            reply.text,
            parse_mode=style,
            reply_parameters=to_message,
            reply_markup=buttons,
            link_preview_options=_NO_PREVIEW,
        )


async def _show_typing(update: Update) -> None:
    try:
        if update.effective_chat:
            await update.effective_chat.send_action(ChatAction.TYPING)
    except TelegramError as fault:
        log.debug("no sign of typing: %s", fault)


def _buttons(reply: Reply, locale: str | None) -> InlineKeyboardMarkup | None:
    if reply.ballot is None:
        return None
    return InlineKeyboardMarkup(
        [
            [
                InlineKeyboardButton(say(v, locale), callback_data=f"{v}:{reply.ballot}")
                for v in ("hit", "miss")
            ]
        ]
    )


def _locale(update: Update) -> str | None:
    return update.effective_user.language_code if update.effective_user else None


def _application(
    settings: BotSettings, desk: RuleDesk, token: str, updates: UpdatesRequest
) -> Application[Any, Any, Any, Any, Any, Any]:
    """Return the bot with all its handlers."""
    base = str(settings.telegram_api).rstrip("/")
    app = (
        Application.builder()
        .token(token)
        .base_url(f"{base}/bot")
        .base_file_url(f"{base}/file/bot")
        .concurrent_updates(AT_ONCE)
        .rate_limiter(AIORateLimiter(max_retries=2))
        .get_updates_request(updates)
        .build()
    )
    chats = RuleChats(desk)
    app.add_handler(CommandHandler([name for name, _ in COMMANDS.values()], chats.on_command))
    app.add_handler(CommandHandler(["start", "help"], chats.on_help))
    app.add_handler(
        MessageHandler(
            filters.ChatType.PRIVATE & filters.TEXT & ~filters.COMMAND & filters.UpdateType.MESSAGE,
            chats.on_private_message,
        )
    )
    app.add_handler(InlineQueryHandler(chats.on_inline_query))
    app.add_handler(CallbackQueryHandler(chats.on_button, pattern=r"^(hit|miss):\w+$"))
    app.add_error_handler(chats.on_error)
    return app


async def _tell_commands(app: Application[Any, Any, Any, Any, Any, Any]) -> None:
    """Register the command in each language. If that fails, the command registered before stays."""
    try:
        for language in LANGUAGES:
            await app.bot.set_my_commands(
                [BotCommand(*COMMANDS[language])],
                language_code="" if language == "en" else language,
            )
    except TelegramError as fault:
        log.error("Telegram did not take the commands: %s", fault)


async def main(settings: BotSettings, stop: asyncio.Event) -> None:
    """Answer until ``stop``. Raises `WrongSetup` where Telegram refuses the token, `PlatformDown`
    where it does not answer at the start.
    """
    token = needed_token(settings.telegram_token, "BOT_TELEGRAM_TOKEN")
    updates = UpdatesRequest(stop)
    async with RegulaClient(
        str(settings.regula), settings.regula_key.get_secret_value(), settings.patience
    ) as regula:
        try:
            app = _application(settings, RuleDesk(settings, regula), token, updates)
            await app.initialize()
        except InvalidToken:
            raise WrongSetup(
                "Telegram does not know BOT_TELEGRAM_TOKEN; take the token from @BotFather"
            ) from None
        except NetworkError as fault:
            raise PlatformDown(f"Telegram cannot be reached: {fault}") from None
        assert app.updater is not None
        try:
            await _tell_commands(app)
            await app.start()
            await app.updater.start_polling(
                allowed_updates=[Update.MESSAGE, Update.INLINE_QUERY, Update.CALLBACK_QUERY],
                error_callback=_log_polling,
            )
            await stop.wait()
            with suppress(InvalidToken):
                await app.updater.stop()
            await app.stop()  # waits until answers under way are sent
        finally:
            await app.shutdown()
        if updates.refused:
            raise WrongSetup("Telegram takes BOT_TELEGRAM_TOKEN no more; it was probably revoked")


def _log_polling(fault: TelegramError) -> None:
    log.warning("Telegram does not answer, trying again: %s", fault)


if __name__ == "__main__":
    sys.exit(run_bot(main))
