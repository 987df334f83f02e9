"""Run a bot as a process: log without tokens, let answers finish at a stop, and exit with a status
that says whether a restart helps.
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
STOP_SECONDS = 10.0  # for answers under way to finish
_TALKATIVE = (
    "httpx",
    "httpcore",
    "apscheduler",
)  # at level info they log addresses, and Telegram's have the token in them


class PlatformDown(Exception):
    """A platform could not be reached at the start; the message is one line."""


class MaskingFormatter(logging.Formatter):
    """Formats log lines and replaces ``secrets`` by stars everywhere: in messages, values,
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
    """Run ``main`` with the settings and return the exit status. SIGTERM and SIGINT set the event,
    which tells ``main`` to end.
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
