"""A bot as a process: a log without tokens, a stop that lets answers end, and an exit status that
says whether starting again helps.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable

from bot_settings import BotSettings, WrongSetup, load_settings

WRONG_SETUP = 78  # EX_CONFIG of sysexits.h; RestartPreventExitStatus= of the systemd unit
FAILED = 1
STOP_SECONDS = 10.0  # that answers under way have to end
_TALKATIVE = (
    "httpx",
    "httpcore",
    "apscheduler",
)  # at level info they log addresses, and Telegram's have the token in them


class PlatformDown(Exception):
    """A platform that cannot be reached at the start; the message is one line."""


class MaskingFormatter(logging.Formatter):
    """Lines of the log in which ``secrets`` are stars, wherever they come from: messages, values,
    tracebacks.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = [secret for secret in secrets if secret]

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of ``record``."""
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line


def run_bot(main: Callable[[BotSettings, asyncio.Event], Awaitable[None]]) -> int:
    """Run ``main`` with the settings until it ends or the event, which SIGTERM and SIGINT set, has
    it end; return the exit status.
    """
    try:
        settings = load_settings()
        _log_to_stderr(settings)
        asyncio.run(_until_stopped(main, settings))
    except WrongSetup as fault:
        print(f"wrong setup: {fault}", file=sys.stderr)
        return WRONG_SETUP
    except PlatformDown as fault:
        logging.getLogger(__name__).error("%s", fault)
        return FAILED
    except KeyboardInterrupt:
        return 0
    except Exception:
        logging.getLogger(__name__).exception("the bot has ended")
        return FAILED
    return 0


async def _until_stopped(
    main: Callable[[BotSettings, asyncio.Event], Awaitable[None]], settings: BotSettings
) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    await main(settings, stop)


def _log_to_stderr(settings: BotSettings) -> None:
    handler = logging.StreamHandler()
    secrets = (settings.discord_token, settings.telegram_token, settings.regula_key)
    handler.setFormatter(MaskingFormatter(secret.get_secret_value().strip() for secret in secrets))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
