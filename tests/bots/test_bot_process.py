import asyncio
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib

import pytest
from bot_process import WRONG_SETUP, MaskingFormatter, PlatformDown
from bot_settings import BotSettings, WrongSetup, load_settings

from tests.bots import fake_telegram
from tests.bots.fake_regula import MESSAGE, FakeRegula
from tests.bots.running import discord_running, telegram_running
from tests.conftest import ROOT
from tests.service.loops import in_a_loop

BOTS = ROOT / "examples" / "bots"


def test_a_bot_without_a_token_says_so_in_one_line():
    ended = subprocess.run(
        [sys.executable, BOTS / "discord_bot.py"], capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == WRONG_SETUP
    assert ended.stderr.splitlines()[-1].startswith("wrong setup: BOT_DISCORD_TOKEN is not set")
    assert "Traceback" not in ended.stderr


def test_a_bot_stops_when_it_is_told_to_and_logs_no_token(tmp_path):
    async def scenario():
        async with fake_telegram.FakeTelegram() as telegram, FakeRegula(MESSAGE) as service:
            secret = tmp_path / "bot_telegram_token"
            secret.write_text(f"{fake_telegram.TOKEN}\n")
            values = {
                "CREDENTIALS_DIRECTORY": str(tmp_path),
                "BOT_TELEGRAM_API": telegram.address,
                "BOT_REGULA": service.address,
            }
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                BOTS / "telegram_bot.py",
                env={**os.environ, **values, "BOT_LOG_LEVEL": "debug"},
                stderr=subprocess.PIPE,
            )
            telegram.say("Wann?")
            await telegram.sent("sendMessage")
            process.send_signal(signal.SIGTERM)
            _, said = await asyncio.wait_for(process.communicate(), 120)
            return process.returncode, said.decode()

    status, said = in_a_loop(scenario())
    assert status == 0
    assert "***" in said
    assert "right-token" not in said


def test_secrets_are_masked_wherever_they_stand():
    formatter = MaskingFormatter(["geheim", ""])
    try:
        raise ValueError("the token geheim was refused")
    except ValueError:
        record = logging.LogRecord(
            "n", logging.ERROR, "p", 1, "at %s", ("/botgeheim/x",), sys.exc_info()
        )
    line = formatter.format(record)
    assert "at /bot***/x" in line
    assert "ValueError: the token *** was refused" in line
    assert "geheim" not in line


def test_places_go_before_the_bots_own_game_and_variables_before_the_file(config, monkeypatch):
    config.write_text(
        'game = "pegelwacht"\nuser_limit = "3/minute"\n[places.70]\nedition = "pegelduell-de-2.0"\n'
    )
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
def test_a_setting_that_cannot_be_used_is_named_without_what_it_is(config, monkeypatch, text, said):
    config.write_text(text)
    monkeypatch.setenv("BOT_CONFIG", str(config))
    with pytest.raises(WrongSetup, match=said) as fault:
        load_settings()
    assert "geheim" not in str(fault.value)


def test_a_missing_file_of_settings_is_named(monkeypatch):
    monkeypatch.setenv("BOT_CONFIG", "/no/such.toml")
    with pytest.raises(WrongSetup, match=r"/no/such\.toml"):
        load_settings()


def test_the_example_has_every_setting_and_can_be_used(monkeypatch):
    example = BOTS / "bots.example.toml"
    monkeypatch.setenv("BOT_CONFIG", str(example))
    assert load_settings().scope(("112233445566778899",)).where == {"game": "pegelduell"}
    secrets = {"regula_key", "discord_token", "telegram_token"}
    said = set(re.findall(r"(?m)^(?:# )?(\w+) = |^\[(\w+)", example.read_text(encoding="utf-8")))
    assert {name or table for name, table in said} == set(BotSettings.model_fields) - secrets


def test_what_the_bots_need_is_what_they_are_tested_with():
    needed = {
        line.partition(">")[0].partition("[")[0]: line
        for line in (BOTS / "requirements.txt").read_text().split()
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tested = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {line for line in needed.values() if line in tested} == set(needed.values())


def test_the_unit_is_sound(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here (Debian: apt-get install systemd)")
    unit = (
        (BOTS / "regula-bot@.service")
        .read_text(encoding="utf-8")
        .replace("/opt/regula-bots/.venv/bin/python", sys.executable)
    )
    (tmp_path / "regula-bot@.service").write_text(unit)
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / "regula-bot@discord.service"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert [line for line in found.stderr.splitlines() if "regula-bot" in line] == []
    assert f"RestartPreventExitStatus={WRONG_SETUP}" in unit


def test_a_platform_that_cannot_be_reached_ends_the_bot_with_a_reason():
    async def scenario():
        nowhere = "http://127.0.0.1:9"
        with pytest.raises(PlatformDown, match="Telegram cannot be reached"):
            async with telegram_running(nowhere, BOT_TELEGRAM_API=nowhere) as telegram:
                await telegram.bot_ended.wait()
        with pytest.raises(PlatformDown, match="Discord cannot be reached"):
            async with discord_running(nowhere, api=nowhere) as discord:
                await discord.bot_ended.wait()

    in_a_loop(scenario())
