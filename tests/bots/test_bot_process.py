"""The bots as processes: settings, exit status, the log."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bot_process import WRONG_SETUP, MaskingFormatter
from bot_settings import WrongSetup, load_settings

from tests.bots import fake_telegram
from tests.bots.fake_regula import MESSAGE, FakeRegula
from tests.conftest import ROOT
from tests.service.loops import in_a_loop

BOTS = ROOT / "docs" / "examples" / "bots"


@pytest.mark.parametrize("name", ["discord_bot", "telegram_bot"])
def test_a_bot_without_a_token_says_so_in_one_line(name: str) -> None:
    ended = subprocess.run([sys.executable, BOTS / f"{name}.py"], capture_output=True, text=True, timeout=60)
    assert ended.returncode == WRONG_SETUP
    assert ended.stderr.splitlines()[-1].startswith(f"wrong setup: BOT_{name.removesuffix('_bot').upper()}_TOKEN is not set")
    assert "Traceback" not in ended.stderr


def test_a_bot_stops_when_it_is_told_to_and_logs_no_token(tmp_path: Path) -> None:
    async def scenario() -> tuple[int | None, str]:
        async with fake_telegram.FakeTelegram() as telegram, FakeRegula(MESSAGE) as service:
            secret = tmp_path / "bot_telegram_token"
            secret.write_text(f"{fake_telegram.TOKEN}\n")
            values = {"CREDENTIALS_DIRECTORY": str(tmp_path), "BOT_TELEGRAM_API": telegram.address, "BOT_REGULA": service.address}
            process = await asyncio.create_subprocess_exec(
                sys.executable, BOTS / "telegram_bot.py", env={**os.environ, **values, "BOT_LOG_LEVEL": "debug"}, stderr=subprocess.PIPE
            )
            telegram.say("Wann?")
            await telegram.sent("sendMessage")
            process.send_signal(signal.SIGTERM)
            _, said = await asyncio.wait_for(process.communicate(), 20)
            return process.returncode, said.decode()

    status, said = in_a_loop(scenario())
    assert status == 0
    assert "/bot***/" in said or "***" in said
    assert "right-token" not in said


def test_secrets_are_masked_wherever_they_stand() -> None:
    formatter = MaskingFormatter(["geheim", ""])
    try:
        raise ValueError("the token geheim was refused")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, "p", 1, "at %s", ("/botgeheim/x",), sys.exc_info())
    line = formatter.format(record)
    assert "at /bot***/x" in line
    assert "ValueError: the token *** was refused" in line
    assert "geheim" not in line


def test_places_go_before_the_bots_own_game_and_variables_before_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('game = "pegelwacht"\nuser_limit = "3/minute"\n[places.70]\nedition = "pegelduell-de-2.0"\n')
    monkeypatch.setenv("BOT_CONFIG", str(config))
    monkeypatch.setenv("BOT_USER_LIMIT", "5/minute")
    settings = load_settings()
    assert settings.user_limit == "5/minute"
    assert settings.scope(("1", "70")).where == {"edition": "pegelduell-de-2.0"}
    assert settings.scope(("1",)).where == {"game": "pegelwacht"}
    assert settings.scope(("70",), "behind").where == {"game": "behind"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("spiel = 1", "spiel"),
        ("game = ", "TOML"),
        ('discord_token = ["geheim"]', "discord_token"),
        ('user_limit = "viele"', "user_limit"),
        ('regula = "nebenan"', "regula"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_without_what_it_is(
    config: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    config.write_text(text)
    monkeypatch.setenv("BOT_CONFIG", str(config))
    with pytest.raises(WrongSetup, match=said) as fault:
        load_settings()
    assert "geheim" not in str(fault.value)


def test_a_missing_file_of_settings_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_CONFIG", "/no/such.toml")
    with pytest.raises(WrongSetup, match=r"/no/such\.toml"):
        load_settings()
